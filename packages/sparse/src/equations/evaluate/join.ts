import { bitCount, forEachRunOfBits, wordFrom } from '../sets/bits.js';
import { isConstant } from '../sets/conjunction.js';
import { findChild, firstFrom, rootSize, type Trie } from '../sets/trie.js';
import { Counter } from './counter.js';
import { boundAt } from './order.js';
import {
  levelPlans,
  rowsOf,
  type BitRow,
  type Compiled,
  type Condition,
  type LevelPlan,
  type Rows,
  type Subscripted,
} from './levels.js';
import type { Prepared } from './prepared.js';

/** Receives what a query finds, as codes of the result's box. */
export interface Sink {
  /** base + stride·x for lo ≤ x ≤ hi. */
  readonly add: (base: number, stride: number, lo: number, hi: number) => void;
  /** base + x for all x of the runs first ≤ n < end of a trie. */
  readonly addRuns: (base: number, runs: Trie, first: number, end: number) => void;
  /** base + n for all n < length with bit from + n set. */
  readonly addBits?: (base: number, bits: Uint32Array, from: number, length: number) => void;
  /** Whether all codes from ≤ c < to are there; the join then continues with the next row. */
  readonly isFull?: (from: number, to: number) => boolean;
}

/**
 * Visits the points of a query's result. Iterators are bound one after another, each by the set that offers the fewest values,
 * which are then looked up in the other sets; runs of the last iterator are passed on whole. Points come once for each binding
 * of the iterators up to the last one that is kept.
 */
export const runJoin = (p: Prepared, sink: Sink): void => new Join(p, sink).run();

/** How many points a join visits that keeps all of its iterators. */
export const countOf = (p: Prepared): number => {
  const counter = new Counter(p);
  new Join(p, NOWHERE, counter).run();
  return counter.total;
};

const NOWHERE: Sink = { add: () => undefined, addRuns: () => undefined };

class Join {
  private readonly x: Float64Array;
  private readonly levels: readonly LevelPlan[];
  private readonly tries: readonly (Trie | undefined)[];
  /** The nodes of each atom's current level: from[atom][level] ≤ n < to[atom][level]. */
  private readonly from: Int32Array[];
  private readonly to: Int32Array[];
  /** The node entered last above each atom's last level. */
  private readonly node: Int32Array;
  /** Where each row of bits stands, by slot. */
  private readonly base: Float64Array;
  private readonly headBase: number;
  /** From this level on one point is enough. */
  private readonly exists: number;
  /** Rows of the result that several bindings add to. */
  private readonly rows: Rows | undefined;
  private rowCode = 0;
  private rowIsFull = false;
  /** Points that were added since it was last seen not to be full. */
  private added = 0;
  private scratch = new Uint32Array(0);
  private readonly start: boolean;

  constructor(
    p: Prepared,
    private readonly sink: Sink,
    private readonly counter?: Counter,
  ) {
    const { query: q, order, tries } = p;
    this.x = new Float64Array(q.dims);
    this.tries = tries;
    this.from = tries.map((t) => new Int32Array((t?.order.length ?? 0) + 1));
    this.to = tries.map((t) => new Int32Array((t?.order.length ?? 0) + 1));
    this.node = new Int32Array(tries.length);
    this.base = new Float64Array(p.tables.length);
    this.headBase = q.head.reduce((n, _, k) => n - q.result.lower[k] * q.result.strides[k], 0);
    this.exists = Math.max(-1, ...q.head.map((d) => order.indexOf(d))) + 1;
    this.levels = levelPlans(p);
    this.rows = sink.isFull === undefined ? undefined : rowsOf(this.levels);
    this.start = this.initial(p);
  }

  run(): void {
    if (!this.start) return;
    this.rowCode = this.headBase;
    if (this.levels.length === 0) this.emitRun(0, this.headBase, 0, 0, 0);
    else this.step(0, this.headBase);
  }

