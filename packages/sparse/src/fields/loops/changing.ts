import type { Region } from '@filigree/ir';

/** What may differ from one iteration of a loop to the next, by id: what is counted, carried and read in it, and all that is made of these. */
export const changingIn = (region: Region, known: Set<number> = new Set()): ReadonlySet<number> => {
  for (const { id } of region.params) known.add(id);
  for (const { name, operands, results, regions } of region.ops) {
    for (const inner of regions) changingIn(inner, known);
    const same = name.startsWith('arith.') && !traps.has(name) && operands.every(({ id }) => !known.has(id));
    if (!same) for (const { id } of results) known.add(id);
  }
  return known;
};

/* These are not computed where the loop does not run. */
const traps: ReadonlySet<string> = new Set(['arith.div', 'arith.rem']);
