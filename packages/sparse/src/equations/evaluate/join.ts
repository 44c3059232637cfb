import type { Affine } from '../../trace/piece.js';
import { isConstant } from '../sets/conjunction.js';
import { findChild, firstFrom, rootSize, type Trie } from '../sets/trie.js';
import { boundAt } from './order.js';
import {
  levelPlans,
  pointsUpTo,
  rowsOf,
  tallyOf,
  type Compiled,
  type Condition,
  type LevelPlan,
  type Rows,
  type Tally,
} from './levels.js';
import type { Query } from './query.js';

/** Takes what a query finds, as codes of the result's box. */
export interface Sink {
  /** base + stride·x for lo ≤ x ≤ hi. */
  readonly add: (base: number, stride: number, lo: number, hi: number) => void;
  /** base + x for all x of the runs first ≤ n < end of a trie. */
  readonly addRuns: (base: number, runs: Trie, first: number, end: number) => void;
  /** Only counts: takes how many points there are where that is known, and `addRuns` for codes base + stride·x too. */
  readonly count?: (points: number) => void;
  /** Whether codes from ≤ c < to are all there. A join goes on with the next row then. */
  readonly isFull?: (from: number, to: number) => boolean;
}

/** A query made ready: an order of its iterators, and a trie of each set in the order in which its subscripts are bound. */
export interface Prepared {
  readonly query: Query;
  readonly order: readonly number[];
  readonly tries: readonly (Trie | undefined)[];
}

/** The order of an atom's subscripts that fits an order of iterators. */
export const subscriptOrder = (at: readonly Affine[], order: readonly number[]): readonly number[] =>
  at
    .map((f, k) => ({ k, l: boundAt(f, order) }))
    .sort((a, b) => a.l - b.l || a.k - b.k)
    .map(({ k }) => k);

/**
 * Visits the points of a query's result: iterators are bound one after another, each by the set with the fewest values to
 * offer, and the others are asked; runs of the last one are handed on whole. Points come once for each binding of the
 * iterators up to the last that is kept.
 */
export const runJoin = (p: Prepared, sink: Sink): void => new Join(p, sink).run();

/** How many points a join visits. */
export const countOf = (p: Prepared): number => {
  let count = 0;
  /* Points up to each run of the trie that is handed over. */
  let known: Trie | undefined;
  let upTo: Float64Array = new Float64Array(0);
  runJoin(p, {
    add: (_base, _stride, lo, hi) => void (count += hi - lo + 1),
    count: (points) => void (count += points),
    addRuns: (_base, runs, first, end) => {
      if (runs !== known) [known, upTo] = [runs, pointsUpTo(runs)];
      count += upTo[end] - upTo[first];
    },
  });
  return count;
};

class Join {
  private readonly x: Float64Array;
  private readonly levels: readonly LevelPlan[];
  private readonly tries: readonly (Trie | undefined)[];
  /** The nodes of each atom's current level: from[atom][level] ≤ n < to[atom][level]. */
  private readonly from: Int32Array[];
  private readonly to: Int32Array[];
  /** The node entered last above each atom's last level. */
  private readonly node: Int32Array;
  private readonly headBase: number;
  /** From this level on one point is enough. */
  private readonly exists: number;
  /** Rows of the result that several bindings add to. */
  private readonly rows: Rows | undefined;
  /** Where the points of the last level are known without going there. */
  private readonly tally: Tally | undefined;
  private rowCode = 0;
  private rowIsFull = false;
  /** Points that were added since it was last seen not to be full. */
  private added = 0;

  constructor(
    { query: q, order, tries }: Prepared,
    private readonly sink: Sink,
  ) {
    this.x = new Float64Array(q.dims);
    this.tries = tries;
    this.from = tries.map((t) => new Int32Array((t?.order.length ?? 0) + 1));
    this.to = tries.map((t) => new Int32Array((t?.order.length ?? 0) + 1));
    this.node = new Int32Array(tries.length);
    this.headBase = q.head.reduce((n, _, k) => n - q.result.lower[k] * q.result.strides[k], 0);
    this.exists = Math.max(-1, ...q.head.map((d) => order.indexOf(d))) + 1;
    this.levels = levelPlans(q, order, tries);
    this.rows = sink.isFull === undefined ? undefined : rowsOf(this.levels);
    this.tally = sink.count === undefined ? undefined : tallyOf(this.levels, tries);
    this.start = this.initial(q, order);
  }

