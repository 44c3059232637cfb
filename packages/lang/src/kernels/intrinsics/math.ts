import { rare } from '#rare';
import type { AnyNode, CallExpression } from 'acorn';
import { binaryFunctions, unaryFunctions, type ScalarType } from '@filigree/ir';

import { givenKind, isNarrow, isReal } from '../code/kinds.js';
import type { OperatorName } from '../code/operators.js';
import type { Flag } from '../elaborate/context/absence.js';
import {
  asNumber,
  asScalar,
  compute,
  isPromised,
  originOf,
  refuse,
  unsupported,
  type Context,
} from '../elaborate/context/context.js';
import { constantOf } from '../emit/constant.js';
import { isLiteral, unshaped, type Host, type Mixed, type OneOf, type Term } from '../elaborate/context/term.js';
import type { Intrinsic } from './intrinsic.js';
import { argumentsOf, condition, value } from '../elaborate/expressions/evaluate.js';
import { itemsOf } from '../elaborate/terms/items.js';
import { isMissing } from '../elaborate/terms/missing.js';
import { power } from '../elaborate/expressions/binary-operation.js';
import { words } from '../elaborate/terms/words.js';
import { literal, typedLiteral, type Scalar } from '../code/scalar.js';
import { math, type FunctionName } from '../../source/math.js';

/** Functions of `Math` and `Number`, by the function. */
export const mathIntrinsics = (): ReadonlyMap<unknown, Intrinsic> =>
  new Map<unknown, Intrinsic>([
    ...unaryFunctions.flatMap((name) => byName(name, unary(name))),
    ...binaryFunctions.flatMap((name) =>
      byName(
        name,
        ofTwo((cx, e, [x, y]) => compute(cx, e, name, x, y)),
      ),
    ),
    [Math.min, fold('min')],
    [Math.max, fold('max')],
    ...byName('hypot', hypot),
    ...byName(
      'pow',
      ofTwo((cx, e, [x, y]) => power(cx, e, x, y)),
    ),
    [Math.imul, ofTwo(imul)],
    [Math.clz32, known(Math.clz32, leadingZeros)],
    ...byName('fround', (cx, e) => castTo(cx, e, scalars(cx, e, 1)[0], 'f32')),
    [
      Math.random,
      (cx, e) => unsupported(cx, e, 'Math.random', 'use random(), which gives the same numbers whatever the threads'),
    ],
    asked(Number.isNaN, ofThere(isNaN_)),
    asked(isNaN, given(isNaN_)),
    asked(Number.isFinite, ofThere(isFinite_)),
    asked(isFinite, given(isFinite_)),
    asked(Number.isInteger, ofThere(isInteger_)),
    asked(Number, asNumber_),
    asked(parseFloat, textOnly),
    asked(parseInt, textOnly),
    [Boolean, truthOf],
  ]);

/** What may be asked of any value: of what is no number it is known of each that it may be. */
const asked = (f: (x: never) => unknown, ofNumber: OfGiven): readonly [unknown, Intrinsic] => [
  f,
  (cx, e) => {
    const args = argumentsOf(cx, e);
    const [x] = args;
    return args.length === 1 && isOtherThanNumber(x) ? rare().ofEach(cx, e, x, f) : ofNumber(cx, e, args);
  },
];

/** What becomes of arguments. */
type OfGiven = (cx: Context, e: CallExpression, args: readonly Term[]) => Scalar;

const isOtherThanNumber = (x: Term): x is Mixed | OneOf | Host =>
  x.is === 'mixed' || x.is === 'one-of' || (x.is === 'host' && typeof x.value === 'string');

const textOnly: OfGiven = (cx, e) =>
  refuse(cx, e, 'lang/arguments', 'this is read of one text that is known', 'write Math.trunc(x) of a number');

/** What a function is under its name in `math`, and in `Math` where that has it. */
const byName = (name: FunctionName, intrinsic: Intrinsic): readonly [unknown, Intrinsic][] =>
  name in Math
    ? [
        [math[name], intrinsic],
        [Math[name as keyof Math], intrinsic],
      ]
    : [[math[name], intrinsic]];

