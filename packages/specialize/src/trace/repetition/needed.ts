import { IntList } from '../../decompose/int-list.js';
import { Bits, firstInEither, isWindow, lastInEither, windowOf } from './bits.js';
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
  const pass = (entry: number): void => {
    if (isKnown(entry)) return;
    const v = ~entry;
    /* What several go on from is a sum of its own. */
    if (passed.has(v)) values.set(v);
    else passed.set(v);
  };
  const read = (entry: number): void => {
    if (!isKnown(entry)) values.set(~entry);
  };
  const [roots, within, before, added] = [new IntList(), new IntList(), new IntList(), new IntList()];
  /* What follows from which values of a stretch are needed. */
  const planOf = (form: PathForm, of: Choices, base: number): Plan => {
    const window = windowOf(values, passed, base, form.length);
    for (const list of [roots, within, before, added]) list.length = 0;
    const own = new Bits(form.length);
    const none = new Bits(form.length);
    own.words.set(window);
    for (let p = lastInEither(own, none, 0, form.length); p >= 0; p = lastInEither(own, none, 0, p)) {
      if (form.adds[p] === 0) {
        roots.push(p);
        continue;
      }
      const [from, what] = [beforeOf(form, p), addedIn(form, p)];
      if (isLeaf(what)) added.push(~what);
      else roots.push(what);
      if (isLeaf(from)) before.push(~from);
      else {
        within.push(from);
        own.set(from);
      }
    }
    return {
      window,
      within: within.values().slice(),
      before: before.values().slice(),
      added: added.values().slice(),
      set: roots.length === 0 ? undefined : of.setOf(roots.values()),
    };
  };
  const visit = (s: number, form: PathForm, base: number, start: number): void => {
    let ofForm = choices.get(form);
    if (ofForm === undefined) choices.set(form, (ofForm = new Choices(form, (w) => all.push(w) - 1)));
    const plan = ofForm.planFor(values, passed, base) ?? ofForm.keep(planOf(form, ofForm, base));
    for (let k = 0; k < plan.within.length; k++) passed.set(base + plan.within[k]);
    for (let k = 0; k < plan.before.length; k++) pass(leaves[start + plan.before[k]]);
    for (let k = 0; k < plan.added.length; k++) read(leaves[start + plan.added[k]]);
    if (plan.set === undefined) return;
    of[s] = ofForm.choose(plan.set);
    const { leaves: own } = all[of[s]]!;
    for (let k = 0; k < own.length; k++) read(leaves[start + own[k]]);
  };
  const sweep = (run: number): void => {
    const form = made.formOf(run);
    const first = runs.firstOf(run);
    for (let s = runs.behind(run) - 1; s >= first; s--) {
      const base = runs.baseIn(run, s);
      const end = base + form.length;
      if (of[s] !== 0 || lastInEither(values, passed, base, end) >= 0) visit(s, form, base, runs.leafStartIn(run, s));
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

/** What follows from which values of a stretch are needed, `window`: of the others those that these go on from; leaves that they go on from, and that they add; and what is evaluated, if anything is. */
interface Plan {
  readonly window: Uint32Array;
  readonly within: Int32Array;
  readonly before: Int32Array;
  readonly added: Int32Array;
  readonly set: RootSet | undefined;
}

/** What some stretches of a path need. */
interface RootSet {
  readonly roots: Int32Array;
  readonly number: number;
  readonly wanted: Wanted;
  count: number;
}

/** Plans that are kept of a path. */
const MOST_PLANS = 32;

/** What stretches on one path need. At first each as it is; then one of those that many need, or all. */
class Choices {
  private readonly sets = new Map<number, RootSet[]>();
  /* The one that was met last is the first. */
  private readonly plans: Plan[] = [];
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

  /** What was found out of a stretch of which the same values are needed. */
  planFor(a: Bits, b: Bits, base: number): Plan | undefined {
    const { plans } = this;
    for (let k = 0; k < plans.length; k++) {
      const plan = plans[k];
      if (!isWindow(plan.window, a, b, base, this.form.length)) continue;
      plans[k] = plans[0];
      plans[0] = plan;
      return plan;
    }
    return undefined;
  }

  keep(plan: Plan): Plan {
    if (this.plans.length < MOST_PLANS) this.plans.push(plan);
    return plan;
  }

  /** @param roots in any order, some perhaps several times */
  setOf(roots: Int32Array): RootSet {
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
    return set;
  }

  /** The number of what is evaluated of a stretch that needs so much. */
  choose(set: RootSet): number {
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

/**
 * Of additions to leaves only those count as such where leaves are results of additions: others just read the leaf. So do those that wait for something else as long as for the leaf, as
 * a place waits for the speed in each step of time: to add up terms later saves nothing then, and what is added would be stored.
 */
const additionsThatGoOn = (stretches: Stretches, made: Made): void => {
  const { runs, leaves } = stretches;
  for (const form of made.allForms()) findAdditions(form, () => true);
  const looked = new Map<PathForm, { readonly goesOn: Uint8Array; n: number }>();
  let steps: Int32Array | undefined;
  const waitsAnyway = (form: PathForm, start: number, before: number): boolean => {
    if (!readsOthers(form, leaves, start)) return false;
    /* Most add what is computed of inputs alone to what such as they have added. */
    const ofBefore = runs.runOf(before);
    const alike = readsOthers(made.formOf(ofBefore), leaves, runs.leafStartIn(ofBefore, before));
    if (alike && ofInputs(form, start)) return false;
    steps ??= stepsBefore(stretches, made);
    return stepsTo(stretches, form, start, steps, 0) >= steps[before];
  };
  const ofInputs = (form: PathForm, start: number): boolean => {
    for (let k = 0; k < form.leafCount; k++) {
      const entry = leaves[start + k];
      if (entry >= 0 || form.goesOn[k] === 1) continue;
      const run = runs.runOfValue(~entry);
      const read = runs.leafStartIn(run, runs.stretchIn(run, ~entry));
      for (let i = 0; i < runs.leavesOf(run); i++) if (leaves[read + i] < 0) return false;
    }
    return true;
  };
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
        const before = runs.stretchIn(of, ~entry);
        const place = ~entry - runs.baseIn(of, before);
        if (made.formOf(of).adds[place] !== 0 && !waitsAnyway(form, start, before)) seen.goesOn[k] = 1;
      }
    }
  }
  for (const [form, { goesOn }] of looked) findAdditions(form, (leaf) => goesOn[leaf] === 1);
};

/** Whether a stretch reads values that it does not just add to. */
const readsOthers = ({ goesOn }: PathForm, leaves: Int32Array, start: number): boolean => {
  for (let k = 0; k < goesOn.length; k++) if (goesOn[k] === 0 && leaves[start + k] < 0) return true;
  return false;
};

/** How many stretches in a row are before each that read one another. */
const stepsBefore = (stretches: Stretches, made: Made): Int32Array => {
  const { runs } = stretches;
  const steps = new Int32Array(stretches.length);
  for (let run = 0; run < runs.count; run++) {
    const form = made.formOf(run);
    for (let s = runs.firstOf(run); s < runs.behind(run); s++) {
      const start = runs.leafStartIn(run, s);
      steps[s] = Math.max(stepsTo(stretches, form, start, steps, 0) + 1, stepsTo(stretches, form, start, steps, 1));
    }
  }
  return steps;
};

/** The most steps that are before what a stretch adds to, or before what else it reads; −1 where that is nothing. */
const stepsTo = (
  { runs, leaves }: Stretches,
  { goesOn }: PathForm,
  start: number,
  steps: Int32Array,
  adds: 0 | 1,
): number => {
  let most = -1;
  for (let k = 0; k < goesOn.length; k++) {
    const entry = leaves[start + k];
    if (goesOn[k] === adds && entry < 0) most = Math.max(most, steps[runs.stretchOf(~entry)]);
  }
  return most;
};
