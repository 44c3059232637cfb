import { rare } from '#rare';
import type { Op, Value } from '@filigree/ir';
import { bodyOf, terminatorOf } from '../support/values.js';

/** Carried values that a loop replaces together, where a number is beyond the one that it keeps: `if (x > best) { best = x; at = k; }`. */
export interface Choice {
  /** What is replaced, by number among the carried values; first the one that is compared. */
  readonly carried: readonly number[];
  readonly keeps: 'min' | 'max';
  /** Whether what is equal replaces it as well: the last of them is kept, else the first. */
  readonly last: boolean;
  /** Where it holds, all of them are replaced. */
  readonly condition: Value;
  /**
   * The carried value that is the iteration of the last replacement, once there was one. What the loop begins with may be anything: where the first is kept, what is equal is of an iteration.
   */
  readonly turn: number | undefined;
}

/** The choices of a loop between carried values that it needs for nothing else. */
export const choicesOf = (loop: Op): readonly Choice[] => (mayChoose(loop) ? rare().choicesIn(loop) : []);

/** Whether a loop leaves what it carries as it is, or replaces it, as few do. */
const mayChoose = (loop: Op): boolean => {
  const body = loop.regions[0]!;
  const carried = new Set(body.params.slice(1).map(({ id }) => id));
  const next = new Set(terminatorOf(body).operands.map(({ id }) => id));
  return bodyOf(body).some(
    ({ name, operands, results }) =>
      name === 'arith.select' && next.has(results[0]!.id) && carried.has(operands[2]!.id),
  );
};
