import { fail } from '@filigree/ir';
import type { Ordered } from '../order/order.js';
import type { Movable } from './movable.js';

/**
 * Positions of intermediates, launch by launch. Values that are read often stand in the order in which
 * units run, where readers that are neighbours find neighbours; values that are read once or twice stand in the order in
 * which their group computes them, so that they are written consecutively without an index table.
 */
export const placeIntermediates = (h: Ordered, groups: readonly Movable[]): { slot: Int32Array; count: number } => {
  const { order, level, ptr, roots } = h;
  const { read } = h.destinations;
  const levels = slotsOfLevels(h);
  const count = levels.reduce((n, l) => n + l.values, 0);
  if (count > MAX_POSITIONS)
    fail('place/too-large', `${count} intermediate values do not fit 32-bit positions`, {
      remedy: 'split the program',
    });
  if (count === 0) return { slot: NO_SLOTS, count };
  const slot = new Int32Array(h.ids);
  const often = Uint8Array.from(levels, (l) => (l.often ? 1 : 0));
  /* The next position of each level. */
  const next = Int32Array.from(levels, (l) => l.at);
  for (let i = 0; i < order.length; i++) {
    const u = order[i];
    const l = level[u];
    if (often[l] === 1) for (let r = ptr[u]; r < ptr[u + 1]; r++) if (read[r] === 1) slot[roots[r]] = next[l]++;
  }
  for (const { move, units } of groups) {
    if (move) continue;
    const values = ptr[units[0] + 1] - ptr[units[0]];
    for (let k = 0; k < values; k++)
      for (let i = 0; i < units.length; i++) {
        const l = level[units[i]];
        const r = ptr[units[i]] + k;
        if (often[l] === 0 && read[r] === 1) slot[roots[r]] = next[l]++;
      }
  }
  return { slot, count };
};

const NO_SLOTS = new Int32Array(0);

/** Loads a value from which the order of reads matters more than the order of writes. */
const OFTEN = 2.5;

interface LevelSlots {
  /** Position of the level's first value. */
  readonly at: number;
  readonly values: number;
  /** Whether the level's values are read often. */
  readonly often: boolean;
}

const slotsOfLevels = (h: Ordered): LevelSlots[] => {
  const { ptr, level } = h;
  const { read } = h.destinations;
  const values = new Int32Array(h.loadsOfLevel.length);
  for (let u = 0; u + 1 < ptr.length; u++) for (let r = ptr[u]; r < ptr[u + 1]; r++) values[level[u]] += read[r];
  let at = 0;
  return Array.from(values, (n, l) => {
    const slots = { at, values: n, often: h.loadsOfLevel[l] >= OFTEN * n };
    at += n;
    return slots;
  });
};

const MAX_POSITIONS = 2 ** 31 - 1;
