import { Bits } from './bits.js';
import type { Made } from './made.js';
import { addedIn, beforeOf, below, findAdditions, isLeaf, type PathForm } from './path-form.js';
import type { Stretches } from './stretches.js';

/** What is needed so that some values can be had. */
export interface Needed {
  /** Values that are read from memory, ascending: those that are asked for, and those that stretches read. */
  readonly values: Int32Array;
  readonly rank: (value: number) => number;
  readonly isValue: (value: number) => boolean;
  /** 1 for stretches of which values are evaluated. */
  readonly live: Uint8Array;
  /** Operations whose values are needed, of stretches on a path. */
  readonly rootsOf: (form: PathForm) => readonly number[];
  /** Leaves that these read. */
  readonly leavesOf: (form: PathForm) => readonly number[];
}

interface Wanted {
  readonly roots: Set<number>;
  leaves: readonly number[];
}

/** From the last stretch to the first: who reads comes after what is read. */
export const needed = (stretches: Stretches, made: Made, asked: Int32Array): Needed => {
  const { bases, leafStarts, length } = stretches;
  const limit = stretches.base;
  additionsThatGoOn(stretches, made);
  const values = new Bits(limit);
  const passed = new Bits(limit);
  const live = new Uint8Array(length);
  const wanted = new Map<PathForm, Wanted>();
  const wantedOf = (form: PathForm): Wanted => {
    let known = wanted.get(form);
    if (known === undefined) wanted.set(form, (known = { roots: new Set(), leaves: [] }));
    return known;
  };
  const nothingMade = made.isEmpty;
  const isKnown = (entry: number): boolean => entry >= 0 || (!nothingMade && made.nodeOf(~entry) >= 0);
  for (const v of asked) values.set(v);
  let grown = false;
  const visit = (s: number, base: number, end: number): void => {
    const form = made.formOf(s);
    const start = leafStarts.at(s);
    const w = wantedOf(form);
    let last = Math.max(values.lastIn(base, end), passed.lastIn(base, end));
    const root = (p: number): void => {
      live[s] = 1;
      if (w.roots.has(p)) return;
      w.roots.add(p);
      w.leaves = leavesBelow(form, w.roots);
      grown = true;
    };
    const pass = (entry: number): void => {
      if (isKnown(entry)) return;
      const v = ~entry;
      /* What several go on from is a sum of its own. */
      if (passed.has(v)) values.set(v);
      else passed.set(v);
    };
    for (; last >= base; last = Math.max(values.lastIn(base, last), passed.lastIn(base, last))) {
      const p = last - base;
      if (form.adds[p] === 0) {
        root(p);
        continue;
      }
      const [before, added] = [beforeOf(form, p), addedIn(form, p)];
      if (!isLeaf(added)) root(added);
      else if (!isKnown(stretches.leaves[start + ~added])) values.set(~stretches.leaves[start + ~added]);
      if (isLeaf(before)) pass(stretches.leaves[start + ~before]);
      else {
        passed.set(base + before);
      }
    }
    if (live[s] === 1)
      for (const k of w.leaves) {
        const entry = stretches.leaves[start + k];
        if (!isKnown(entry)) values.set(~entry);
      }
  };
  do {
    grown = false;
    passed.clear();
    for (let s = length - 1, end = limit; s >= 0; s--) {
      const base = bases.at(s);
      if (live[s] === 1 || values.lastIn(base, end) >= 0 || passed.lastIn(base, end) >= 0) visit(s, base, end);
      end = base;
    }
  } while (grown);
  return {
    values: values.members(),
    rank: (v) => values.rank(v),
    isValue: (v) => values.has(v),
    live,
    rootsOf: (form) => [...(wanted.get(form)?.roots ?? [])].sort((a, b) => a - b),
    leavesOf: (form) => wanted.get(form)?.leaves ?? [],
  };
};

const leavesBelow = (form: PathForm, roots: ReadonlySet<number>): number[] => {
  const { leaves } = below(form, [...roots]);
  return [...leaves.keys()].filter((k) => leaves[k] === 1);
};

/** How many stretches of a path are looked at. */
const SAMPLE = 256;

/** Of additions to leaves only those count as such where leaves are results of additions: others just read the leaf. */
const additionsThatGoOn = (stretches: Stretches, made: Made): void => {
  const { leafStarts, length } = stretches;
  for (const form of made.allForms()) findAdditions(form, () => true);
  const looked = new Map<PathForm, { n: number; goesOn: Uint8Array }>();
  for (let s = length - 1; s >= 0; s--) {
    const form = made.formOf(s);
    let seen = looked.get(form);
    if (seen === undefined) looked.set(form, (seen = { n: 0, goesOn: new Uint8Array(form.leafCount) }));
    if (seen.n++ >= SAMPLE) continue;
    for (let p = 0; p < form.length; p++) {
      if (form.adds[p] === 0 || !isLeaf(beforeOf(form, p))) continue;
      const k = ~beforeOf(form, p);
      const entry = stretches.leaves[leafStarts.at(s) + k];
      if (entry >= 0 || seen.goesOn[k] === 1) continue;
      const stretch = made.stretchOf(~entry);
      if (made.formOf(stretch).adds[~entry - stretches.bases.at(stretch)] !== 0) seen.goesOn[k] = 1;
    }
  }
  for (const [form, { goesOn }] of looked) findAdditions(form, (leaf) => goesOn[leaf] === 1);
};
