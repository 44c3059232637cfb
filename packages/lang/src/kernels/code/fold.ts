import { byteSize, isInteger } from '@filigree/ir';
import { holds, isReal, isWholeLiteral, literalKind, type Kind } from './kinds.js';
import { isMisfit, operators, type OperatorName } from './operators.js';
import { literal, typedLiteral, type Literal } from './scalar.js';

/**
 * The value of an operation on literals; in words why there is none; undefined where it is left to the kernel. Whole numbers are
 * computed exactly, however large they become, and are held against a type only where they are used. Those of type i32, or
 * of narrower ones, must stay within i32. Where a type wraps, or rounds, the operation is left to the kernel.
 */
export const folded = (operator: OperatorName, args: readonly Literal[]): Literal | string | undefined => {
  const { fold, kind, bits } = operators[operator];
  if (!fold) return undefined;
  const kinds = args.map((l) => (bits ? literalKind(l) : foldedKind(l)));
  const of = kind(kinds, args, false);
  if (isMisfit(of)) return undefined;
  const values = args.map((l) => l.value);
  if (of === 'i1') return literal(fold(...(values as number[])));
  if (operator === 'neg' && typeof values[0] === 'bigint') return negated(args[0], values[0]);
  if (!args.every(isFoldable)) return undefined;
  if (isReal(of)) return real(operator, fold(...values.map(Number)) as number, args);
  return bits ? bitwise(operator, fold, args) : whole(operator, fold, args);
};

type Fold = NonNullable<(typeof operators)[OperatorName]['fold']>;

/** A whole number that was computed as a float goes on as one. */
const foldedKind = (l: Literal): Kind => (l.float === undefined ? literalKind(l) : 'float');

const isFoldable = ({ type }: Literal): boolean =>
  type === undefined || type === 'i1' || type === 'i32' || (isInteger(type) && byteSize(type) < 4);

const real = (operator: OperatorName, value: number, args: readonly Literal[]): Literal => {
  if (!Number.isInteger(value)) return literal(value);
  const written = args.some((l) => literalKind(l) === 'float') && !roundings.has(operator);
  return { ...literal(value), float: written ? 'written' : 'computed' };
};

const roundings: ReadonlySet<OperatorName> = new Set(['floor', 'ceil', 'round', 'trunc', 'sign']);

/** A BigInt with a sign is a literal too. */
const negated = (l: Literal, value: bigint): Literal => {
  if (l.type === undefined) return literal(-value);
  return typedLiteral(-value, l.type === 'u64' && holds('i64', -value) ? 'i64' : l.type);
};

const bitwise = (operator: OperatorName, fold: Fold, args: readonly Literal[]): Literal | undefined => {
  if (!args.every((l) => isWholeLiteral(l) || l.type !== undefined)) return undefined;
  const values = args.map((l) => Number(l.value));
  if (!values.every((x) => x >= -(2 ** 31) && x < 2 ** 32)) return undefined;
  const value = fold(...values);
  if (operator === 'ushr') return typedLiteral(value, 'u32');
  return isTyped(args) ? typedLiteral(value, 'i32') : literal(value);
};

const whole = (operator: OperatorName, fold: Fold, args: readonly Literal[]): Literal | string | undefined => {
  const quick = args.some((l) => typeof l.value === 'bigint')
    ? NaN
    : (fold(...args.map((l) => Number(l.value))) as number);
  const value = Number.isSafeInteger(quick)
    ? quick
    : exactly(
        operator,
        args.map((l) => BigInt(l.value)),
      );
  if (value === undefined) return literal(quick);
  if (!isTyped(args)) return literal(value);
  return holds('i32', value) ? typedLiteral(value, 'i32') : `${String(value)}, which this comes to, is no i32`;
};

const isTyped = (args: readonly Literal[]): boolean => args.some((l) => l.type !== undefined);

/** Whole numbers that a double does not hold. */
const exactly = (operator: OperatorName, args: readonly bigint[]): bigint | number | undefined => {
  const value = exact[operator]?.(args[0], args[1]);
  return value !== undefined && value >= -MOST_SAFE && value <= MOST_SAFE ? Number(value) : value;
};

const MOST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const exact: Readonly<Partial<Record<OperatorName, (a: bigint, b: bigint) => bigint | undefined>>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  neg: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
  sign: (a) => (a < 0n ? -1n : a > 0n ? 1n : 0n),
  min: least,
  max: (a, b) => -least(-a, -b),
  idiv: (a, b) => (b === 0n ? undefined : a / b),
  rem: (a, b) => (b === 0n ? undefined : a % b),
  floor: (a) => a,
  ceil: (a) => a,
  round: (a) => a,
  trunc: (a) => a,
};
