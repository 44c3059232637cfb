import { IntList } from '../../decompose/int-list.js';
import { Bits, firstInEither, lastInEither } from './bits.js';
import type { Made } from './made.js';
import { addedIn, beforeOf, below, findAdditions, isLeaf, type PathForm } from './path-form.js';
import type { Stretches } from './stretches.js';

/** What is needed so that some values can be had. */
export interface Needed {
  /** Values that are read from memory, ascending: those that are asked for, and those that stretches read. */
  readonly values: Int32Array;
  readonly isValue: (value: number) => boolean;
  readonly rank: (value: number) => number;
  /** How many values there are that a sum goes on from and nobody else reads, and which of them one is. */
  readonly passed: number;
  readonly isPassed: (value: number) => boolean;
  readonly passedRank: (value: number) => number;
  /** The first value of `[from, to)` that is one or the other, or −1. */
  readonly firstIn: (from: number, to: number) => number;
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
  const { runs, leaves, length } = stretches;
  const limit = stretches.base;
  additionsThatGoOn(stretches, made);
  const values = new Bits(limit);
  const passed = new Bits(limit);
  const all: (Wanted | undefined)[] = [undefined];
  /* By stretch the number of what is evaluated of it, 0 for nothing. */
  const of = new Int32Array(length);
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
  const visit = (s: number, form: PathForm, base: number, end: number, start: number): void => {
    roots.length = 0;
    for (let last = lastInEither(values, passed, base, end); last >= base;) {
      const p = last - base;
      if (form.adds[p] === 0) roots.push(p);
      else {
        const [before, added] = [beforeOf(form, p), addedIn(form, p)];
        if (!isLeaf(added)) roots.push(added);
        else if (!isKnown(leaves[start + ~added])) values.set(~leaves[start + ~added]);
        if (isLeaf(before)) pass(leaves[start + ~before]);
        else passed.set(base + before);
      }
      last = lastInEither(values, passed, base, last);
    }
    if (roots.length === 0) return;
    let known = choices.get(form);
    if (known === undefined) choices.set(form, (known = new Choices(form, (w) => all.push(w) - 1)));
    of[s] = known.choose(roots.values());
    for (const k of all[of[s]]!.leaves) {
      const entry = leaves[start + k];
      if (!isKnown(entry)) values.set(~entry);
    }
  };
  const sweep = (run: number): void => {
    const form = made.formOf(run);
    const first = runs.firstOf(run);
    for (let s = runs.behind(run) - 1; s >= first; s--) {
      const base = runs.baseIn(run, s);
      const end = base + form.length;
      if (of[s] !== 0 || lastInEither(values, passed, base, end) >= 0)
        visit(s, form, base, end, runs.leafStartIn(run, s));
    }
  };
  for (let again = true; again;) {
    passed.clear();
    for (let run = runs.count - 1; run >= 0; run--) sweep(run);
    again = false;
    for (const c of choices.values()) again = c.settle() || again;
  }
  passed.remove(values);
  return {
    values: values.members(),
    isValue: (v) => values.has(v),
    rank: (v) => values.rank(v),
    passed: passed.ranked(),
    isPassed: (v) => passed.has(v),
    passedRank: (v) => passed.rank(v),
    firstIn: (from, to) => firstInEither(values, passed, from, to),
    of: (s) => all[of[s]],
  };
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
  private readonly sets = new Map<
    number,
    { readonly roots: Int32Array; readonly number: number; readonly wanted: Wanted; count: number }[]
  >();
  /** Which of those that were met stay as they are. */
  private kept: ReadonlySet<number> | undefined;
  private readonly all = new Set<number>();
  private ofAll = 0;
  private grown = false;
  private known = 0;
  private chosen = 0;
  private needs = 0;

  /** @param numberOf a number for what may be evaluated of stretches, from 1 */
  constructor(
    private readonly form: PathForm,
    private readonly numberOf: (wanted: Wanted) => number,
  ) {}

  /**
   * The number of what is evaluated of a stretch.
   *
   * @param roots in any order, some perhaps several times
   */
  choose(roots: Int32Array): number {
    let hash = roots.length;
    for (const p of roots) hash = Math.imul(hash ^ p, 0x2c1b3c6d) ^ (hash >>> 15);
    let alike = this.sets.get(hash);
    if (alike === undefined) this.sets.set(hash, (alike = []));
    let set = alike.find((s) => s.roots.length === roots.length && s.roots.every((p, i) => p === roots[i]));
    if (set === undefined) {
      const wanted = wantedOf(this.form, new Set(roots));
      alike.push((set = { roots: roots.slice(), number: this.numberOf(wanted), wanted, count: 0 }));
      if (++this.known > MOST_KNOWN) this.kept ??= new Set();
    }
    if (this.kept === undefined) {
      set.count++;
      this.chosen++;
      this.needs += set.wanted.roots.length;
      return set.number;
    }
    if (this.kept.has(set.number)) return set.number;
    const before = this.all.size;
    for (const p of set.wanted.roots) this.all.add(p);
    if (this.all.size > before) {
      this.ofAll = this.numberOf(wantedOf(this.form, this.all));
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
    this.kept = new Set((wastes ? many : []).slice(0, MOST_CHOICES).map((s) => s.number));
    return sets.length > 1 && sets.length > this.kept.size;
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
  const { runs, leaves } = stretches;
  for (const form of made.allForms()) findAdditions(form, () => true);
  const looked = new Map<PathForm, { readonly goesOn: Uint8Array; n: number }>();
  for (let run = runs.count - 1; run >= 0; run--) {
    const form = made.formOf(run);
    let seen = looked.get(form);
    if (seen === undefined) looked.set(form, (seen = { goesOn: new Uint8Array(form.leafCount), n: 0 }));
    const first = runs.firstOf(run);
    for (let s = runs.behind(run) - 1; s >= first && seen.n < SAMPLE; s--, seen.n++) {
      const start = runs.leafStartIn(run, s);
      for (let p = 0; p < form.length; p++) {
        if (form.adds[p] === 0 || !isLeaf(beforeOf(form, p))) continue;
        const k = ~beforeOf(form, p);
        const entry = leaves[start + k];
        if (entry >= 0 || seen.goesOn[k] === 1) continue;
        const of = runs.runOfValue(~entry);
        const place = ~entry - runs.baseIn(of, runs.stretchIn(of, ~entry));
        if (made.formOf(of).adds[place] !== 0) seen.goesOn[k] = 1;
      }
    }
  }
  for (const [form, { goesOn }] of looked) findAdditions(form, (leaf) => goesOn[leaf] === 1);
};
