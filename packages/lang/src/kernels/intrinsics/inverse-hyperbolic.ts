import type { CallExpression } from 'acorn';
import type { OperatorName } from '../code/operators.js';
import { compute, type Context } from '../elaborate/context.js';
import { literal, type Scalar } from '../code/scalar.js';

/** A function of `Math` that is made of others. */
type Composed = (cx: Context, e: CallExpression, x: Scalar) => Scalar;

/** log(a + √(a² + 1)) with the sign of x, where a is |x|: by log1p, since 1 would swallow a small a. */
export const asinh: Composed = (cx, e, x) => {
  const { op, real } = wordsOf(cx, e);
  const y = real(x);
  const a = op('abs', y);
  const root = op('add', literal(1), op('hypot', literal(1), a));
  const small = op('log1p', op('add', a, op('mul', a, op('div', a, root))));
  return signed(cx, e, y, op('select', op('gt', a, literal(LARGE)), logOfTwice(cx, e, a), small));
};

/** log(x + √(x² − 1)), by what x is above 1; NaN below 1, as the root of that is. */
export const acosh: Composed = (cx, e, x) => {
  const { op, real } = wordsOf(cx, e);
  const y = real(x);
  const above = op('sub', y, literal(1));
  const root = op('mul', op('sqrt', above), op('sqrt', op('add', above, literal(2))));
  return op('select', op('gt', y, literal(LARGE)), logOfTwice(cx, e, y), op('log1p', op('add', above, root)));
};

/** ½ log((1 + a) / (1 − a)) with the sign of x, where a is |x|; NaN beyond 1. */
export const atanh: Composed = (cx, e, x) => {
  const { op, real } = wordsOf(cx, e);
  const y = real(x);
  const a = op('abs', y);
  const ratio = op('div', op('add', a, a), op('sub', literal(1), a));
  return signed(cx, e, y, op('mul', literal(0.5), op('log1p', ratio)));
};

/** From here on √(x² ± 1) is x in every type of float. */
const LARGE = 2 ** 28;

/** log(2a), also where 2a would be infinite. */
const logOfTwice: Composed = (cx, e, a) => compute(cx, e, 'add', compute(cx, e, 'log', a), literal(Math.LN2));

/** `size` with the sign of x; x itself where it is a zero, which has one too. */
const signed = (cx: Context, e: CallExpression, x: Scalar, size: Scalar): Scalar => {
  const { op } = wordsOf(cx, e);
  const negative = op('select', op('lt', x, literal(0)), op('neg', size), size);
  return op('select', op('eq', x, literal(0)), x, negative);
};

const wordsOf = (cx: Context, e: CallExpression) => {
  const op = (name: OperatorName, ...args: readonly Scalar[]): Scalar => compute(cx, e, name, ...args);
  /* Differences and sums of whole numbers would be those of integers. */
  return { op, real: (x: Scalar): Scalar => op('real', x) };
};
