import type { Op, RewriteContext, Value } from '@filigree/ir';
import { numberOf } from './number-of.js';

/** How far values are from one value, by numbers that are added to it. Ops are noted in program order. */
export interface Distances {
  readonly note: (op: Op) => void;
  readonly of: (v: Value) => number | undefined;
  /** Another value to measure from. */
  readonly start: (v: Value) => void;
}

export const distances = (from: Value | undefined, ctx: RewriteContext): Distances => {
  const known = new Map<number, number>(from ? [[from.id, 0]] : []);
  const number = (v: Value): number | undefined => numberOf(ctx.definition(v));
  const sum = (op: Op): number | undefined => {
    if (op.name !== 'arith.add' && op.name !== 'arith.sub') return undefined;
    const [x, y] = op.operands;
    const [left, right] = [known.get(x.id), number(y)];
    if (left !== undefined && right !== undefined) return op.name === 'arith.add' ? left + right : left - right;
    const [first, second] = [number(x), known.get(y.id)];
    return op.name === 'arith.add' && first !== undefined && second !== undefined ? first + second : undefined;
  };
  return {
    note: (op) => {
      const distance = sum(op);
      if (distance !== undefined) known.set(op.results[0].id, distance);
    },
    of: (v) => known.get(v.id),
    start: (v) => void known.set(v.id, 0),
  };
};
