import { IntList } from '../../decompose/int-list.js';
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
  /** What is evaluated of a stretch, if anything is. */
  readonly of: (stretch: number) => Wanted | undefined;
}

/** What is evaluated of some stretches on a path. */
export interface Wanted {
  readonly form: PathForm;
  /** Operations whose values are needed, ascending. */
  readonly roots: readonly number[];
  /** Leaves that these read. */
  readonly leaves: readonly number[];
}

/**
 * From the last stretch to the first: who reads comes after what is read. Of stretches on one path the same is evaluated, but where that would be much that
 * nobody needs: those of which many need the same are told apart.
 */
export const needed = (stretches: Stretches, made: Made, asked: Int32Array): Needed => {
  const { bases, leafStarts, length } = stretches;
  const limit = stretches.base;
  additionsThatGoOn(stretches, made);
  const values = new Bits(limit);
  const passed = new Bits(limit);
  const of = new Array<Wanted | undefined>(length);
  const choices = new Map<PathForm, Choices>();
  const nothingMade = made.isEmpty;
  const isKnown = (entry: number): boolean => entry >= 0 || (!nothingMade && made.knownOf(~entry) !== -1);
  for (const v of asked) values.set(v);
  const roots = new IntList();
  const pass = (entry: number): void => {
    if (isKnown(entry)) return;
    const v = ~entry;
    /* What several go on from is a sum of its own. */
    if (passed.has(v)) values.set(v);
    else passed.set(v);
  };
  const visit = (s: number, base: number, end: number): void => {
    const form = made.formOf(s);
    const start = leafStarts.at(s);
    roots.length = 0;
    let last = Math.max(values.lastIn(base, end), passed.lastIn(base, end));
    for (; last >= base; last = Math.max(values.lastIn(base, last), passed.lastIn(base, last))) {
      const p = last - base;
      if (form.adds[p] === 0) {
        roots.push(p);
        continue;
      }
      const [before, added] = [beforeOf(form, p), addedIn(form, p)];
      if (!isLeaf(added)) roots.push(added);
      else if (!isKnown(stretches.leaves[start + ~added])) values.set(~stretches.leaves[start + ~added]);
      if (isLeaf(before)) pass(stretches.leaves[start + ~before]);
      else passed.set(base + before);
    }
    if (roots.length === 0) return;
    let known = choices.get(form);
    if (known === undefined) choices.set(form, (known = new Choices(form)));
    of[s] = known.choose(roots.values());
    for (const k of of[s].leaves) {
      const entry = stretches.leaves[start + k];
      if (!isKnown(entry)) values.set(~entry);
    }
  };
  for (let again = true; again;) {
    passed.clear();
    for (let s = length - 1, end = limit; s >= 0; s--) {
      const base = bases.at(s);
      if (of[s] !== undefined || values.lastIn(base, end) >= 0 || passed.lastIn(base, end) >= 0) visit(s, base, end);
      end = base;
    }
    again = false;
    for (const c of choices.values()) again = c.settle() || again;
  }
  return { values: values.members(), rank: (v) => values.rank(v), isValue: (v) => values.has(v), of: (s) => of[s] };
};

/** So many stretches that need the same are told apart from others on their path, */
const MANY = 64;
/** with this many others at the most, */
const MOST_CHOICES = 8;
/** where they need no more different things than these, */
const MOST_KNOWN = 256;
/** and where of the values that would be computed otherwise more than this part is needed by nobody. */
const WASTE = 1 / 8;

/** What stretches on one path need. At first each as it is; then one of those that many need, or all. */
class Choices {
  private readonly sets = new Map<number, { readonly roots: Int32Array; readonly wanted: Wanted; count: number }[]>();
  private kept: ReadonlySet<Wanted> | undefined;
  private readonly all = new Set<number>();
  private ofAll: Wanted;
  private grown = false;
  private known = 0;
  private chosen = 0;
  private needs = 0;

  constructor(private readonly form: PathForm) {
    this.ofAll = { form, roots: [], leaves: [] };
  }

  /** @param roots in any order, some perhaps several times */
  choose(roots: Int32Array): Wanted {
    let hash = roots.length;
    for (const p of roots) hash = Math.imul(hash ^ p, 0x2c1b3c6d) ^ (hash >>> 15);
    let alike = this.sets.get(hash);
    if (alike === undefined) this.sets.set(hash, (alike = []));
    let set = alike.find((s) => s.roots.length === roots.length && s.roots.every((p, i) => p === roots[i]));
    if (set === undefined) {
      alike.push((set = { roots: roots.slice(), wanted: wantedOf(this.form, new Set(roots)), count: 0 }));
      if (++this.known > MOST_KNOWN) this.kept ??= new Set();
    }
    if (this.kept === undefined) {
      set.count++;
      this.chosen++;
      this.needs += set.wanted.roots.length;
      return set.wanted;
    }
    if (this.kept.has(set.wanted)) return set.wanted;
    const before = this.all.size;
    for (const p of set.wanted.roots) this.all.add(p);
    if (this.all.size > before) {
      this.ofAll = wantedOf(this.form, this.all);
      this.grown = true;
    }
    return this.ofAll;
  }

  /** After a sweep: whether another one is needed. */
  settle(): boolean {
    const { grown } = this;
    this.grown = false;
    if (this.kept !== undefined) return grown;
    const sets = [...this.sets.values()].flat();
    const union = new Set(sets.flatMap((s) => s.wanted.roots));
    const wastes = this.needs < (1 - WASTE) * union.size * this.chosen;
    const many = sets.filter((s) => s.count >= MANY).sort((a, b) => b.count - a.count);
    this.kept = new Set((wastes ? many : []).slice(0, MOST_CHOICES).map((s) => s.wanted));
    return sets.length > 1;
  }
}

const wantedOf = (form: PathForm, roots: ReadonlySet<number>): Wanted => {
  const { leaves } = below(form, [...roots]);
  return {
    form,
    roots: [...roots].sort((a, b) => a - b),
    leaves: [...leaves.keys()].filter((k) => leaves[k] === 1),
  };
};

/** How many stretches of a path are looked at. */
const SAMPLE = 256;

/** Of additions to leaves only those count as such where leaves are results of additions: others just read the leaf. */
const additionsThatGoOn = (stretches: Stretches, made: Made): void => {
  const { leafStarts, length } = stretches;
  for (const form of made.allForms()) findAdditions(form, () => true);
  interface Looked {
    readonly form: PathForm;
    readonly goesOn: Uint8Array;
    n: number;
  }
  const looked = new Map<PathForm, Looked>();
  let seen: Looked | undefined;
  for (let s = length - 1; s >= 0; s--) {
    const form = made.formOf(s);
    if (form !== seen?.form) {
      seen = looked.get(form) ?? { form, goesOn: new Uint8Array(form.leafCount), n: 0 };
      looked.set(form, seen);
    }
    if (seen.n++ >= SAMPLE) continue;
    for (let p = 0; p < form.length; p++) {
      if (form.adds[p] === 0 || !isLeaf(beforeOf(form, p))) continue;
      const k = ~beforeOf(form, p);
      const entry = stretches.leaves[leafStarts.at(s) + k];
      if (entry >= 0 || seen.goesOn[k] === 1) continue;
      const stretch = stretches.stretchOf(~entry);
      if (made.formOf(stretch).adds[~entry - stretches.bases.at(stretch)] !== 0) seen.goesOn[k] = 1;
    }
  }
  for (const [form, { goesOn }] of looked) findAdditions(form, (leaf) => goesOn[leaf] === 1);
};
