import type { Coefficient, Expr } from './expression.js';

/** The number 1, times nothing. */
export const ONE: Coefficient = { factor: 1, scalars: [] };

/** The product of two coefficients; scalars keep their order. */
export const timesCoefficient = (a: Coefficient, b: Coefficient): Coefficient => ({
  factor: a.factor * b.factor,
  scalars: [...a.scalars, ...b.scalars],
});

/**
 * A product (§4.1): factors that are products themselves are merged, and what multiplies a factor multiplies the whole,
 * so that a `scale` is always the parent of the product.
 */
export const times = (a: Expr, b: Expr): Expr => {
  const [ca, x] = takeScale(a);
  const [cb, y] = takeScale(b);
  const factors = [...(x.kind === 'einsum' ? x.factors : [x]), ...(y.kind === 'einsum' ? y.factors : [y])];
  return scaled(timesCoefficient(ca, cb), { kind: 'einsum', factors });
};

/** A sum (§4.1): terms that are sums themselves are merged. */
export const plus = (a: Expr, b: Expr): Expr => ({
  kind: 'add',
  terms: [...(a.kind === 'add' ? a.terms : [a]), ...(b.kind === 'add' ? b.terms : [b])],
});

/** A multiple; multiples of multiples are one. */
export const scaled = (by: Coefficient, of: Expr): Expr => {
  const [inner, x] = takeScale(of);
  const c = timesCoefficient(by, inner);
  return c.factor === 1 && c.scalars.length === 0 ? x : { kind: 'scale', by: c, of: x };
};

const takeScale = (e: Expr): readonly [Coefficient, Expr] => (e.kind === 'scale' ? [e.by, e.of] : [ONE, e]);
