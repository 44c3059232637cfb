import { fail } from '@filigree/ir';
import { countNonzeros, type IndexedPattern, volume } from './boolean-tensor.js';
import { contractPatterns } from './contract.js';
import { countAlong, positionsOf, projectPattern, stridesIn } from './rearrange.js';
import type { Shrunk } from './shrink.js';
import type { ContractionTree } from './tree.js';

const MAX_FACTORS = 30;
/** Splits of all subsets are 3ⁿ. */
const EXHAUSTIVE = 10;
/** Intermediate results beyond this are not made. */
const MAX_ENTRIES = 2 ** 27;

/** Products whose values are known beforehand, and which therefore cost nothing. */
export interface KnownFactors {
  /** Whether a factor's values are known. */
  readonly factors: readonly boolean[];
  /** The most entries that a product of them may have. */
  readonly mostEntries: number;
}

interface Found {
  readonly tree: ContractionTree;
  readonly operations: number;
}

interface Best {
  readonly indices: string;
  /** Non-zeros. */
  readonly size: number;
  readonly operations: number;
  /** The subset that is the left side; 0 for a single factor. */
  readonly left: number;
}

/**
 * Orders of multiplication of one product, by subsets of its factors as bits. The pattern of a subset does not depend on
 * the order within it: it is summed over what neither the other factors nor the result have.
 */
export class OrderSearch {
  private readonly factors: readonly IndexedPattern[];
  private readonly best = new Map<number, Best>();
  private readonly values = new Map<number, IndexedPattern>();
  private readonly extents = new Map<string, number>();
  private readonly counts = new Map<string, number>();
  private readonly alongs = new Map<string, Float64Array>();
  private readonly full: number;
  /** The factors whose values are known. */
  private readonly known: number;
  private readonly mostKnown: number;
  constructor(
    private readonly shrunk: Shrunk,
    private readonly result: string,
    known: KnownFactors = { factors: [], mostEntries: 0 },
  ) {
    this.known = known.factors.reduce((set, k, f) => (k ? set + 2 ** f : set), 0);
    this.mostKnown = known.mostEntries;
    this.factors = shrunk.factors;
    const n = this.factors.length;
    if (n === 0 || n > MAX_FACTORS)
      fail('eqspp/factors', `a product of ${n} factors cannot be ordered`, {
        remedy: `multiply 1 to ${MAX_FACTORS} factors in one product`,
      });
    this.full = 2 ** n - 1;
    for (const f of this.factors) [...f.indices].forEach((i, d) => this.extents.set(i, f.pattern.shape[d]));
    for (let f = 0; f < n; f++) {
      const kept = this.indicesOf(2 ** f);
      const value = { indices: kept, pattern: projectPattern(this.factors[f], kept) };
      // A factor's own sums come first: of an index that it alone has.
      const own = [...this.factors[f].indices].some((i) => !kept.includes(i));
      this.values.set(2 ** f, value);
      const size = this.size(value);
      const operations = own && !this.isFree(2 ** f) ? this.size(this.factors[f]) - size : 0;
      this.best.set(2 ** f, { indices: kept, size, operations, left: 0 });
    }
  }

  /** The operations of the tree. */
  get operations(): number {
    return this.best.get(this.full)!.operations;
  }

  tree(set = this.full): ContractionTree {
    const { left } = this.best.get(set)!;
    if (left === 0) {
      const factor = Math.log2(set);
      return { kind: 'factor', factor, ...this.factors[factor] };
    }
    return { kind: 'product', left: this.tree(left), right: this.tree(set ^ left), ...this.value(set) };
  }

  /** Joins the cheapest pair again and again, of pairs with a common index where there are any. */
  greedy(): this {
    let parts = this.factors.map((_, f) => 2 ** f);
    while (parts.length > 1) {
      let pick: { x: number; y: number; cost: number; outer: boolean } | undefined;
      for (const x of parts)
        for (const y of parts) {
          if (x >= y) continue;
          const cost = this.product(x, y);
          const outer = this.isOuter(x, y, this.indicesOf(x | y));
          if (pick === undefined || (outer === pick.outer ? cost < pick.cost : pick.outer))
            pick = { x, y, cost, outer };
        }
      const { x, y, cost } = pick!;
      this.join(x, y, this.best.get(x)!.operations + this.best.get(y)!.operations + 2 * cost);
      parts = [...parts.filter((p) => p !== x && p !== y), x | y];
    }
    return this;
  }

  /**
   * The best of all orders, given a greedy one; long products keep that.
   *
   * @param share of the operations of the best order without outer products: one with them must need less
   */
  exhaustive(share: number): Found {
    const greedy = { tree: this.tree(), operations: this.operations };
    if (this.factors.length > EXHAUSTIVE) return greedy;
    const connected = this.solveAll(greedy.operations, false);
    const any = this.solveAll((connected ?? greedy).operations, true) ?? greedy;
    return connected === undefined || any.operations < share * connected.operations ? any : connected;
  }

  private solveAll(bound: number, outer: boolean): Found | undefined {
    for (let set = 1; set <= this.full; set++) this.solve(set, bound, outer);
    return this.best.has(this.full) ? { tree: this.tree(), operations: this.operations } : undefined;
  }

