import {
  binaryFunctions,
  isFloat,
  isSigned,
  scalarOp,
  unaryFunctions,
  type Attrs,
  type BinaryFunction,
  type Builder,
  type ScalarType,
  type UnaryFunction,
  type Value,
} from '@filigree/ir';

import {
  besideU64,
  holds,
  isReal,
  isWhole,
  isWholeLiteral,
  joinOperands,
  leastType,
  promote,
  type Kind,
} from './kinds.js';
import type { Scalar } from './scalar.js';

/**
 * The operations on scalars, each stated once: its meaning on the host, which folds literals; the kind of its result;
 * and the kernel IR that it becomes.
 */
export interface Operator {
  /** The meaning on numbers and truth values known at compile time; absent where those are never folded. */
  readonly fold?: (...args: (number | boolean)[]) => number | boolean;
  /**
   * The kind of the result from those of the operands, or in words why there is none. `settled`: what is still of no stated
   * type takes none from elsewhere, so that its values are those of an i32.
   */
  readonly kind: (kinds: readonly Kind[], args: readonly Scalar[], settled: boolean) => Kind | Misfit;
  /** The type each operand is converted to; `result` is that of the result. */
  readonly operands: 'result' | 'joined' | 'selected' | 'as they are';
  /**
   * Of operations on bits: literals, and what does not fit the type of the result, are taken modulo its width; of a float, what `toInt32` makes of it. What is just
   * `float` is computed as f64 for them, as plain TypeScript does: `(i / n) | 0` is right for all i.
   */
  readonly bits?: true;
  /** The ops; `type` is the result's. */
  readonly emit: (b: Builder, args: readonly Value[], type: ScalarType) => Value;
}

/** Why operands do not fit an operator. */
export interface Misfit {
  readonly problem: string;
  readonly remedy: string;
}

export const isMisfit = (k: Kind | Misfit): k is Misfit => typeof k === 'object';

type Numbers = (...args: number[]) => number | boolean;

const misfit = (problem: string, remedy: string): Misfit => ({ problem, remedy });

/** The join of kinds that must be numbers. */
const joinNumbers = (
  kinds: readonly Kind[],
  joined = (all: readonly Kind[]): Kind | 'conflict' => joinOperands([], all),
): Kind | Misfit => {
  if (kinds.includes('i1')) return misfit('a truth value is used as a number', 'write `c ? 1 : 0`, or cast it: i32(c)');
  const all = joined(kinds);
  return all === 'conflict'
    ? misfit('u64 and signed integers have no common type', 'cast one of them: i64(x), u64(x)')
    : all;
};

/** Of sums and products, which are the same modulo 2³² whatever sign a variable of no stated type has. */
const numbers: Operator['kind'] = (kinds, args) => {
  const all = joinNumbers(kinds, (k) => joinOperands(args, k));
  return isMisfit(all) ? all : promote(all);
};

const reals = (kinds: readonly Kind[]): Kind | Misfit => {
  const all = joinNumbers(kinds);
  return isMisfit(all) || isReal(all) || all === undefined ? all : 'float';
};

const notWhole = (kinds: readonly Kind[]): Misfit | undefined =>
  kinds.includes('i1')
    ? misfit('a truth value is used as a number', 'write `c ? 1 : 0`, or cast it: i32(c)')
    : kinds.every(isWhole)
      ? undefined
      : misfit(
          'an integer is wanted, this is a float',
          'cast it: i32(x) cuts off the fraction; a quotient of floats without one is Math.trunc(a / b)',
        );

/** Of operations whose result is another if an operand is taken modulo 2³²: unlike sums and products, they keep its sign. */
const ordered: Operator['kind'] = (kinds, args, settled) => {
  const all = joinNumbers(kinds, settled ? (k) => joinOperands(args, k, true) : undefined);
  return isMisfit(all) ? all : promote(all);
};

const orderedIntegers: Operator['kind'] = (kinds, args, settled) => notWhole(kinds) ?? ordered(kinds, args, settled);

