import { isInteger, type ScalarType } from '@filigree/ir';
import type { OperatorName } from '../code/operators.js';
import type { Interval } from '../code/scalar.js';

export type Comparison = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne';

const OTHERWISE: Readonly<Partial<Record<OperatorName, Comparison>>> = {
  lt: 'ge',
  le: 'gt',
  gt: 'le',
  ge: 'lt',
  eq: 'ne',
  ne: 'eq',
};

/** The comparison that holds of numbers where another does not; nothing of what is none. */
export const otherwise = (operator: OperatorName): Comparison | undefined => OTHERWISE[operator];

/** One of what is compared: a literal has no type. */
export interface Compared {
  readonly type: ScalarType | undefined;
  readonly within: Interval | undefined;
}

/** What a comparison that holds says of each of what it compares, as the type in which it does. */
export const sidesOf = (
  comparison: Comparison,
  [x, y]: readonly Compared[],
  as: ScalarType,
): readonly [Interval | undefined, Interval | undefined] => {
  switch (comparison) {
    case 'lt':
    case 'le':
      return [below(x, y, comparison === 'lt', as), above(y, x, comparison === 'lt', as)];
    case 'gt':
    case 'ge':
      return [above(x, y, comparison === 'gt', as), below(y, x, comparison === 'gt', as)];
    case 'eq':
      return [equal(x, y, as), equal(y, x, as)];
    case 'ne':
      return [other(x, y), other(y, x)];
  }
};

const below = (x: Compared, y: Compared, strict: boolean, as: ScalarType): Interval | undefined => {
  const end = rounded(y, as, Math.max);
  if (end === undefined) return undefined;
  return [-Infinity, !isWhole(x) ? end : strict ? Math.ceil(end) - 1 : Math.floor(end)];
};

const above = (x: Compared, y: Compared, strict: boolean, as: ScalarType): Interval | undefined => {
  const end = rounded(y, as, Math.min);
  if (end === undefined) return undefined;
  return [!isWhole(x) ? end : strict ? Math.floor(end) + 1 : Math.ceil(end), Infinity];
};

const equal = (x: Compared, y: Compared, as: ScalarType): Interval | undefined => {
  const [low, high] = [above(x, y, false, as), below(x, y, false, as)];
  return low && high && low[0] <= high[1] ? [low[0], high[1]] : undefined;
};

/** Of whole numbers one that is at an end takes that away. */
const other = (x: Compared, y: Compared): Interval | undefined => {
  if (!isWhole(x) || !x.within || !y.within || y.within[0] !== y.within[1]) return undefined;
  const [least, most] = x.within;
  const [without] = y.within;
  if (least === most) return undefined;
  return without === least ? [least + 1, most] : without === most ? [least, most - 1] : undefined;
};

const isWhole = ({ type }: Compared): boolean => type !== undefined && isInteger(type);

/** An end of the other, which may be another number as f32; integers that f32 does not tell apart are not compared by it. */
const rounded = ({ within }: Compared, as: ScalarType, outer: (a: number, b: number) => number): number | undefined => {
  if (!within) return undefined;
  const end = outer(within[0], within[1]);
  if (as !== 'f32') return end;
  return Math.abs(end) >= 2 ** 24 && isFinite(end) ? undefined : outer(end, Math.fround(end));
};

/** The part of an interval within another; nothing where there is none. */
export const meetOrNone = (a: Interval, b: Interval): Interval | undefined => {
  const [low, high] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  return low <= high ? [low, high] : undefined;
};

/** What lies in both, as far as they are known; of two that have nothing in common the second. */
export const meet = (a: Interval | undefined, b: Interval | undefined): Interval | undefined =>
  a && b ? (meetOrNone(a, b) ?? b) : (a ?? b);