  /** The best split of a subset whose own subsets are solved; none where it alone costs more than the bound. */
  private solve(set: number, bound: number, outer: boolean): void {
    const lowest = set & -set;
    if (set === lowest) return;
    let split: { left: number; cost: number } | undefined;
    const rest = set ^ lowest;
    for (let part = rest; part > 0; part = (part - 1) & rest) {
      const left = set ^ part;
      const [x, y] = [this.best.get(left), this.best.get(part)];
      if (x === undefined || y === undefined) continue;
      if (!outer && this.isOuter(left, part, this.indicesOf(set))) continue;
      const below = x.operations + y.operations;
      if (below > bound) continue;
      const product = this.isFree(set) ? 0 : this.product(left, part);
      // No sum leaves more than the products that it adds.
      if (below + product > bound) continue;
      // Of equal ones the one that leaves most to the left, as products are read.
      if (split === undefined || below + 2 * product <= split.cost) split = { left, cost: below + 2 * product };
    }
    this.best.delete(set);
    if (split === undefined || this.entries(set) > MAX_ENTRIES) return;
    this.join(split.left, set ^ split.left, split.cost);
    if (this.best.get(set)!.operations > bound) this.best.delete(set);
  }

  /** Two parts become one, by so many operations less the non-zeros that are left. */
  private join(x: number, y: number, cost: number): void {
    const set = x | y;
    const indices = this.indicesOf(set);
    const isOuter = this.isOuter(x, y, indices);
    const size = isOuter ? this.product(x, y) : this.size(this.value(set, x));
    this.best.set(set, { indices, size, operations: this.isFree(set) ? 0 : cost - size, left: x });
  }

  /** Whether a part is known beforehand; where it would be too large, it is made like any other. */
  private isFree(set: number): boolean {
    if ((set & ~this.known) !== 0) return false;
    return this.entries(set) * this.shrunk.weight(this.indicesOf(set)) <= this.mostKnown;
  }

  /** The pattern of a part; that of an outer product is made only where it is asked for. */
  private value(set: number, left = this.best.get(set)!.left): IndexedPattern {
    let value = this.values.get(set);
    if (value === undefined) {
      const indices = this.indicesOf(set);
      if (this.entries(set) > MAX_ENTRIES)
        fail(
          'eqspp/too-large',
          `an intermediate result over the indices '${indices}' has ${this.entries(set)} entries`,
          {
            remedy: 'multiply in several steps, or make the extents smaller',
          },
        );
      value = { indices, pattern: contractPatterns(this.value(left), this.value(set ^ left), indices) };
      this.values.set(set, value);
    }
    return value;
  }

  private isOuter(x: number, y: number, indices: string): boolean {
    return this.best.get(x)!.indices.length + this.best.get(y)!.indices.length === indices.length;
  }

  /** Non-zeros of the product of two parts before it is summed. */
  private product(x: number, y: number): number {
    const key = `${x},${y}`;
    let n = this.counts.get(key);
    if (n === undefined) {
      const [a, b] = [this.best.get(x)!.indices, this.best.get(y)!.indices];
      const shared = [...a]
        .filter((i) => b.includes(i))
        .sort()
        .join('');
      const [p, q] = [this.along(x, shared), this.along(y, shared)];
      n = p.reduce((sum, c, e) => sum + c * q[e], 0) * this.shrunk.weight([...new Set(a + b)].join(''));
      this.counts.set(key, n);
    }
    return n;
  }

  /** How many entries a part has for each value of some indices; for outer products without making them. */
  private along(set: number, indices: string): Float64Array {
    const key = `${set}:${indices}`;
    let counts = this.alongs.get(key);
    if (counts === undefined) this.alongs.set(key, (counts = this.countAlong(set, indices)));
    return counts;
  }

  private countAlong(set: number, indices: string): Float64Array {
    const { left, indices: all } = this.best.get(set)!;
    const right = set ^ left;
    if (left === 0 || this.values.has(set) || !this.isOuter(left, right, all))
      return countAlong(this.value(set), indices);
    const shape = [...indices].map((i) => this.extents.get(i)!);
    const side = (part: number) => {
      const own = [...indices].filter((i) => this.best.get(part)!.indices.includes(i));
      const strides = stridesIn(
        own.join(''),
        own.map((i) => this.extents.get(i)!),
      );
      return { counts: this.along(part, own.join('')), at: positionsOf(indices, shape, strides) };
    };
    const [x, y] = [side(left), side(right)];
    return Float64Array.from(x.at, (p, e) => x.counts[p] * y.counts[y.at[e]]);
  }

  private size({ indices, pattern }: IndexedPattern): number {
    return countNonzeros(pattern) * this.shrunk.weight(indices);
  }

  private entries(set: number): number {
    return volume([...this.indicesOf(set)].map((i) => this.extents.get(i)!));
  }

  /** What a subset's product is indexed by: what the result or a factor outside has; all of it: the result. */
  private indicesOf(set: number): string {
    if (set === this.full) return this.result;
    const inside: string[] = [];
    const outside = new Set(this.result);
    this.factors.forEach((f, n) => {
      if ((set >>> n) & 1) inside.push(...f.indices);
      else for (const i of f.indices) outside.add(i);
    });
    return [...new Set(inside)].filter((i) => outside.has(i)).join('');
  }
}