const comparison: Operator['kind'] = (kinds, args, settled) => {
  const all = ordered(kinds, args, settled);
  return isMisfit(all) ? all : 'i1';
};

const equality: Operator['kind'] = (kinds, args, settled) =>
  kinds.every((k) => k === 'i1' || k === undefined)
    ? 'i1'
    : kinds.includes('i1')
      ? misfit('a number is compared with a truth value', 'compare numbers with numbers')
      : comparison(kinds, args, settled);

const truths = (kinds: readonly Kind[]): Kind | Misfit =>
  kinds.every((k) => k === 'i1' || k === undefined)
    ? 'i1'
    : misfit('a condition is wanted, this is a number', 'compare it: `x !== 0`');

const on = (f: Numbers): NonNullable<Operator['fold']> => f as NonNullable<Operator['fold']>;

const numeric = (fold: Numbers, emit: Operator['emit'], kind: Operator['kind'] = numbers): Operator => ({
  fold: on(fold),
  kind,
  operands: 'result',
  emit,
});

const real = (fold: Numbers, emit: Operator['emit']): Operator => numeric(fold, emit, reals);

const onBits = (fold: Numbers, emit: Operator['emit'], kind: Operator['kind']): Operator => ({
  ...numeric(fold, emit, kind),
  bits: true,
});

const compare = (predicate: 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne', fold: Numbers): Operator => ({
  fold: on(fold),
  kind: predicate === 'eq' || predicate === 'ne' ? equality : comparison,
  operands: 'joined',
  emit: (b, [x, y]) => b.cmp(predicate, x, y),
});

const logical = (fold: (...args: boolean[]) => boolean, emit: Operator['emit']): Operator => ({
  fold: fold as NonNullable<Operator['fold']>,
  kind: truths,
  operands: 'as they are',
  emit,
});

/** Functions that leave integers alone. */
const rounding = (name: 'floor' | 'ceil' | 'round' | 'trunc'): Operator =>
  numeric(Math[name], (b, [x], type) => (isFloat(type) ? b.math(name, x) : x));

/** Bits of 32 are those of an i32, also where an u32 takes part: so are they in plain TypeScript. With 64 bits all are extended to those. */
const bitwise: Operator['kind'] = (given, args) => {
  const kinds = given.map(wholeOf);
  const own = besideWide(kinds, args).map((k, n) => bitsOf(k, args[n], kinds.includes('u64')));
  const wide = own.some((k) => k === 'i64' || k === 'u64');
  if (wide && given.some(isReal)) return notWhole(given)!;
  const all = joinNumbers(own.map((k) => (wide && k === 'mixed' ? 'i32' : k)));
  if (isMisfit(all) || all === undefined || wide) return all;
  return withoutSign(promote(all));
};

const besideWide = (kinds: readonly Kind[], args: readonly Scalar[]): readonly Kind[] =>
  kinds.includes('u64') ? kinds.map((k, n) => besideU64(args[n], k)) : kinds;

/** What both have is not negative where one is not: `x & ~15n` of an u64 is one. */
const common: Operator['kind'] = (kinds, args, settled) =>
  bitwise(kinds.includes('u64') ? kinds.map((k) => (k === 'i64' ? 'u64' : k)) : kinds, args, settled);

/** What plain TypeScript has of 32 bits is signed. */
const withoutSign = (k: Kind): Kind => (k === 'u32' || k === 'mixed' ? 'i32' : k);

/** The bits of a float are those of an i32. */
const wholeOf = (k: Kind): Kind => (isReal(k) ? 'i32' : k);

/** The kind of an operand of bits. A literal that does not fit i32 has the first type that it fits, beside an u64 that if it can. */
const bitsOf = (k: Kind, s: Scalar, beside64 = false): Kind => {
  if (!isWholeLiteral(s) || holds('i32', s.value) || (beside64 && holds('u64', s.value))) return k;
  const least = leastType(s.value);
  return least === 'f64' ? k : least;
};

