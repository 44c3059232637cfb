import { Bits } from './bits.js';
import type { Levels } from './levels.js';
import { NO_TERM } from './sum-terms.js';

/** What there is to do level by level, and where that is so little that it is made as nodes. */
export interface LevelPlan {
  /** Ranks of the values of a level. */
  readonly ranksAt: (level: number) => Int32Array;
  /** The groups of a level, by their number. */
  readonly groupsAt: (level: number) => Int32Array;
  readonly count: number;
  /** How many terms the sums of a level have together. */
  readonly termsAt: Int32Array;
  /** 1 for levels whose sums are nodes. */
  readonly thin: Uint8Array;
}

/**
 * Far from the leaves each level is a kernel, which is much for a few sums of a few terms: running sums of which each is kept, a chain of small steps. As nodes they are seen by later
 * stages, which make loops of what repeats from level to level.
 *
 * @param far levels from this one on
 * @param many so many sums, terms of sums or members of a group are no few
 */
export const planLevels = ({ alike, ofValue, lastTerm, terms }: Levels, far: number, many: number): LevelPlan => {
  const values = byLevel(ofValue);
  const groups = byLevel(Int32Array.from(alike, (g) => g.level));
  const count = values.ptr.length - 1;
  const termsAt = new Int32Array(count);
  for (let r = 0; r < ofValue.length; r++)
    for (let t = lastTerm[r]; t !== NO_TERM; t = terms.beforeOf(t)) termsAt[ofValue[r]]++;
  const ranksAt = rowsOf(values);
  const groupsAt = rowsOf(groups);
  const thin = new Uint8Array(count);
  for (let l = far; l < count; l++)
    if (ranksAt(l).length < many && termsAt[l] < many && groupsAt(l).every((g) => alike[g].members.length < many))
      thin[l] = 1;
  return { ranksAt, groupsAt, count, termsAt, thin };
};

/** What sums that are nodes add up: the places of groups, by group, and other values, by rank where they have one. */
export interface ReadAsNodes {
  readonly places: ReadonlyMap<number, ReadonlySet<number>>;
  readonly ranks: Bits;
  readonly earlier: readonly number[];
}

/** What sums of thin levels read. */
export const readByThin = (
  { groupOf, lastTerm, terms, ofValue }: Levels,
  { ranksAt, count, thin }: LevelPlan,
  values: { readonly isValue: (value: number) => boolean; readonly rank: (value: number) => number },
): ReadAsNodes => {
  const places = new Map<number, Set<number>>();
  const ranks = new Bits(ofValue.length);
  const earlier: number[] = [];
  const read = (t: number): void => {
    const stretch = terms.stretchOf(t);
    if (stretch >= 0) {
      const group = groupOf[stretch];
      const known = places.get(group);
      if (known) known.add(terms.placeOf(t));
      else places.set(group, new Set([terms.placeOf(t)]));
      return;
    }
    const value = ~terms.entryOf(t);
    if (value < 0) return;
    if (values.isValue(value)) ranks.set(values.rank(value));
    else earlier.push(value);
  };
  for (let l = 0; l < count; l++)
    if (thin[l] === 1)
      for (const r of ranksAt(l)) for (let t = lastTerm[r]; t !== NO_TERM; t = terms.beforeOf(t)) read(t);
  return { places, ranks, earlier };
};

/** Numbers by level. */
const byLevel = (levels: Int32Array): { ptr: Int32Array; order: Int32Array } => {
  let last = -1;
  for (let r = 0; r < levels.length; r++) if (levels[r] > last) last = levels[r];
  const ptr = new Int32Array(last + 2);
  for (let r = 0; r < levels.length; r++) ptr[levels[r] + 1]++;
  for (let l = 1; l < ptr.length; l++) ptr[l] += ptr[l - 1];
  const next = ptr.slice();
  const order = new Int32Array(levels.length);
  for (let r = 0; r < levels.length; r++) order[next[levels[r]]++] = r;
  return { ptr, order };
};

const NONE = new Int32Array(0);

const rowsOf =
  ({ ptr, order }: { readonly ptr: Int32Array; readonly order: Int32Array }) =>
  (level: number): Int32Array =>
    level + 1 < ptr.length ? order.subarray(ptr[level], ptr[level + 1]) : NONE;
