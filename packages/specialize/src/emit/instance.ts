import type { Builder, Value } from '@filigree/ir';
import type { Template } from '../harvest/template.js';
import type { SpecializeOptions } from '../options.js';
import { payOnLanes } from '../place/lanes.js';
import type { PlacedSegment } from '../place/place.js';
import { POOL } from '../place/pools.js';
import { columnEntry } from './address.js';
import { emitExpression } from './expression.js';

/** What emitting depends on. */
export type EmitContext = Pick<SpecializeOptions, 'dtype' | 'decompose' | 'emit'>;

/** Below this much work a kernel does not repay waking other threads. */
export const PARALLEL_WORK = 1 << 14;

/** The values of a template at instance or term `j`, whose columns stand at `positions`, but for those whose values are `known`. */
export const expressionValues = (
  b: Builder,
  g: Pick<PlacedSegment, 'columnBuffers'> & { readonly template: Template | undefined },
  positions: readonly Value[],
  constants: readonly Value[],
  j: Value,
  { dtype, decompose }: EmitContext,
  known: readonly (Value | undefined)[] = [],
): Value[] => {
  const columns = g.columnBuffers.length;
  const loads = positions.map((p, c) => known[c] ?? b.load(g.columnBuffers[c], p));
  const numbers = constants.map((start) => b.load(POOL.constants, columnEntry(b, start, j, constants.length)));
  return emitExpression(b, g.template!, dtype, (k) => (k < columns ? loads[k] : numbers[k - columns]), decompose.local);
};

/**
 * Whether vector lanes pay for a template that makes `stores` values: operands come one by one through index tables, so an instance
 * must compute more than it loads. For sums of products they gain nothing, and compilers spend most of their time on them.
 */
export const isComputeBound = (
  template: Template | undefined,
  { encoded, columnBuffers }: Pick<PlacedSegment, 'encoded' | 'columnBuffers'>,
  stores: number,
): boolean => {
  if (!template) return false;
  const gathers = encoded.addresses.some((a) => a.is === 'table' || (a.is === 'piece' && a.stride > 1));
  return !gathers || payOnLanes(template, columnBuffers.length + stores);
};
