import type { Trie } from '../sets/trie.js';
import type { Prepared } from './prepared.js';
import { levelPlans, pointsUpTo, tallyOf, type Tally } from './levels.js';
import { freeLevels } from './order.js';

/** Counts the points of a join, those of independent iterators as products. */
export class Counter {
  total = 0;
  /** Levels whose iterator has no say in how many points there are below. */
  readonly free: readonly boolean[];
  /** Where the points of the last level are known without going there. */
  readonly tally: Tally | undefined;
  private times = 1;
  private readonly points = new Map<Trie, Float64Array>();

  constructor(p: Prepared) {
    this.free = freeLevels(p.query, p.order);
    if (this.free[this.free.length - 2] !== true) this.tally = tallyOf(levelPlans(p), p.tries);
  }

  add(points: number): void {
    this.total += this.times * points;
  }

  /** The points of runs first ≤ n < end. */
  addRuns(runs: Trie, first: number, end: number): void {
    if (runs.lo === runs.hi) return this.add(end - first);
    let upTo = this.points.get(runs);
    if (upTo === undefined) this.points.set(runs, (upTo = pointsUpTo(runs)));
    this.add(upTo[end] - upTo[first]);
  }

  /** The points below a node above the last level. */
  addBelow(node: number): void {
    const { upTo } = this.tally!;
    this.add(upTo[node + 1] - upTo[node]);
  }

  /** Counts `below` once, and then `values` that many times over. */
  product(below: () => boolean, values: () => boolean): boolean {
    const { total, times } = this;
    this.total = 0;
    this.times = 1;
    below();
    const each = this.total;
    this.total = total;
    if (each === 0) return false;
    this.times = times * each;
    values();
    this.times = times;
    return true;
  }
}
