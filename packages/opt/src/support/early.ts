import type { Op, Region, Value } from '@filigree/ir';
import type { Facts } from './facts.js';
import { bodyOf, definedIn } from './values.js';

/**
 * Finds the ops of a loop's body by which values are made of some that are `given` and of what is there before the loop, in order: cloned before the loop, with others in place of the given ones, they make these values there. Nothing where a value is made of
 * something else, or may not be made where the loop does not run.
 */
export const earlyIn = (
  region: Region,
  given: ReadonlySet<number>,
  facts: Facts,
): ((values: readonly Value[]) => readonly Op[] | undefined) => {
  const inside = definedIn(region);
  const made = new Map(bodyOf(region).flatMap((op) => op.results.map((v) => [v.id, op] as const)));
  return (values) => {
    const found = new Set<Op>();
    const isEarly = (v: Value): boolean => {
      if (given.has(v.id) || !inside.has(v.id)) return true;
      const op = made.get(v.id);
      if (op === undefined || op.regions.length > 0 || !facts.speculatable(op)) return false;
      if (!found.has(op) && !op.operands.every(isEarly)) return false;
      found.add(op);
      return true;
    };
    return values.every(isEarly) ? [...found] : undefined;
  };
};
