import type { Repetition } from '../group/groups.js';

/** Step s of a group that repeats runs its instances `starts[s] .. starts[s+1])`. */
export const stepStarts = (units: Int32Array, level: Int32Array, { first, period, steps }: Repetition): Int32Array => {
  const starts = new Int32Array(steps + 1);
  for (let i = 0; i < units.length; i++) starts[1 + Math.floor((level[units[i]] - first) / period)]++;
  for (let s = 0; s < steps; s++) starts[s + 1] += starts[s];
  return starts;
};

/** Whether each step has one instance. */
export const oneEach = (starts: Int32Array): boolean => starts.every((start, s) => start === s);