/** `i32(x)` and the like; of vectors and matrices element by element. */
export const castIntrinsic =
  (type: ScalarType): Intrinsic =>
  (cx, e) => {
    const args = argumentsOf(cx, e);
    const [x] = args;
    if (args.length === 1 && x.is === 'shaped')
      return unshaped(
        x.shape,
        x.elements.map((s) => castTo(cx, e, s, type)),
      );
    return castTo(cx, e, scalarsOf(cx, e, args, 1)[0], type);
  };

/** `idiv(a, b)`, `a` a number or a vector. */
export const idiv: Intrinsic = (cx, e) => {
  const args = argumentsOf(cx, e);
  const [first] = args;
  if (args.length === 2 && first.is === 'shaped') {
    const by = asScalar(cx, e.arguments[1] ?? e, args[1]);
    return { ...first, elements: first.elements.map((a) => quotient(cx, e, a, by)) };
  }
  const [a, b] = scalarsOf(cx, e, args, 2);
  return quotient(cx, e, a, b);
};

const quotient = (cx: Context, e: CallExpression, a: Scalar, b: Scalar): Scalar => {
  if (isLiteral(b) && Number(b.value) === 0)
    return refuse(cx, e, 'lang/division', 'this divides by zero', 'divide by another number');
  return compute(cx, e, 'idiv', a, b);
};

/**
 * A conversion. Of a number known at compile time to i32, or to what is computed with as i32, it is that number, so that it can be
 * an index or a bound, and what overflows is seen.
 */
export const castTo = (cx: Context, node: AnyNode, x: Scalar, type: ScalarType): Scalar => {
  if ((type === 'i32' || isNarrow(type)) && isLiteral(x))
    return typedLiteral(constantOf(x.value, type, isReal(givenKind(x))), type);
  return cx.session.cast(originOf(cx, node), x, type);
};

/** Exactly this many arguments, all scalars. */
export const scalars = (cx: Context, e: CallExpression, wanted: number): readonly Scalar[] =>
  scalarsOf(cx, e, argumentsOf(cx, e), wanted);

const scalarsOf = (cx: Context, e: CallExpression, args: readonly Term[], wanted: number): readonly Scalar[] => {
  if (args.length !== wanted)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `this function takes ${wanted} argument${wanted === 1 ? '' : 's'}, not ${args.length}`,
      'give each parameter one',
    );
  return args.map((a, k) => asScalar(cx, e.arguments[k] ?? e, a));
};

/** A product that is meant to wrap: of unsigned words. */
const imul = (cx: Context, e: CallExpression, [x, y]: readonly Scalar[]): Scalar => {
  const word = (a: Scalar): Scalar => castTo(cx, e, castTo(cx, e, a, 'i32'), 'u32');
  return castTo(cx, e, compute(cx, e, 'mul', word(x), word(y)), 'i32');
};

/** Zeros before the first bit of a word: those of all bits that are set once every bit below the first is. */
const leadingZeros = (cx: Context, e: CallExpression, x: Scalar): Scalar => {
  const { add, sub, mul, and, or, shr } = words(cx, e);
  const masked = (a: Scalar, mask: number): Scalar => and(a, literal(mask));
  const word = castTo(cx, e, compute(cx, e, 'bitor', x, literal(0)), 'u32');
  const below = [1, 2, 4, 8, 16].reduce((a, by) => or(a, shr(a, by)), word);
  const twos = sub(below, masked(shr(below, 1), 0x55555555));
  const fours = add(masked(twos, 0x33333333), masked(shr(twos, 2), 0x33333333));
  const bytes = masked(add(fours, shr(fours, 4)), 0x0f0f0f0f);
  const ones = shr(mul(bytes, literal(0x01010101)), 24);
  return compute(cx, e, 'sub', literal(32), cx.session.cast(originOf(cx, e), ones, 'i32', [0, 32]));
};

