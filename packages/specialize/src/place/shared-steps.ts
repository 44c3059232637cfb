import { inARow } from '../decompose/in-a-row.js';

/** What tables have of the steps of a loop: step s the entries `starts[s] .. starts[s + 1])`. */
export interface OfSteps {
  readonly starts: Int32Array;
  /** Positions, which may all be more in one step than in another. */
  readonly positions: readonly Int32Array[];
  /** Values, which may not. */
  readonly values: readonly (Int32Array | Float64Array)[];
}

/** Which steps of a loop have the tables of others. */
export interface SharedSteps {
  /** The steps whose tables are kept, and for each step which of these has its tables. */
  readonly kept: readonly number[];
  readonly like: Int32Array;
}

/** Steps whose tables are kept that others are compared with: steps of a loop are mostly like the one before. */
const COMPARED = 4;
/** Of so many steps one is kept at the most. */
const LEAST_ALIKE = 2;

/** Undefined where steps have too little in common. */
export const sharedSteps = (steps: number, parts: readonly OfSteps[]): SharedSteps | undefined => {
  const kept: number[] = [];
  const like = new Int32Array(steps);
  for (let s = 0; s < steps; s++) {
    const late = s > 0 && parts.every((part) => isLike(part, s, kept[like[s - 1]])) ? like[s - 1] : -1;
    const from = Math.max(0, kept.length - COMPARED);
    const found =
      late >= 0 ? late : kept.slice(from).findIndex((known) => parts.every((part) => isLike(part, s, known)));
    like[s] = late >= 0 ? late : found >= 0 ? from + found : kept.push(s) - 1;
    if (kept.length * LEAST_ALIKE > steps) return undefined;
  }
  return { kept, like };
};

const isLike = ({ starts, positions, values }: OfSteps, s: number, t: number): boolean => {
  const [from, to] = [starts[s], starts[t]];
  const count = starts[s + 1] - from;
  return (
    starts[t + 1] - to === count &&
    positions.every((column) => isShifted(column, from, to, count)) &&
    values.every((column) => isEqual(column, from, to, count))
  );
};

const isShifted = (column: Int32Array, from: number, to: number, count: number): boolean => {
  const shift = column[from] - column[to];
  for (let i = 1; i < count; i++) if (column[from + i] - column[to + i] !== shift) return false;
  return true;
};

const isEqual = (column: Int32Array | Float64Array, from: number, to: number, count: number): boolean => {
  for (let i = 0; i < count; i++) if (!Object.is(column[from + i], column[to + i])) return false;
  return true;
};

/** Where the entries of steps that are kept begin, and the last ends. */
export const keptStarts = ({ kept }: SharedSteps, starts: Int32Array): Int32Array => {
  const out = new Int32Array(kept.length + 1);
  for (const [k, s] of kept.entries()) out[k + 1] = out[k] + starts[s + 1] - starts[s];
  return out;
};

/** The entries of steps that are kept. */
export const keptOf = <T extends Int32Array | Float64Array>({ kept }: SharedSteps, column: T, starts: Int32Array): T =>
  inARow(
    kept.map((s) => column.subarray(starts[s], starts[s + 1]) as T),
    column.constructor as new (length: number) => T,
  );

/** Where terms of instances begin, of steps that are kept. */
export const keptPtr = ({ kept }: SharedSteps, ptr: Int32Array, starts: Int32Array): Int32Array => {
  const out = new Int32Array(kept.reduce((n, s) => n + starts[s + 1] - starts[s], 1));
  let at = 0;
  for (const s of kept)
    for (let i = starts[s]; i < starts[s + 1]; i++, at++) out[at + 1] = out[at] + ptr[i + 1] - ptr[i];
  return out;
};

/** By how much positions of each step are more than those of the step that has its tables. */
export const shiftsOf = ({ kept, like }: SharedSteps, column: Int32Array, starts: Int32Array): Int32Array =>
  like.map((k, s) => (starts[s] === starts[s + 1] ? 0 : column[starts[s]] - column[starts[kept[k]]]));
