import type { Value } from '../kernel/op.js';
import type { Type } from '../kernel/type.js';
import type { ScalarAlgebra } from '../scalar/algebra.js';
import { scalarOps } from '../scalar/scalar-op.js';
import type { Builder } from './builder.js';

/**
 * The algebra of scalars on values of one type of floats, or lane by lane on vectors of them: its operations append ops. Functions that are made of
 * others are written in full.
 */
export const algebraOf = (b: Builder, type: Type): ScalarAlgebra<Value> => {
  const value = (x: Value | number): Value => (typeof x === 'number' ? b.constant(x, type) : x);
  const on =
    (f: (...operands: readonly Value[]) => Value) =>
    (...operands: readonly (Value | number)[]): Value =>
      f(...operands.map(value));
  const comparison = (predicate: 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne') => on((x, y) => b.cmp(predicate, x, y));
  const algebra: ScalarAlgebra<Value> = {
    ...Object.fromEntries(
      scalarOps
        .filter((o) => o.arity > 0 && o.kernelOp !== 'arith.select')
        .map(({ name, kernelOp, expand }) => [
          name,
          on((...xs) => (expand ? expand(algebra, ...xs) : b.value(kernelOp, xs))),
        ]),
    ),
    lt: comparison('lt'),
    le: comparison('le'),
    gt: comparison('gt'),
    ge: comparison('ge'),
    eq: comparison('eq'),
    ne: comparison('ne'),
    sub: on((x, y) => b.sub(x, y)),
    select: on((condition, x, y) => b.select(condition, x, y)),
  };
  return algebra;
};