  /** Asks occasionally whether a row is full. */
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
  private initial({ query: q, order, tables, grown }: Prepared): boolean {
    for (const f of q.where) if (isConstant(f) && f.constant < 0) return false;
    for (const r of q.ranges) if (r.min > r.max) return false;
    return q.atoms.every((a, atom) => {
      const trie = this.tries[atom];
      if (trie === undefined) {
        /* A set without iterators to bind it is asked here. */
        if (Math.max(-1, ...a.at.map((f) => boundAt(f, order))) >= 0) return true;
        const { box } = (tables[atom] ?? grown[atom])!;
        if (a.at.some((f, k) => f.constant < box.lower[k] || f.constant >= box.lower[k] + box.extent[k])) return false;
        const code = (strides: readonly number[]): number =>
          a.at.reduce((n, f, k) => n + (f.constant - box.lower[k]) * strides[k], 0);
        const table = tables[atom];
        return table === undefined ? grown[atom]!.has(code(box.strides)) : isSet(table.bits, code(table.strides));
      }
      this.from[atom][0] = 0;
      this.to[atom][0] = rootSize(trie);
      return trie.order.every((k, level) => !isConstant(a.at[k]) || this.descend(atom, level, a.at[k].constant));
    });
  }

  /** Descends to a value; false if it is missing. */
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

  /** Binds the iterator of a level and all below it; returns whether there was a point. */
  private step(l: number, code: number): boolean {
    const plan = this.levels[l];
    let { min: lo, max: hi } = plan;
    for (const c of plan.conditions) [lo, hi] = this.narrowed(c, lo, hi);
    for (const row of plan.rows) {
      if (!this.areInside(row.inside)) return false;
      for (const c of row.within) [lo, hi] = this.narrowed(c, lo, hi);
      this.base[row.slot] = this.value(row.base);
    }
    if (lo > hi) return false;
    const { counter } = this;
    if (counter?.free[l] === true) {
      return counter.product(
        () => this.step(l + 1, code),
        () => this.bind(l, plan, code, lo, hi, true),
      );
    }
    return this.bind(l, plan, code, lo, hi, l === this.levels.length - 1);
  }

