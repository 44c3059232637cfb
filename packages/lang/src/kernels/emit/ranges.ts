import type { Attrs } from '@filigree/ir';
import { someInstruction, type Block, type Range } from '../code/code.js';

/** The ranges of a loop over a box, the outermost first. */
export type Ranges = readonly Range[];

/** The greatest number of iterations of one loop. */
export const MOST_ITERATIONS = 2 ** 31 - 1;

/** Whether a range has too few iterations for a parallel loop of its own. */
export const isShort = (range: Range): boolean => lengthOf(range) < SHORT;

/**
 * How many of the last ranges stay loops of their own where the others become one: elements of the last one are neighbours, which lanes want, and of one that is short those of the last two are.
 */
export const keptOf = (bounds: Ranges): number => {
  const length = (from: number, to: number): number =>
    bounds.slice(from, to).reduce((n, range) => n * lengthOf(range), 1);
  const [all, last] = [bounds.length, lengthOf(bounds[bounds.length - 1])];
  const kept = last >= LANES || all < 3 ? 1 : 2;
  return length(all - kept, all) >= LANES && length(0, all - kept) >= LANES ? kept : 0;
};

/** The innermost of nested loops wants lanes, as one over active elements does. The iterations of those around are as independent. */
export const lanesOf = (k: number, bounds: Ranges): Attrs =>
  k === bounds.length - 1 ? { simd: true } : { independent: true };

/** Whether the iterations of a loop can be lanes: nothing in it updates what others do, or changes structures. */
export const takesLanes = (body: Block): boolean =>
  !someInstruction(body, (i) => i.do === 'atomic' || i.do === 'reduce' || i.do === 'structure');

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

/** A range this long fills the lanes of a few vectors, and the threads of a small machine. */
const LANES = 16;

/** Iterations of a range where that is known, else NaN. */
const lengthOf = ([from, to]: Range): number =>
  from.is === 'literal' && to.is === 'literal' ? Number(to.value) - Number(from.value) : NaN;