/** A function that is made of others; of a number known at compile time it is a number. */
const known =
  (fold: (x: number) => number, f: (cx: Context, e: CallExpression, x: Scalar) => Scalar): Intrinsic =>
  (cx, e) => {
    const [x] = scalars(cx, e, 1);
    return isLiteral(x) && typeof x.value === 'number' ? literal(fold(x.value)) : f(cx, e, x);
  };

const unary = (name: OperatorName): Intrinsic => ofOne((cx, e, x) => compute(cx, e, name, x));

const ofTwo =
  (f: (cx: Context, e: CallExpression, args: readonly Scalar[]) => Scalar): Intrinsic =>
  (cx, e) =>
    f(cx, e, scalars(cx, e, 2));

const all = (cx: Context, e: CallExpression): readonly Scalar[] =>
  argumentsOf(cx, e).map((a, k) => asScalar(cx, e.arguments[k] ?? e, a));

const fold =
  (name: 'min' | 'max'): Intrinsic =>
  (cx, e) => {
    const args = e.arguments.flatMap((a): readonly Term[] => {
      if (a.type !== 'SpreadElement') return [value(cx, a)];
      const items = value(cx, a.argument);
      return items.is === 'array' ? [rare().extremeOfGiven(cx, e, items, name)] : itemsOf(cx, a.argument, items);
    });
    const [first = literal(Math[name]()), ...rest] = args.map((a, k) => asScalar(cx, e.arguments[k] ?? e, a));
    return rest.reduce((a, b) => compute(cx, e, name, a, b), first);
  };

const hypot: Intrinsic = (cx, e) => {
  const [first = literal(0), ...rest] = all(cx, e);
  return rest.length === 0 ? compute(cx, e, 'abs', first) : rest.reduce((a, b) => compute(cx, e, 'hypot', a, b), first);
};

const isNaN_ = (cx: Context, e: CallExpression, x: Scalar): Scalar => {
  return compute(cx, e, 'ne', x, x);
};

const isInteger_ = (cx: Context, e: CallExpression, x: Scalar): Scalar => {
  const finite = compute(cx, e, 'lt', compute(cx, e, 'abs', x), literal(Infinity));
  return compute(cx, e, 'and', finite, compute(cx, e, 'eq', compute(cx, e, 'floor', x), x));
};

/** `Boolean(x)`: what may be nothing is false then. */
const truthOf: Intrinsic = (cx, e) => {
  if (e.arguments.length !== 1) return scalars(cx, e, 1)[0];
  const holds = condition(cx, e.arguments[0]);
  return typeof holds === 'boolean' ? literal(holds) : holds;
};

/** `Number(x)`: of undefined NaN, of null 0; what is taken to be there where nobody asks is what it is. */
const asNumber_: OfGiven = (cx, e, args) => {
  const [x, flag] = nullable(cx, e, args);
  const number = asNumber(cx, e, x);
  return flag && !isPromised(flag.from) ? rare().numberOfNothing(cx, e, flag, number) : number;
};

type OfOne = (cx: Context, e: CallExpression, x: Scalar) => Scalar;

const ofOne =
  (f: OfOne): Intrinsic =>
  (cx, e) =>
    given(f)(cx, e, argumentsOf(cx, e));

const given =
  (f: OfOne): OfGiven =>
  (cx, e, args) =>
    f(cx, e, scalarsOf(cx, e, args, 1)[0]);

/** What holds of no value that may be missing, where it is. */
const ofThere =
  (holds: OfOne): OfGiven =>
  (cx, e, args) => {
    const [x, flag] = nullable(cx, e, args);
    const found = holds(cx, e, x);
    return flag ? compute(cx, e, 'and', compute(cx, e, 'not', flag.is), found) : found;
  };

/** The one argument of what asks itself whether it is there, and what says so. */
const nullable = (cx: Context, e: CallExpression, args: readonly Term[]): readonly [Scalar, Flag | undefined] => {
  const flag = args.length === 1 ? isMissing(cx, e, args[0]) : undefined;
  return [scalarsOf(cx, e, args, 1)[0], flag];
};

const isFinite_ = (cx: Context, e: CallExpression, x: Scalar): Scalar => {
  return compute(cx, e, 'lt', compute(cx, e, 'abs', x), literal(Infinity));
};