/** Shifts have the type of what is shifted, whatever that of the amount; of an u32 bits are as in other operations on them. */
const shift: Operator['kind'] = (kinds, args) => {
  const left = shifted(kinds, args);
  return isMisfit(left) ? left : withoutSign(left);
};

const shifted = (given: readonly Kind[], args: readonly Scalar[]): Kind | Misfit => {
  const kinds = given.map(wholeOf);
  return notWhole(kinds) ?? promote(bitsOf(kinds[0], args[0]));
};

/**
 * `>>>` shifts in zeros, so its result is not negative: u32, and u64 of 64 bits. What is no u32, by an amount that is known
 * and not zero, gives what fits i32 as well, and takes the type of what it meets.
 */
const shiftZeros: Operator['kind'] = (kinds, args) => {
  const [left, [, by]] = [shifted(kinds, args), args];
  if (isMisfit(left) || left === undefined) return left;
  if (left === 'i64' || left === 'u64') return 'u64';
  const moved = by.is === 'literal' && (Number(by.value) & 31) !== 0;
  return moved && (left !== 'u32' || isWholeLiteral(args[0])) ? 'int' : 'u32';
};

/** Functions that are more than the op of their name: those that leave integers alone, and powers. */
type Apart = 'abs' | 'sign' | 'floor' | 'ceil' | 'round' | 'trunc' | 'pow';
type FloatFunction = Exclude<UnaryFunction | BinaryFunction, Apart>;
const apart: readonly string[] = ['abs', 'sign', 'floor', 'ceil', 'round', 'trunc', 'pow'] satisfies readonly Apart[];

const floatFunctions = Object.fromEntries(
  [...unaryFunctions, ...binaryFunctions]
    .filter((name) => !apart.includes(name))
    .map((name) => [name, real(scalarOp(name).evaluate, (b, args) => b.math(name, ...args))]),
) as Readonly<Record<FloatFunction, Operator>>;

