import { pass, type Pass, checkOptions } from '@filigree/ir';
import type { Decomposition } from '../decompose/decompose.js';
import { inARow } from '../decompose/in-a-row.js';
import { groupSpec, defaultOptions, type GroupOptions } from '../options.js';
import { cutHashes, type CutHashes } from './cut-hash.js';
import { destinations, type Destinations } from './destinations.js';
import type { Group } from './groups.js';
import { repeatLevels } from './loops.js';
import { exactGroups, unitStructures } from './structure.js';
import { rollSums } from './sums.js';

/** A decomposition, and its units in groups. */
export interface Grouping extends Decomposition {
  readonly hashes: CutHashes;
  readonly destinations: Destinations;
  /** In launch order. */
  readonly groups: readonly Group[];
}

/**
 * Groups units by structure and level; sums are regrouped by `rollSums`, so that irregular structures need few kernels and no
 * kernel is long.
 *
 * @param together whether levels of few sums are alike whatever these add up
 */
export const group = (given?: Partial<GroupOptions>, together = false): Pass<Decomposition, Grouping> => {
  const options = { ...defaultOptions.group, ...checkOptions('group', given, groupSpec) };
  return pass('group', (d) => {
    const hashes = cutHashes(d);
    const dest = destinations(d, hashes);
    const structureOf = unitStructures(d, hashes, dest);
    const exact = exactGroups(d, structureOf);
    const rolled = rollSums(d, hashes, dest, exact, structureOf, options, together);
    const ofElements = new Set(d.elementLevels.flatMap(({ values, sums }) => [values, sums]));
    const groups = repeatLevels(rolled, ofElements, (of, level, repeated): Group => ({
      ...of[0],
      ...{ level, repeated },
      units: inARow(
        of.map((g) => g.units),
        Int32Array,
      ),
    }));
    groups.sort((a, b) => a.level - b.level || a.units[0] - b.units[0]);
    return { ...d, hashes, destinations: dest, groups };
  });
};
