import {
  coreDialects,
  derivative,
  partsOfGiven,
  rewriteOps,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type Value,
} from '@filigree/ir';
import type { Known } from './again.js';
import { isGiven } from '../values/is-given.js';
import type { Reversal } from './reversal.js';
import type { Sums } from './sums.js';
import { whereReached } from './where-reached.js';

/** The reverse of an op that says what the derivative of values is: its region, from the adjoints of its results. */
export const reverseGiven = (r: Reversal, b: Builder, op: Op, known: Known, sums: Sums): void => {
  const [region] = op.regions;
  const { inputs } = partsOfGiven(op);
  if (!sums.some(op.results) || !inputs.some((v) => r.active.has(v.id))) return;
  const within = new Map(known);
  region.params.forEach((p, n) => within.set(p.id, sums.orZero(b, op.results[n])));
  r.again.region(b, region, within);
  const { operands } = region.ops[region.ops.length - 1];
  const seeds = region.params.map((p) => r.again.value(within, p));
  const guarded = whereReached(r, b, op.results, seeds);
  inputs.forEach((v, n) => {
    if (r.active.has(v.id)) sums.add(b, v, guarded(r.again.value(within, operands[n])), op.results);
  });
};

/** A kernel without what it says of derivatives: what is left computes the same values. */
export const withoutGiven = (kernel: Kernel, dialects: readonly Dialect[]): Kernel =>
  rewriteOps(
    kernel,
    [...coreDialects, derivative, ...dialects],
    (op): { ops: readonly Op[]; values: readonly Value[] } | undefined =>
      isGiven(op) ? { ops: [], values: partsOfGiven(op).values } : undefined,
  );