const table = {
  add: numeric(
    (a, b) => a + b,
    (b, [x, y]) => b.add(x, y),
  ),
  sub: numeric(
    (a, b) => a - b,
    (b, [x, y]) => b.sub(x, y),
  ),
  mul: numeric(
    (a, b) => a * b,
    (b, [x, y]) => b.mul(x, y),
  ),
  /** Real division, of integers too. */
  div: real(
    (a, b) => a / b,
    (b, [x, y]) => b.div(x, y),
  ),
  /** The quotient of integers without its fraction. */
  idiv: numeric(
    (a, b) => Math.trunc(a / b),
    (b, [x, y]) => b.div(x, y),
    orderedIntegers,
  ),
  rem: numeric(
    (a, b) => a % b,
    (b, [x, y]) => b.rem(x, y),
    ordered,
  ),
  /** An integer as the float that it is. */
  real: real(
    (a) => a,
    (_, [x]) => x,
  ),
  pow: real(
    (a, b) => a ** b,
    (b, [x, y]) => b.math('pow', x, y),
  ),
  min: numeric(Math.min, (b, [x, y]) => b.min(x, y), ordered),
  max: numeric(Math.max, (b, [x, y]) => b.max(x, y), ordered),
  neg: numeric(
    (a) => -a,
    (b, [x]) => b.neg(x),
  ),
  abs: numeric(Math.abs, (b, [x], type) =>
    isFloat(type) ? b.math('abs', x) : isSigned(type) ? b.max(x, b.neg(x)) : x,
  ),
  sign: numeric(Math.sign, (b, [x], type) => {
    if (isFloat(type)) return b.math('sign', x);
    const [zero, one] = [b.constant(0, type), b.constant(1, type)];
    const above = b.select(b.cmp('gt', x, zero), one, zero);
    return isSigned(type) ? b.select(b.cmp('lt', x, zero), b.neg(one), above) : above;
  }),
  floor: rounding('floor'),
  ceil: rounding('ceil'),
  round: rounding('round'),
  trunc: rounding('trunc'),
  ...floatFunctions,

  bitand: onBits(
    (a, b) => a & b,
    (b, [x, y]) => b.and(x, y),
    common,
  ),
  bitor: onBits(
    (a, b) => a | b,
    (b, [x, y]) => b.or(x, y),
    bitwise,
  ),
  bitxor: onBits(
    (a, b) => a ^ b,
    (b, [x, y]) => b.xor(x, y),
    bitwise,
  ),
  bitnot: onBits(
    (a) => ~a,
    (b, [x]) => b.not(x),
    bitwise,
  ),
  shl: onBits(
    (a, b) => a << b,
    (b, [x, y]) => b.shl(x, y),
    shift,
  ),
  shr: onBits(
    (a, b) => a >> b,
    (b, [x, y]) => b.shr(x, y),
    shift,
  ),
  ushr: {
    fold: on((a, b) => a >>> b),
    kind: shiftZeros,
    operands: 'as they are',
    bits: true,
    emit: (b, [x, y], type) => {
      const wide = type === 'u64' ? 'u64' : 'u32';
      const as = (v: Value, to: ScalarType): Value => (v.type === to ? v : b.cast(v, to));
      return as(b.shr(as(x, wide), as(y, wide)), type);
    },
  },

  lt: compare('lt', (a, b) => a < b),
  le: compare('le', (a, b) => a <= b),
  gt: compare('gt', (a, b) => a > b),
  ge: compare('ge', (a, b) => a >= b),
  eq: compare('eq', (a, b) => a === b),
  ne: compare('ne', (a, b) => a !== b),
  and: logical(
    (a, b) => a && b,
    (b, [x, y]) => b.and(x, y),
  ),
  or: logical(
    (a, b) => a || b,
    (b, [x, y]) => b.or(x, y),
  ),
  not: logical(
    (a) => !a,
    (b, [x]) => b.not(x),
  ),
  /** Whether JavaScript takes a number for true: it is neither 0 nor NaN. */
  truth: {
    kind: () => 'i1',
    operands: 'as they are',
    emit: (b, [x]) => {
      if (x.type === 'i1') return x;
      const type = x.type as ScalarType;
      const zero = b.constant(0, type);
      return isFloat(type) ? b.or(b.cmp('lt', x, zero), b.cmp('gt', x, zero)) : b.cmp('ne', x, zero);
    },
  },
  /** The second operand where the first holds, else the third. */
  select: {
    kind: ([condition, ...values], [, ...args], settled) => {
      const wrong = truths([condition]);
      if (isMisfit(wrong)) return wrong;
      if (values.includes('i1')) return equality(values, args, settled);
      return joinNumbers(values, settled ? (k) => joinOperands(args, k) : undefined);
    },
    operands: 'selected',
    emit: (b, [c, x, y]) => b.select(c, x, y),
  },
  /** Conversion to a stated type. Not folded: the type is what the cast is for. */
  cast: { kind: () => undefined, operands: 'as they are', emit: (b, [x], type) => b.cast(x, type) },
} satisfies Readonly<Record<string, Operator>>;

export type OperatorName = keyof typeof table;

export const operators: Readonly<Record<OperatorName, Operator>> = table;

/** A word that an extension brings, which becomes an op of its own. */
export interface WordOperator extends Operator {
  /** What messages call it. */
  readonly word: string;
}

/** The operator of a word, and the op that it becomes. */
export const wordOperator = (word: string, op: string, attrs: Attrs, takes: 'floats' | 'integers'): WordOperator => ({
  word,
  kind: takes === 'floats' ? reals : orderedIntegers,
  operands: 'result',
  emit: (b, args) => b.value(op, args, attrs),
});

/** What is known of an operator, named or a word. */
export const operatorOf = (operator: OperatorName | WordOperator): Operator =>
  typeof operator === 'string' ? operators[operator] : operator;

/** What an operator is called. */
export const operatorName = (operator: OperatorName | WordOperator): string =>
  typeof operator === 'string' ? operator : operator.word;
