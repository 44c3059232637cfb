import type { Loc } from '../diagnostics/diagnostic.js';
import type { Attrs, Op, Region, Value } from '../kernel/op.js';
import type { Type } from '../kernel/type.js';

/**
 * An op from its parts. JavaScript engines tell objects apart by how they were made: copies by `{ ...op }` count as another
 * kind at every place in a program that makes them, and code that meets many kinds of ops is slow and is compiled again
 * and again. So ops, and values, are made here.
 */
export const makeOp = (
  name: string,
  operands: readonly Value[],
  results: readonly Value[],
  attrs: Attrs,
  regions: readonly Region[],
  loc: Loc | undefined,
): Op =>
  loc === undefined ? { name, operands, results, attrs, regions } : { name, operands, results, attrs, regions, loc };

/** The op with some of its parts replaced. */
export const opWith = (op: Op, parts: Partial<Op>): Op =>
  makeOp(
    parts.name ?? op.name,
    parts.operands ?? op.operands,
    parts.results ?? op.results,
    parts.attrs ?? op.attrs,
    parts.regions ?? op.regions,
    parts.loc ?? op.loc,
  );

/** A value from its parts. */
export const makeValue = (id: number, type: Type, hint: string | undefined): Value =>
  hint === undefined ? { id, type } : { id, type, hint };
