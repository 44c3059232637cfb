import { areSideBySide, SIDE_BY_SIDE } from '../harvest/light-sums.js';
import { termStarts, type Harvest, type HarvestedGroup } from '../harvest/harvested.js';

/** Instances among which sums of one length are found: few enough that what they read stays near. */
const WINDOW = 64;
/** Of what sums side by side add up, the share that all of them have together, below which it pays. */
const EVEN = 0.85;

/**
 * An order of units in which sums that are made side by side are as long as their neighbours: as those of vertices, of which some have 24
 * tetrahedra and others 144, are not. Units change places within windows of their group alone. Nothing where no group gains by it.
 */
export const evenLengths = (h: Harvest, order: Int32Array): Int32Array | undefined => {
  const uneven = h.harvested.flatMap((g) => {
    const lengths = unevenLengths(g);
    return lengths === undefined ? [] : [{ g, lengths }];
  });
  if (uneven.length === 0) return undefined;
  const placeOf = new Int32Array(order.length);
  for (let p = 0; p < order.length; p++) placeOf[order[p]] = p;
  const found = order.slice();
  for (const { g, lengths } of uneven) {
    const byPlace = Int32Array.from(g.units.keys()).sort((i, j) => placeOf[g.units[i]] - placeOf[g.units[j]]);
    for (let from = 0; from < byPlace.length; from += WINDOW) {
      const window = byPlace.subarray(from, from + WINDOW);
      const sorted = window
        .slice()
        .sort((i, j) => lengths[j] - lengths[i] || placeOf[g.units[i]] - placeOf[g.units[j]]);
      for (let k = 0; k < window.length; k++) found[placeOf[g.units[window[k]]]] = g.units[sorted[k]];
    }
  }
  return found;
};

/** Terms of each instance, of sums side by side that are of several lengths. */
const unevenLengths = (g: HarvestedGroup): Int32Array | undefined => {
  const n = g.units.length;
  if (g.segments.length === 0 || g.repeated) return undefined;
  const starts = termStarts(g);
  if (!areSideBySide(g, n, starts[n])) return undefined;
  const lengths = Int32Array.from({ length: n }, (_, i) => starts[i + 1] - starts[i]);
  let together = 0;
  for (let i = 0; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE)
    together += SIDE_BY_SIDE * Math.min(...lengths.subarray(i, i + SIDE_BY_SIDE));
  return together < EVEN * starts[n] ? lengths : undefined;
};
