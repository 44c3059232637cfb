import type { Made } from './made.js';
import type { Needed, Wanted } from './needed.js';
import type { Stretches } from './stretches.js';
import type { TermWalk } from './term-walk.js';

/** Stretches on one path of which the same is evaluated, and of which none reads what another computes. */
export interface Alike {
  readonly wanted: Wanted;
  readonly level: number;
  readonly members: readonly number[];
}

/** In which order what is needed can be computed. */
export interface Levels {
  readonly alike: readonly Alike[];
  /** Of each live stretch the number of its group, and which of its members it is. */
  readonly groupOf: Int32Array;
  readonly memberOf: Int32Array;
  /** Of needed values: the level of what they are computed from. */
  readonly ofValue: Int32Array;
}

export const levelsOf = (stretches: Stretches, made: Made, n: Needed, terms: TermWalk): Levels => {
  const { bases, leafStarts, length } = stretches;
  const level = new Int32Array(length);
  const ofValue = new Int32Array(n.values.length);
  const groupOf = new Int32Array(length).fill(-1);
  const memberOf = new Int32Array(length);
  const alike: { wanted: Wanted; level: number; members: number[] }[] = [];
  const known = new Map<Wanted, Map<number, number>>();
  const levelAbove = (entry: number): number => (entry >= 0 || !n.isValue(~entry) ? 0 : ofValue[n.rank(~entry)] + 1);
  let next = 0;
  for (let s = 0; s < length; s++) {
    const end = s + 1 < length ? bases.at(s + 1) : stretches.base;
    const hasValues = next < n.values.length && n.values[next] < end;
    const wanted = n.of(s);
    if (wanted === undefined && !hasValues) continue;
    const form = made.formOf(s);
    if (wanted !== undefined) {
      let l = 0;
      for (const k of wanted.leaves) l = Math.max(l, levelAbove(stretches.leaves[leafStarts.at(s) + k]));
      level[s] = l;
      let ofWanted = known.get(wanted);
      if (ofWanted === undefined) known.set(wanted, (ofWanted = new Map()));
      let group = ofWanted.get(l);
      if (group === undefined) ofWanted.set(l, (group = alike.push({ wanted, level: l, members: [] }) - 1));
      groupOf[s] = group;
      memberOf[s] = alike[group].members.push(s) - 1;
    }
    for (; next < n.values.length && n.values[next] < end; next++) {
      const value = n.values[next];
      if (form.adds[value - bases.at(s)] === 0) ofValue[next] = level[s];
      else {
        terms.collect(value, s);
        let l = 0;
        for (let t = 0; t < terms.length; t++) {
          const stretch = terms.stretchAt(t);
          l = Math.max(l, stretch < 0 ? levelAbove(terms.entryAt(t)) : level[stretch]);
        }
        ofValue[next] = l;
      }
    }
  }
  return { alike, groupOf, memberOf, ofValue };
};
