import { greatest, least, union, type Rule } from '../code/interval.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar } from '../code/scalar.js';
import { ROUNDING } from '../code/whole.js';

/** The interval of what is computed of floats, where one of their operands bounds it: least, greatest, chosen and rounded ones. NaN is not counted. */
export const realInterval = (
  operator: OperatorName,
  args: readonly Scalar[],
  of: (s: Scalar) => Interval | undefined,
): Interval | undefined => {
  const rule = ROUNDING.has(operator)
    ? ([least, most]: Interval): Interval => rounded(operator, least, most)
    : realRules[operator];
  if (!rule) return undefined;
  const [a, b] = (operator === 'select' ? args.slice(1) : args).map((s) => of(s) ?? ANY);
  return rule(a, b ?? a);
};

const ANY: Interval = [-Infinity, Infinity];

const rounded = (operator: OperatorName, least: number, most: number): Interval => {
  const round = Math[operator as 'floor' | 'ceil' | 'round' | 'trunc'];
  return [round(least), round(most)];
};

/* Found when they are asked for: this is loaded before what it takes from others is there. */
const realRules: Readonly<Partial<Record<OperatorName, Rule>>> = {
  select: (a, b) => union(a, b),
  min: (a, b) => least(a, b),
  max: (a, b) => greatest(a, b),
};
