import type { CallExpression } from 'acorn';
import { componentsOf, type AnyField } from '@filigree/sparse/fields';
import { compute, originOf, refuse, type Context } from '../elaborate/context/context.js';
import { argumentsOf, reference } from '../elaborate/expressions/evaluate.js';
import { draw, drawTwice } from '../elaborate/terms/random-state.js';
import { words } from '../elaborate/terms/words.js';
import { randomDouble, randomInteger, randomSingle } from '../vocabulary/random.js';
import { isLiteral, isScalar, nothing, termText } from '../elaborate/context/term.js';
import { literal, type Scalar, type Temp } from '../code/scalar.js';
import type { Intrinsic } from './intrinsic.js';
import { scalars } from './math.js';
import { coordinates } from './places.js';

/** `cache(u, …)` in a loop over active elements: its attribute `cache`. */
export const cache: Intrinsic = (cx, e) => {
  const names = fieldsGiven(cx, e).flatMap(componentsOf);
  if (!cx.parallel?.active)
    return refuse(
      cx,
      e,
      'lang/cache',
      'cache is a hint for loops over active elements',
      'put it at the top of for (… of active(u))',
    );
  for (const { name } of names) if (!cx.parallel.cache.includes(name)) cx.parallel.cache.push(name);
  return nothing;
};

/** `cacheL1(u, …)`: an attribute of the kernel. */
export const cacheL1: Intrinsic = (cx, e) => {
  for (const { name } of fieldsGiven(cx, e).flatMap(componentsOf)) cx.session.cacheL1.add(name);
  return nothing;
};

/** `assumeInRange(x, base, lo, hi)`, of numbers or of vectors element by element. */
export const assumeInRange: Intrinsic = (cx, e) => {
  const args = argumentsOf(cx, e);
  const [lo, hi] = args.slice(2);
  if (
    args.length !== 4 ||
    !isLiteral(lo) ||
    !isLiteral(hi) ||
    !Number.isInteger(lo.value) ||
    !Number.isInteger(hi.value) ||
    Number(lo.value) >= Number(hi.value)
  )
    return refuse(
      cx,
      e,
      'lang/assume-in-range',
      'the bounds of the promise are whole numbers known at compile time, the first below the second',
      'write assumeInRange(x, base, 0, 4)',
    );
  const [xs, bases] = [0, 1].map((k) => coordinates(cx, e.arguments[k], args[k]));
  if (xs.length !== bases.length)
    return refuse(
      cx,
      e,
      'lang/shape',
      `${xs.length} numbers are promised to lie around ${bases.length}`,
      'give each its base: assumeInRange(vec(i, j), [a, b], 0, 4)',
    );
  const promised = xs.map((x, k): Temp => {
    const to: Temp = { is: 'temp', type: 'i32' };
    const bounds = { lo: Number(lo.value), hi: Number(hi.value) };
    cx.session.emit(originOf(cx, e), { do: 'assume', to, x, base: bases[k], ...bounds });
    return to;
  });
  return isScalar(args[0]) ? promised[0] : { is: 'shaped', shape: [promised.length], elements: promised };
};

/** `permutation(x, n)`: a promise about all iterations of the loop around. */
export const permutation: Intrinsic = (cx, e) => {
  const [x, n] = scalars(cx, e, 2);
  if (!isLiteral(n) || !Number.isInteger(n.value) || Number(n.value) < 1)
    return refuse(
      cx,
      e,
      'lang/permutation',
      'how many numbers are permuted is a whole number known at compile time',
      'write permutation(order[i], count) with a constant count',
    );
  if (!cx.parallel)
    return refuse(
      cx,
      e,
      'lang/permutation',
      'what is permuted is told of the iterations of a parallel loop, and there is none around',
      'write it in the outermost loop of a kernel',
    );
  const to: Temp = { is: 'temp', type: 'i32' };
  const promise = { base: literal(0), lo: 0, hi: Number(n.value), distinct: true } as const;
  cx.session.emit(originOf(cx, e), { do: 'assume', to, x, ...promise });
  return to;
};

/** `random()`: in [0, 1), with as many bits as the kernel's floats have. */
export const random: Intrinsic = (cx, e) => {
  scalars(cx, e, 0);
  const part = (bits: Scalar, shift: number, scale: number): Scalar =>
    compute(cx, e, 'mul', shift === 0 ? bits : words(cx, e).shr(bits, shift), literal(scale));
  if (cx.session.float === 'f32') return part(draw(cx, e), randomSingle.shift, randomSingle.scale);
  const { bits, more } = drawTwice(cx, e);
  return compute(
    cx,
    e,
    'add',
    part(bits, 0, randomDouble.scale),
    part(more, randomDouble.more.shift, randomDouble.more.scale),
  );
};

/** `randomInt()`: 0 ≤ n < 2³¹. */
export const randomInt: Intrinsic = (cx, e) => {
  scalars(cx, e, 0);
  return cx.session.cast(originOf(cx, e), words(cx, e).shr(draw(cx, e), randomInteger.shift), 'i32', [0, 2 ** 31 - 1]);
};

const fieldsGiven = (cx: Context, e: CallExpression): readonly AnyField[] =>
  (e.arguments.length === 0 ? [e] : e.arguments).map((node) => {
    const of = node === e ? nothing : reference(cx, node);
    return of.is === 'element' && of.index.length === 0
      ? of.field
      : refuse(cx, node, 'lang/not-a-field', `a field is wanted here, this is ${termText(of)}`, 'write cache(u)');
  });
