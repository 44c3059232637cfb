import type { Range } from '../code/code.js';

/** The ranges of a loop over a box, the outermost first. */
export type Ranges = readonly Range[];

/** The greatest number of iterations of one loop. */
export const MOST_ITERATIONS = 2 ** 31 - 1;

/** Whether a range has too few iterations for a parallel loop of its own. */
export const isShort = (range: Range): boolean => lengthOf(range) < SHORT;

/** The lengths of the first ranges, as far as they are known, and have together no more combinations than one loop has. */
export const knownPrefix = (bounds: Ranges): readonly number[] => {
  const lengths: number[] = [];
  let combinations = 1;
  for (const range of bounds) {
    const length = Math.max(0, lengthOf(range));
    combinations *= length;
    if (!(combinations <= MOST_ITERATIONS)) break;
    lengths.push(length);
  }
  return lengths;
};

/** Whether a range of unknown length begins at zero, so that no i32 overflows. */
export const isFromZero = ([from, to, step]: Range): boolean =>
  from.is === 'literal' && from.value === 0 && to.is !== 'literal' && step === undefined;

/** Fewer iterations than this are not worth a parallel loop of their own. */
const SHORT = 64;

/** Iterations of a range where that is known, else NaN. */
const lengthOf = ([from, to]: Range): number =>
  from.is === 'literal' && to.is === 'literal' ? Number(to.value) - Number(from.value) : NaN;