  /** Tries the values of an iterator. */
  private bind(l: number, plan: LevelPlan, code: number, lo: number, hi: number, isLast: boolean): boolean {
    const { drives } = plan;
    if (drives.length === 0) {
      if (plan.probes.length === 0) {
        if (plan.rows.length > 0 && plan.aligned) return this.words(l, plan, code, lo, hi, isLast);
        if (plan.rows.length === 0 && isLast) {
          this.emitRun(l, code, plan.stride, lo, hi);
          return true;
        }
      }
      let found = false;
      for (let x = lo; x <= hi; x++) {
        if (this.at(l, plan, -1, code, x, isLast)) {
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

  /** The values that all rows of bits have, a word at a time. */
  private words(l: number, plan: LevelPlan, code: number, lo: number, hi: number, isLast: boolean): boolean {
    const { rows } = plan;
    const length = hi - lo + 1;
    if (!isLast || this.counter !== undefined || l >= this.exists) {
      let found = false;
      let count = 0;
      for (let c = 0; c < length; c += 32) {
        let word = this.wordOf(rows, lo + c, length - c);
        if (word === 0) continue;
        if (isLast && this.counter !== undefined) count += bitCount(word);
        else if (isLast) {
          this.emitRun(l, code, 0, 0, 0);
          return true;
        } else
          for (; word !== 0; word &= word - 1) {
            const x = lo + c + 31 - Math.clz32(word & -word);
            if (!this.at(l, plan, IN_ROWS, code, x, false)) continue;
            if (this.isDone(l)) return true;
            found = true;
          }
      }
      if (isLast) this.counter?.add(count);
      return found || count > 0;
    }
    const { addBits } = this.sink;
    if (rows.length === 1 && plan.stride === 1 && addBits !== undefined)
      addBits(code + lo, rows[0].bits, this.base[rows[0].slot] + lo, length);
    else {
      const words = (length + 31) >>> 5;
      if (this.scratch.length < words) this.scratch = new Uint32Array(words);
      const all = this.scratch.subarray(0, words);
      for (let w = 0; w < words; w++) all[w] = this.wordOf(rows, lo + w * 32, length - w * 32);
      if (plan.stride === 1 && addBits !== undefined) addBits(code + lo, all, 0, length);
      else
        forEachRunOfBits(all, (from, to) => {
          this.sink.add(code, plan.stride, lo + from, lo + to - 1);
        });
    }
    if (this.rows !== undefined) this.grew(this.rows, length);
    return true;
  }

  /** Which of the next 32 values, or fewer, from x on all rows have. */
  private wordOf(rows: readonly BitRow[], x: number, length: number): number {
    let word = length < 32 ? 0xffffffff >>> (32 - length) : -1;
    for (let k = 0; k < rows.length && word !== 0; k++) word &= wordFrom(rows[k].bits, this.base[rows[k].slot] + x);
    return word;
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
    const alone = plan.drives.length === 1 && plan.checks.length + plan.probes.length + plan.rows.length === 0;
    const whole = isLast && leaf && alone;
    let found = false;
    if (!leaf) {
      const values = trie.values[trieLevel];
      for (let n = first; n < end && values[n] <= most; n++) {
        const x = (values[n] - r) / coef;
        if (coef !== 1 && coef !== -1 && !Number.isInteger(x)) continue;
        this.enter(trie, atom, trieLevel, n);
        if (this.at(l, plan, driver, code, x, isLast)) {
          if (this.isDone(l)) return true;
          found = true;
        }
      }
      return found;
    }
    if (whole && coef === 1 && (plan.stride === 1 || this.counter !== undefined) && l < this.exists) {
      const last = trie.hi[end - 1] <= most ? end : afterLast(trie, first, end, most);
      if (first < last && trie.lo[first] >= least) {
        if (this.counter !== undefined) this.counter.addRuns(trie, first, last);
        else this.sink.addRuns(code - r, trie, first, last);
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
        if (this.at(l, plan, driver, code, x, isLast)) {
          if (this.isDone(l)) return true;
          found = true;
        }
      }
    }
    return found;
  }

  /**
   * Tries a value that the driver of an iterator offers: looks it up in all other sets and, if they have it, continues.
   */
  private at(l: number, plan: LevelPlan, driver: number, code: number, x: number, isLast: boolean): boolean {
    this.x[plan.iterator] = x;
    const { drives, checks, probes } = plan;
    for (let k = 0; k < drives.length; k++) {
      if (k === driver) continue;
      const s = drives[k];
      if (!this.descend(s.atom, s.trieLevel, s.coef * x + this.value(s.rest))) return false;
    }
    for (const s of checks) if (!this.descend(s.atom, s.trieLevel, s.coef * x + this.value(s.rest))) return false;
    if (driver !== IN_ROWS) for (const r of plan.rows) if (!isSet(r.bits, this.base[r.slot] + r.step * x)) return false;
    for (const p of probes) if (!this.areInside(p.inside) || !p.has(this.value(p.code))) return false;
    if (this.counter?.tally !== undefined && !isLast && l === this.levels.length - 2) {
      this.counter.addBelow(this.node[this.counter.tally.atom]);
      return true;
    }
    if (!isLast) {
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
    if (this.counter !== undefined) this.counter.add(hi - lo + 1);
    else if (l >= this.exists) this.sink.add(code, 0, 0, 0);
    else this.sink.add(code, stride, lo, hi);
    if (this.rows !== undefined) this.grew(this.rows, hi - lo + 1);
  }

  /** The bounds of an iterator under a condition. */
  private narrowed({ coef, rest }: Condition, lo: number, hi: number): readonly [number, number] {
    const r = this.value(rest);
    return coef > 0 ? [Math.max(lo, Math.ceil(-r / coef)), hi] : [lo, Math.min(hi, Math.floor(r / -coef))];
  }

  private areInside(inside: readonly Subscripted[]): boolean {
    for (const { f, min, max } of inside) {
      const v = this.value(f);
      if (v < min || v > max) return false;
    }
    return true;
  }

  private value({ constant, at, coefs }: Compiled): number {
    let sum = constant;
    for (let k = 0; k < at.length; k++) sum += coefs[k] * this.x[at[k]];
    return sum;
  }
}

/** A driver of values that rows of bits have. */
const IN_ROWS = -2;

const isSet = (bits: Uint32Array, at: number): boolean => ((bits[at >>> 5] >>> (at & 31)) & 1) === 1;

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
