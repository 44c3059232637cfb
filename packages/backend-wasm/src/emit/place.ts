import { type Op, lanesOf } from '@filigree/ir';
import type { Context } from './context.js';
import { type Expr, apply, i32 } from './expr.js';

/** A byte address: a 32-bit expression and a constant that goes into the instruction. */
export interface Place {
  readonly base: Expr;
  readonly offset: number;
}

/** Where a memory op reads or writes, or its lane 0 if it moves a contiguous vector. */
export const placeOf = (c: Context, op: Op): Place => placesOf(c, op, 1)[0];

/** Where each lane of a gather or scatter reads or writes. */
export const placesOf = (c: Context, op: Op, lanes: number): readonly Place[] => {
  const address = c.plan.addresses.get(op);
  if (!address) throw new Error(`${op.name} has no address`);
  const { terms, offset, laneStep, foldable, scratch } = address;
  const columns = terms.map((t) => ({ exprs: c.multiple(t.value, t.scale), uniform: lanesOf(t.value.type) === 1 }));
  const own = scratch ? [apply('i32', 'global.get $scratch')] : [];
  const uniform = [...own, ...columns.filter((x) => x.uniform || x.exprs.length === 1).map((x) => x.exprs[0])];
  const varying = columns.filter((x) => !x.uniform && x.exprs.length > 1);
  if (terms.length === 0 && !scratch)
    return Array.from({ length: lanes }, (_, k) => ({ base: i32(offset + k * laneStep), offset: 0 }));

  if (varying.length === 0) {
    /* Lane 0 has an address in bounds, so that the others can be told from it by constants even if `offset` cannot. */
    const sum = add(uniform);
    const bases = c.b.share(foldable || offset === 0 ? sum : add([sum, i32(offset)]), lanes);
    const folds = laneStep >= 0;
    return bases.map((base, k) => {
      const step = k * laneStep;
      return { base: folds ? base : add([base, i32(step)]), offset: (foldable ? offset : 0) + (folds ? step : 0) };
    });
  }
  const shared = uniform.length > 0 ? c.b.share(add(uniform), lanes) : undefined;
  return Array.from({ length: lanes }, (_, k) => {
    const parts = [...(shared ? [shared[k]] : []), ...varying.map((x) => x.exprs[k])];
    const constant = offset + k * laneStep;
    return foldable
      ? { base: add(parts), offset: constant }
      : { base: add(constant === 0 ? parts : [...parts, i32(constant)]), offset: 0 };
  });
};

const add = (parts: readonly Expr[]): Expr => parts.reduce((a, b) => apply('i32', 'i32.add', a, b));