  private readonly start: boolean;

  run(): void {
    if (!this.start) return;
    this.rowCode = this.headBase;
    if (this.levels.length === 0) this.sink.add(this.headBase, 0, 0, 0);
    else this.step(0, this.headBase);
  }

  /** Asks now and then whether a row is full. */
  private grew({ min, max, conditions }: Rows, by: number): void {
    this.added += by;
    if (this.added <= max - min) return;
    let [lo, hi] = [min, max];
    for (const c of conditions) [lo, hi] = this.narrowed(c, lo, hi);
    if (this.added <= hi - lo) return;
    this.added = 0;
    this.rowIsFull = this.sink.isFull!(this.rowCode + lo, this.rowCode + hi + 1);
  }

  /** Whether what a level found will do. */
  private isDone(l: number): boolean {
    return l >= this.exists || (this.rowIsFull && l > this.rows!.level);
  }

  /** Conditions and subscripts that name no iterator; false where there is no point. */
  private initial(q: Query, order: readonly number[]): boolean {
    for (const f of q.where) if (isConstant(f) && f.constant < 0) return false;
    for (const r of q.ranges) if (r.min > r.max) return false;
    return q.atoms.every((a, atom) => {
      const trie = this.tries[atom];
      if (trie === undefined) {
        /* A growing set without iterators to bind it is asked here. */
        if ('set' in a.in || Math.max(-1, ...a.at.map((f) => boundAt(f, order))) >= 0) return true;
        const { box, has } = a.in;
        return has(a.at.reduce((n, f, k) => n + (f.constant - box.lower[k]) * box.strides[k], 0));
      }
      if ('set' in a.in && a.in.set.count === 0) return false;
      this.from[atom][0] = 0;
      this.to[atom][0] = rootSize(trie);
      return trie.order.every((k, level) => !isConstant(a.at[k]) || this.descend(atom, level, a.at[k].constant));
    });
  }

  /** Goes below a value; false where it is missing. */
  private descend(atom: number, level: number, value: number): boolean {
    const trie = this.tries[atom]!;
    const n = findChild(trie, level, this.from[atom][level], this.to[atom][level], value);
    if (n < 0) return false;
    this.enter(trie, atom, level, n);
    return true;
  }

  private enter(trie: Trie, atom: number, level: number, n: number): void {
    if (level >= trie.values.length) return;
    if (level === trie.values.length - 1) this.node[atom] = n;
    this.from[atom][level + 1] = trie.begin[level][n];
    this.to[atom][level + 1] = trie.begin[level][n + 1];
  }

  /** Binds the iterator of a level and all below it; tells whether there was a point. */
  private step(l: number, code: number): boolean {
    const plan = this.levels[l];
    let { min: lo, max: hi } = plan;
    for (const c of plan.conditions) [lo, hi] = this.narrowed(c, lo, hi);
    if (lo > hi) return false;
    const isLast = l === this.levels.length - 1;
    const { drives } = plan;
    if (drives.length === 0) {
      if (isLast && plan.probes.length === 0) {
        this.emitRun(l, code, plan.stride, lo, hi);
        return true;
      }
      let found = false;
      for (let x = lo; x <= hi; x++) {
        if (this.at(l, plan, -1, code, x)) {
          if (this.isDone(l)) return true;
          found = true;
        }
      }
      return found;
    }
    let driver = 0;
    let fewest = Infinity;
    for (let k = 0; k < drives.length; k++) {
      const { atom, trieLevel } = drives[k];
      const size = this.to[atom][trieLevel] - this.from[atom][trieLevel];
      if (size < fewest) [driver, fewest] = [k, size];
    }
    return this.drive(l, plan, driver, code, lo, hi, isLast);
  }

