import { bitCount, forEachRunOfBits } from './bits.js';
import type { Box } from './box.js';
import { ownMemory } from './memory.js';

/**
 * A set of integer points within a box, by their codes: sorted runs of consecutive codes where it is sparse, one bit a code
 * where it is dense. Immutable.
 */
export interface PointSet {
  readonly box: Box;
  readonly count: number;
  readonly runs: Runs | undefined;
  readonly bits: Uint32Array | undefined;
}

/** Codes starts[r] ≤ c < ends[r]; runs are in order and do not touch. */
export interface Runs {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

/** Every point of the box. */
export const fullSet = (box: Box): PointSet => ({
  box,
  count: box.size,
  runs: box.size === 0 ? NO_RUNS : { starts: Float64Array.of(0), ends: Float64Array.of(box.size) },
  bits: undefined,
});

export const emptySet = (box: Box): PointSet => ({ box, count: 0, runs: NO_RUNS, bits: undefined });

const NO_RUNS: Runs = { starts: new Float64Array(0), ends: new Float64Array(0) };

/** The set of codes that stand in runs, in any order, overlapping or not. */
export const setOfRuns = (box: Box, starts: Float64Array, ends: Float64Array, allocate = ownMemory): PointSet => {
  let sorted = true;
  for (let r = 1; r < starts.length && sorted; r++) sorted = starts[r] >= starts[r - 1];
  const order = sorted ? undefined : sortedOrder(starts);
  const s = new Float64Array(allocate(8 * starts.length));
  const e = new Float64Array(allocate(8 * starts.length));
  let n = 0;
  let count = 0;
  for (let k = 0; k < starts.length; k++) {
    const r = order === undefined ? k : order[k];
    if (n > 0 && starts[r] <= e[n - 1]) {
      if (ends[r] <= e[n - 1]) continue;
      count += ends[r] - e[n - 1];
      e[n - 1] = ends[r];
    } else if (ends[r] > starts[r]) {
      s[n] = starts[r];
      e[n++] = ends[r];
      count += ends[r] - starts[r];
    }
  }
  return { box, count, runs: { starts: s.subarray(0, n), ends: e.subarray(0, n) }, bits: undefined };
};

const sortedOrder = (keys: Float64Array): Uint32Array =>
  Uint32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b]);

/** How many points and runs bits have. */
export interface Survey {
  readonly count: number;
  readonly runs: number;
}

/** Points, and runs that begin, among the words from ≤ w < to. */
export const surveyOf = (bits: Uint32Array, from: number, to: number): Survey => {
  let count = 0;
  let runs = 0;
  let carry = from === 0 ? 0 : bits[from - 1] >>> 31;
  for (let w = from; w < to; w++) {
    const word = bits[w];
    if (word !== 0) {
      count += bitCount(word);
      runs += bitCount(word & ~((word << 1) | carry));
    }
    carry = word >>> 31;
  }
  return { count, runs };
};

/** The set of codes whose bit is set; it keeps the bits unless runs take less. */
export const setOfBits = (
  box: Box,
  bits: Uint32Array,
  { count, runs } = surveyOf(bits, 0, bits.length),
  allocate = ownMemory,
): PointSet => {
  /* A run takes 16 bytes, a word 4. */
  if (runs * 4 > bits.length) return { box, count, runs: undefined, bits };
  const starts = new Float64Array(allocate(8 * runs));
  const ends = new Float64Array(allocate(8 * runs));
  let n = 0;
  forEachRunOfBits(bits, (from, to) => {
    starts[n] = from;
    ends[n++] = to;
  });
  return { box, count, runs: { starts, ends }, bits: undefined };
};

/** Visits the runs of consecutive codes, in order. */
export const forEachRun = (set: PointSet, visit: (start: number, end: number) => void): void => {
  if (set.bits !== undefined) return forEachRunOfBits(set.bits, visit);
  const { starts, ends } = set.runs!;
  for (let r = 0; r < starts.length; r++) visit(starts[r], ends[r]);
};

/** The same with runs cut where the last subscript starts again. */
export const forEachRowRun = (set: PointSet, visit: (start: number, end: number) => void): void => {
  const { extent } = set.box;
  const width = extent[extent.length - 1] ?? 1;
  forEachRun(set, (start, end) => {
    let from = start;
    for (let row = (Math.floor(from / width) + 1) * width; row < end; row += width) {
      visit(from, row);
      from = row;
    }
    visit(from, end);
  });
};

/** Whether a code is in the set. */
export const hasCode = (set: PointSet, code: number): boolean => {
  if (set.bits !== undefined) return ((set.bits[Math.floor(code / 32)] >>> (code % 32)) & 1) === 1;
  const { starts, ends } = set.runs!;
  let [lo, hi] = [0, starts.length];
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (ends[mid] > code) hi = mid;
    else lo = mid + 1;
  }
  return lo < starts.length && starts[lo] <= code;
};
