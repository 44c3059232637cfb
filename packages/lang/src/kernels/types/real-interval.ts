import { greatest, least, union, type Rule } from '../code/interval.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar } from '../code/scalar.js';
import { ROUNDING } from '../code/whole.js';

/** The interval of what is computed of floats. NaN is not counted. */
export const realInterval = (
  operator: OperatorName,
  args: readonly Scalar[],
  of: (s: Scalar) => Interval | undefined,
): Interval | undefined => {
  const rule = ROUNDING.has(operator)
    ? ([least, most]: Interval): Interval => rounded(operator, least, most)
    : realRules[operator];
  if (!rule) return undefined;
  const [a, b] = args.map((s) => of(s) ?? ANY);
  const [low, high] = rule(a, b ?? a);
  return Number.isNaN(low) || Number.isNaN(high) || (low === -Infinity && high === Infinity) ? undefined : [low, high];
};

const ANY: Interval = [-Infinity, Infinity];

const rounded = (operator: OperatorName, least: number, most: number): Interval => {
  const round = Math[operator as 'floor' | 'ceil' | 'round' | 'trunc'];
  return [round(least), round(most)];
};

/** Of what there is of both ends; what is no number is not counted, as 0 · ∞. */
const ofEnds = (a: Interval, b: Interval, f: (x: number, y: number) => number): Interval => {
  const all = a.flatMap((x) => b.map((y) => f(x, y))).map((x) => (Number.isNaN(x) ? 0 : x));
  return [Math.min(...all), Math.max(...all)];
};

/** Functions of libraries are off by a few units in the last place. */
const about = ([low, high]: Interval): Interval => [low - Math.abs(low) * SLACK, high + Math.abs(high) * SLACK];

const SLACK = 2 ** -20;

const WAVE: Interval = [-1, 1];

const growing =
  (f: (x: number) => number): Rule =>
  ([low, high]) =>
    about([f(low), f(high)]);

/* Found when they are asked for: this is loaded before what it takes from others is there. */
const realRules: Readonly<Partial<Record<OperatorName, Rule>>> = {
  select: (a, b) => union(a, b),
  min: (a, b) => least(a, b),
  max: (a, b) => greatest(a, b),
  real: (a) => a,
  fround: (a) => a,
  add: (a, b) => [a[0] + b[0], a[1] + b[1]],
  sub: (a, b) => [a[0] - b[1], a[1] - b[0]],
  mul: (a, b) => ofEnds(a, b, (x, y) => x * y),
  div: (a, b) => (b[0] > 0 || b[1] < 0 ? ofEnds(a, b, (x, y) => x / y) : ANY),
  neg: (a) => [-a[1], -a[0]],
  abs: (a) => [Math.max(a[0], -a[1], 0), Math.max(a[1], -a[0])],
  sign: (a) => [Math.sign(a[0]), Math.sign(a[1])],
  /* Of the sign of what is divided, and less than the divisor. */
  rem: (a, b) => {
    const most = Math.max(Math.abs(b[0]), Math.abs(b[1]));
    return [a[0] < 0 ? Math.max(a[0], -most) : 0, a[1] > 0 ? Math.min(a[1], most) : 0];
  },
  sqrt: ([low, high]) => [Math.sqrt(Math.max(low, 0)), Math.sqrt(Math.max(high, 0))],
  pow: (a, b) => (a[0] >= 0 && b[0] > 0 ? about(ofEnds(a, b, (x, y) => x ** y)) : ANY),
  sin: () => about(WAVE),
  cos: () => about(WAVE),
  tanh: growing(Math.tanh),
  exp: growing(Math.exp),
};
