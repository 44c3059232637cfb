import { byteSize, integerRange, isInteger, type ScalarType } from '@filigree/ir';
import { union, wordOf } from '../code/interval.js';
import { holds } from '../code/kinds.js';
import type { Interval, Literal, Temp } from '../code/scalar.js';
import type { Types } from './infer.js';

/** Of one number. */
export const literalInterval = ({ value }: Literal): Interval | undefined => {
  const x = typeof value === 'boolean' ? Number.NaN : Number(value);
  return Number.isNaN(x) ? undefined : [x, x];
};

/** What a type of few bits holds. */
export const narrow = (s: Temp, types: Types): Interval | undefined => {
  const type = types.typeOf(s);
  return type !== 'i1' && isInteger(type) && byteSize(type) < 4 ? wordOf(s, types.typeOf) : undefined;
};

/** Whether all that lies in the first lies in the second; in nothing known lies all. */
export const isIn = (a: Interval | undefined, b: Interval | undefined): boolean =>
  b === undefined || (a !== undefined && a[0] >= b[0] && a[1] <= b[1]);

/** With all that a type has on some of its sides. */
export const beyond = (
  within: Interval | undefined,
  low: boolean,
  high: boolean,
  type: ScalarType,
): Interval | undefined => {
  if (!within || type === 'i1') return undefined;
  const [least, most] = isInteger(type) && byteSize(type) <= 4 ? integerRange(type).map(Number) : [-Infinity, Infinity];
  return [low ? least : within[0], high ? most : within[1]];
};

/** As numbers of a type: as f32 the greatest number below 256 is 256, if it is written with more digits than that holds. Of integers, if it holds them all. */
export const asType = (within: Interval | undefined, type: ScalarType): Interval | undefined => {
  if (!within || type === 'i1') return undefined;
  if (type === 'f64') return within;
  if (type === 'f32') return [Math.fround(within[0]), Math.fround(within[1])];
  return within.every((x) => holds(type, x)) ? within : undefined;
};

/** What a cast makes of floats: it cuts off the fraction, and makes 0 of NaN. */
export const cut = (within: Interval): Interval => union([Math.trunc(within[0]), Math.trunc(within[1])], [0, 0]);
