import { byteSize, integerRange, isInteger, type ScalarType } from '@filigree/ir';
import type { OperatorName } from './operators.js';
import type { Scalar, Interval, Temp } from './scalar.js';

/** What is known of an operand. */
export const intervalOf = (s: Scalar): Interval | undefined => {
  if (s.is === 'temp') return s.within;
  return typeof s.value === 'number' && Number.isInteger(s.value) ? [s.value, s.value] : undefined;
};

/** The interval of a result, where those of its operands, as `of` tells them, say it and 32 bits hold it. */
export const resultInterval = (
  operator: OperatorName,
  args: readonly Scalar[],
  of: (s: Scalar) => Interval | undefined = intervalOf,
  typeOf: (s: Temp) => ScalarType | undefined = (s) => s.type,
): Interval | undefined => {
  if (operator === 'bitand') return masked(args.map(of));
  const rule = rules[operator];
  const known = (operator === 'select' ? args.slice(1) : args).map(
    (s) => of(s) ?? (BOUNDING.has(operator) ? wordOf(s, typeOf) : undefined),
  );
  if (!rule || !known.every((x) => x !== undefined)) return undefined;
  const [least, most] = rule(known[0], known[1] ?? known[0]);
  return least >= -(2 ** 31) && most < 2 ** 31 ? [least, most] : undefined;
};

/** What these leave of any integer has ends, where it is known to be one. */
const BOUNDING: ReadonlySet<OperatorName> = new Set(['rem', 'min', 'max']);

/** What any integer of at most 32 bits lies in. */
export const wordOf = (s: Scalar, typeOf: (s: Temp) => ScalarType | undefined): Interval | undefined => {
  const type = s.is === 'temp' ? typeOf(s) : undefined;
  return type !== undefined && type !== 'i1' && isInteger(type) && byteSize(type) <= 4
    ? (integerRange(type).map(Number) as unknown as Interval)
    : undefined;
};

/** The interval that holds both. */
export const union = (a: Interval, b: Interval): Interval => [Math.min(a[0], b[0]), Math.max(a[1], b[1])];

/** Of bits with a mask that is not negative: from zero to the mask. */
const masked = (args: readonly (Interval | undefined)[]): Interval | undefined => {
  const masks = args.filter((x) => x !== undefined && x[0] >= 0 && x[1] < 2 ** 31);
  return masks.length > 0 ? [0, Math.min(...masks.map((m) => m![1]))] : undefined;
};

/** As many bits as the larger of both has, where neither is negative. */
const anyBits = (a: Interval, b: Interval): Interval =>
  a[0] >= 0 && b[0] >= 0 ? [0, 2 ** (32 - Math.clz32(Math.max(a[1], b[1]))) - 1] : [-Infinity, Infinity];

export type Rule = (a: Interval, b: Interval) => Interval;

export const least: Rule = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
export const greatest: Rule = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1])];

const rules: Readonly<Partial<Record<OperatorName, Rule>>> = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1]],
  sub: (a, b) => [a[0] - b[1], a[1] - b[0]],
  mul: (a, b) => {
    const products = a.flatMap((x) => b.map((y) => x * y));
    return [Math.min(...products), Math.max(...products)];
  },
  /* As JavaScript has it: of the sign of what is divided. */
  rem: (a, b) =>
    b[0] > 0
      ? [a[0] < 0 ? Math.max(a[0], 1 - b[1]) : 0, a[1] < 0 ? 0 : Math.min(a[1], b[1] - 1)]
      : [-Infinity, Infinity],
  shr: (a, b) => (b[0] === b[1] && b[0] >= 0 && b[0] < 32 ? [a[0] >> b[0], a[1] >> b[0]] : [-Infinity, Infinity]),
  bitor: anyBits,
  bitxor: anyBits,
  neg: (a) => [-a[1], -a[0]],
  abs: (a) => [Math.max(a[0], -a[1], 0), Math.max(a[1], -a[0])],
  sign: (a) => [Math.sign(a[0]), Math.sign(a[1])],
  select: union,
  min: least,
  max: greatest,
};
