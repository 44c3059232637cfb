import type { Box } from '../sets/box.js';
import { orBits } from '../sets/bits.js';
import type { Range } from './query.js';

/** Points of one variable that are those of another, moved: x is in `to` where x + by is in `from`, for x within ranges. */
export interface Move {
  readonly to: number;
  readonly from: number;
  readonly by: readonly number[];
  readonly ranges: readonly Range[];
}

/** A move with its source. */
export interface Slice extends Move {
  readonly fromBox: Box;
  readonly source: Uint32Array;
}

/** One value of the first iterator, row after row of the last: what lies at places from ≤ c < end of the target. */
export const moveSlice = (
  { by, ranges, fromBox, source }: Slice,
  x: number,
  to: Box,
  target: Uint32Array,
  from: number,
  end: number,
): void => {
  const dims = ranges.length;
  const at = ranges.map((r) => r.min);
  const tops = ranges.map((r) => r.max);
  at[0] = x;
  const width = dims === 1 ? 1 : ranges[dims - 1].max - ranges[dims - 1].min + 1;
  if (dims > 2) {
    /* Rows that reach into the part. */
    const begin = (x - to.lower[0]) * to.strides[0];
    at[1] = Math.max(at[1], to.lower[1] + Math.floor((from - begin) / to.strides[1]));
    tops[1] = Math.min(tops[1], to.lower[1] + Math.floor((end - 1 - begin) / to.strides[1]));
    if (at[1] > tops[1]) return;
  }
  for (;;) {
    const row = codeOf(to, at);
    const skipped = Math.max(0, from - row);
    const moved = codeOf(fromBox, at, by);
    orBits(target, row + skipped, source, moved + skipped, Math.min(row + width, end) - row - skipped);
    let d = dims - 2;
    while (d > 0 && at[d] === tops[d]) at[d] = ranges[d--].min;
    if (d <= 0) return;
    at[d]++;
  }
};

const NOWHERE: readonly number[] = [];

/** The code in a box of a point, moved by so much. */
const codeOf = ({ lower, strides }: Box, at: readonly number[], by = NOWHERE): number => {
  let code = 0;
  for (let d = 0; d < at.length; d++) code += (at[d] + (by[d] ?? 0) - lower[d]) * strides[d];
  return code;
};