  private drive(
    l: number,
    plan: LevelPlan,
    driver: number,
    code: number,
    lo: number,
    hi: number,
    isLast: boolean,
  ): boolean {
    const { atom, trieLevel, coef, rest } = plan.drives[driver];
    const trie = this.tries[atom]!;
    const r = this.value(rest);
    const begin = this.from[atom][trieLevel];
    const end = this.to[atom][trieLevel];
    const leaf = trieLevel === trie.values.length;
    const least = coef > 0 ? coef * lo + r : coef * hi + r;
    const most = coef > 0 ? coef * hi + r : coef * lo + r;
    const first = firstFrom(trie, trieLevel, begin, end, least);
    /* Whole runs, where nothing else is to be asked. */
    const whole = isLast && leaf && plan.drives.length === 1 && plan.checks.length === 0 && plan.probes.length === 0;
    let found = false;
    if (!leaf) {
      const values = trie.values[trieLevel];
      for (let n = first; n < end && values[n] <= most; n++) {
        const x = (values[n] - r) / coef;
        if (coef !== 1 && coef !== -1 && !Number.isInteger(x)) continue;
        this.enter(trie, atom, trieLevel, n);
        if (this.at(l, plan, driver, code, x)) {
          if (this.isDone(l)) return true;
          found = true;
        }
      }
      return found;
    }
    if (whole && coef === 1 && (plan.stride === 1 || this.sink.count !== undefined) && l < this.exists) {
      const last = trie.hi[end - 1] <= most ? end : afterLast(trie, first, end, most);
      if (first < last && trie.lo[first] >= least) {
        this.sink.addRuns(code - r, trie, first, last);
        if (this.rows !== undefined) this.grew(this.rows, last - first);
        if (last === end || trie.lo[last] > most) return true;
        this.emitRun(l, code, plan.stride, trie.lo[last] - r, most - r);
        return true;
      }
    }
    for (let n = first; n < end && trie.lo[n] <= most; n++) {
      const a = Math.max(trie.lo[n], least);
      const b = Math.min(trie.hi[n], most);
      if (whole && (coef === 1 || coef === -1)) {
        if (coef === 1) this.emitRun(l, code, plan.stride, a - r, b - r);
        else this.emitRun(l, code, plan.stride, r - b, r - a);
        if (this.isDone(l)) return true;
        found = true;
        continue;
      }
      for (let v = a; v <= b; v++) {
        const x = (v - r) / coef;
        if (coef !== 1 && coef !== -1 && !Number.isInteger(x)) continue;
        if (this.at(l, plan, driver, code, x)) {
          if (this.isDone(l)) return true;
          found = true;
        }
      }
    }
    return found;
  }

  /** An iterator at a value that its driver offers: asks all others, and goes on. */
  private at(l: number, plan: LevelPlan, driver: number, code: number, x: number): boolean {
    this.x[plan.iterator] = x;
    const { drives, checks, probes } = plan;
    for (let k = 0; k < drives.length; k++) {
      if (k === driver) continue;
      const s = drives[k];
      if (!this.descend(s.atom, s.trieLevel, s.coef * x + this.value(s.rest))) return false;
    }
    for (const s of checks) if (!this.descend(s.atom, s.trieLevel, s.coef * x + this.value(s.rest))) return false;
    for (const p of probes) {
      if (p.inside.some(({ f, min, max }) => this.value(f) < min || this.value(f) > max)) return false;
      if (!p.has(this.value(p.code))) return false;
    }
    if (this.tally !== undefined && l === this.levels.length - 2) {
      const { atom, upTo } = this.tally;
      const n = this.node[atom];
      this.sink.count!(upTo[n + 1] - upTo[n]);
      return true;
    }
    if (l < this.levels.length - 1) {
      const next = code + plan.stride * x;
      if (this.rows?.level === l) {
        this.rowCode = next;
        this.rowIsFull = false;
        this.added = 0;
      }
      return this.step(l + 1, next);
    }
    this.emitRun(l, code, plan.stride, x, x);
    return true;
  }

  private emitRun(l: number, code: number, stride: number, lo: number, hi: number): void {
    if (l >= this.exists) this.sink.add(code, 0, 0, 0);
    else this.sink.add(code, stride, lo, hi);
    if (this.rows !== undefined) this.grew(this.rows, hi - lo + 1);
  }

  /** The bounds of an iterator under a condition. */
  private narrowed({ coef, rest }: Condition, lo: number, hi: number): readonly [number, number] {
    const r = this.value(rest);
    return coef > 0 ? [Math.max(lo, Math.ceil(-r / coef)), hi] : [lo, Math.min(hi, Math.floor(r / -coef))];
  }

  private value({ constant, at, coefs }: Compiled): number {
    let sum = constant;
    for (let k = 0; k < at.length; k++) sum += coefs[k] * this.x[at[k]];
    return sum;
  }
}

/** Behind the last run that ends at or before a value. */
const afterLast = (t: Trie, from: number, to: number, value: number): number => {
  let [lo, hi] = [from, to];
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (t.hi[mid] <= value) lo = mid + 1;
    else hi = mid;
  }
  return lo;
};
