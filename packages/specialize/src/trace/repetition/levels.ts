import { SUB } from '@filigree/ir';
import type { Made } from './made.js';
import type { Needed, Wanted } from './needed.js';
import { addedIn, beforeOf, isLeaf, type PathForm } from './path-form.js';
import type { Stretches } from './stretches.js';
import { NO_TERM, SumTerms } from './sum-terms.js';

/** Stretches on one path of which the same is evaluated, and of which none reads what another computes. */
export interface Alike {
  readonly wanted: Wanted;
  readonly level: number;
  readonly members: readonly number[];
}

/** In which order what is needed can be computed, and of what. */
export interface Levels {
  readonly alike: readonly Alike[];
  /** Of each live stretch the number of its group, and which of its members it is. */
  readonly groupOf: Int32Array;
  readonly memberOf: Int32Array;
  /** Of needed values: the level of what they are computed from, and the last of the terms that they are the sum of. */
  readonly ofValue: Int32Array;
  readonly lastTerm: Int32Array;
  readonly terms: SumTerms;
}

/**
 * In one sweep in the order of the program: an addition goes on from the terms of the one before, so that nobody walks back to where a sum begins. A sum that is read ends with itself.
 */
export const levelsOf = (stretches: Stretches, made: Made, n: Needed): Levels => {
  const { runs, leaves, length } = stretches;
  const level = new Int32Array(length);
  const groupOf = new Int32Array(length).fill(-1);
  const memberOf = new Int32Array(length);
  const alike: { wanted: Wanted; level: number; members: number[] }[] = [];
  const known = new Map<Wanted, Map<number, number>>();
  const terms = new SumTerms(n.values.length + n.passed + 1);
  const ofValue = new Int32Array(n.values.length);
  const lastTerm = new Int32Array(n.values.length);
  /* The same of sums that go on, by where they are. */
  const ofPassed = new Int32Array(n.passed);
  const lastOfPassed = new Int32Array(n.passed);
  const levelAbove = (entry: number): number => (entry >= 0 || !n.isValue(~entry) ? 0 : ofValue[n.rank(~entry)] + 1);
  let [next, nextPassed] = [0, 0];
  const newest = { wanted: undefined as Wanted | undefined, level: -1, group: -1 };
  const groupFor = (wanted: Wanted, l: number): number => {
    let ofWanted = known.get(wanted);
    if (ofWanted === undefined) known.set(wanted, (ofWanted = new Map()));
    let group = ofWanted.get(l);
    if (group === undefined) ofWanted.set(l, (group = alike.push({ wanted, level: l, members: [] }) - 1));
    return group;
  };
  const evaluate = (s: number, wanted: Wanted, start: number): void => {
    const { leaves: own } = wanted;
    let l = 0;
    for (let k = 0; k < own.length; k++) {
      const entry = leaves[start + own[k]];
      if (entry < 0) l = Math.max(l, levelAbove(entry));
    }
    level[s] = l;
    /* Stretches that follow one another are mostly alike. */
    if (newest.wanted !== wanted || newest.level !== l) {
      newest.wanted = wanted;
      newest.level = l;
      newest.group = groupFor(wanted, l);
    }
    groupOf[s] = newest.group;
    memberOf[s] = alike[newest.group].members.push(s) - 1;
  };
  const note = (v: number, l: number, last: number): void => {
    if (n.isPassed(v)) {
      ofPassed[nextPassed] = l;
      lastOfPassed[nextPassed++] = last;
    } else {
      ofValue[next] = l;
      lastTerm[next++] = last;
    }
  };
  const add = (s: number, form: PathForm, base: number, p: number, start: number): void => {
    const [before, added] = [beforeOf(form, p), addedIn(form, p)];
    const from = isLeaf(before) ? leaves[start + ~before] : ~(base + before);
    let l = 0;
    let last = NO_TERM;
    if (from < 0 && n.isPassed(~from)) {
      const at = n.passedRank(~from);
      l = ofPassed[at];
      last = lastOfPassed[at];
    } else {
      l = levelAbove(from);
      last = terms.push(from, -1, 0, NO_TERM);
    }
    const negative = form.code[p] === SUB ? 1 : 0;
    if (isLeaf(added)) {
      const entry = leaves[start + ~added];
      note(base + p, Math.max(l, levelAbove(entry)), terms.push(entry, -1, negative, last));
    } else note(base + p, Math.max(l, level[s]), terms.push(added, s, negative, last));
  };
  const sweep = (run: number): void => {
    const form = made.formOf(run);
    for (let s = runs.firstOf(run); s < runs.behind(run); s++) {
      const base = runs.baseIn(run, s);
      const end = base + form.length;
      const start = runs.leafStartIn(run, s);
      const wanted = n.of(s);
      if (wanted !== undefined) evaluate(s, wanted, start);
      for (let v = n.firstIn(base, end); v >= 0; v = n.firstIn(v + 1, end)) {
        const p = v - base;
        if (form.adds[p] === 0) note(v, level[s], terms.push(p, s, 0, NO_TERM));
        else add(s, form, base, p, start);
      }
    }
  };
  for (let run = 0; run < runs.count; run++) sweep(run);
  return { alike, groupOf, memberOf, ofValue, lastTerm, terms };
};
