import { fail } from '@filigree/ir';
import { type BooleanTensor, countNonzeros, type IndexedPattern, volume } from './boolean-tensor.js';
import { contractPatterns, countProduct } from './contract.js';
import { projectPattern } from './rearrange.js';

/** How the factors of a product are multiplied: binary, with the pattern of each intermediate result. */
export type ContractionTree =
  | { readonly kind: 'factor'; readonly factor: number; readonly indices: string; readonly pattern: BooleanTensor }
  | {
      readonly kind: 'product';
      readonly left: ContractionTree;
      readonly right: ContractionTree;
      /** Summed over all indices of its sides that are missing here. */
      readonly indices: string;
      readonly pattern: BooleanTensor;
    };

export interface ContractionOrder {
  readonly tree: ContractionTree;
  /** Multiplications and additions on non-zeros (§4.3). */
  readonly operations: number;
}

/**
 * The order of least operations (§4.3): for V = X·Y the non-zeros of V, for W = Σ Z those of Z less those of W, all
 * counted exactly on the patterns. Exhaustive: dynamic programming over subsets of the factors, which is exact because
 * the pattern of a subset does not depend on the order within it, with subsets left out that alone cost more than the
 * best order that a greedy search finds; products of more than 10 factors keep the greedy order. An index is summed as soon as no other factor and not the result has it.
 *
 * Throws `DiagnosticError` `eqspp/factors` for more than 30 factors or none.
 *
 * @param result the indices of the product, in the order wanted for the pattern of the root
 */
export const contractionOrder = (factors: readonly IndexedPattern[], result: string): ContractionOrder => {
  if (factors.length === 0 || factors.length > MAX_FACTORS)
    fail('eqspp/factors', `a product of ${factors.length} factors cannot be ordered`, {
      remedy: `multiply 1 to ${MAX_FACTORS} factors in one product`,
    });
  const search = new Search(factors, result);
  const full = 2 ** factors.length - 1;
  const bound = search.greedy();
  if (factors.length <= EXHAUSTIVE) for (let set = 1; set <= full; set++) search.solve(set, bound);
  const best = search.best.get(full)!;
  return { tree: search.tree(full), operations: best.operations };
};

const MAX_FACTORS = 30;
/** Splits of all subsets are 3ⁿ. */
const EXHAUSTIVE = 10;
/** Patterns of intermediate results beyond this are not made; an order that needs one is never the best of small tensors. */
const MAX_ENTRIES = 2 ** 26;

interface Best {
  readonly value: IndexedPattern;
  readonly operations: number;
  /** The subset that is the left side; 0 for a single factor. */
  readonly left: number;
}

class Search {
  readonly best = new Map<number, Best>();
  private readonly counts = new Map<string, number>();
  constructor(
    private readonly factors: readonly IndexedPattern[],
    private readonly result: string,
  ) {
    const n = factors.length;
    for (let f = 0; f < n; f++) {
      const kept = n === 1 ? result : this.indicesOf(2 ** f);
      const { pattern } = factors[f];
      const value = { indices: kept, pattern: projectPattern(factors[f], kept) };
      // A factor's own sums come first: an index that it alone has.
      const operations =
        kept.length < factors[f].indices.length ? countNonzeros(pattern) - countNonzeros(value.pattern) : 0;
      this.best.set(2 ** f, { value, operations, left: 0 });
    }
  }

  /** Joins the cheapest pair again and again; the operations of that are a bound for all others. */
  greedy(): number {
    let parts = this.factors.map((_, f) => 2 ** f);
    let operations = 0;
    for (const part of parts) operations += this.best.get(part)!.operations;
    while (parts.length > 1) {
      let pick: { x: number; y: number; cost: number } | undefined;
      for (const x of parts)
        for (const y of parts) {
          if (x >= y) continue;
          const cost = this.product(x, y);
          if (pick === undefined || cost < pick.cost) pick = { x, y, cost };
        }
      const { x, y, cost } = pick!;
      const set = x | y;
      const value = this.join(x, y);
      operations += 2 * cost - countNonzeros(value.pattern);
      if (!this.best.has(set))
        this.best.set(set, {
          value,
          operations:
            this.best.get(x)!.operations + this.best.get(y)!.operations + 2 * cost - countNonzeros(value.pattern),
          left: x,
        });
      parts = [...parts.filter((p) => p !== x && p !== y), set];
    }
    return operations;
  }

  /** The best split of a subset whose own subsets are solved. */
  solve(set: number, bound: number): void {
    const lowest = set & -set;
    if (set === lowest) return;
    const splits: { left: number; cost: number }[] = [];
    const rest = set ^ lowest;
    for (let part = rest; part > 0; part = (part - 1) & rest) {
      const left = set ^ part;
      const [x, y] = [this.best.get(left), this.best.get(part)];
      if (x === undefined || y === undefined) continue;
      const below = x.operations + y.operations;
      if (below > bound) continue;
      const product = this.product(left, part);
      // A sum takes away at most all but one of the products that it adds, and leaves no more than the whole has entries.
      if (below + product > bound) continue;
      splits.push({ left, cost: below + 2 * product });
    }
    if (splits.length === 0) {
      this.best.delete(set);
      return;
    }
    const first = splits.reduce((a, b) => (b.cost < a.cost ? b : a));
    const known = this.best.get(set)?.value;
    if (known === undefined && this.entries(set) > MAX_ENTRIES) return;
    const value = known ?? this.join(first.left, set ^ first.left);
    const operations = first.cost - countNonzeros(value.pattern);
    if (operations > bound) this.best.delete(set);
    else this.best.set(set, { value, operations, left: first.left });
  }

  tree(set: number): ContractionTree {
    const { value, left } = this.best.get(set)!;
    if (left === 0) {
      const factor = Math.log2(set);
      return { kind: 'factor', factor, indices: this.factors[factor].indices, pattern: this.factors[factor].pattern };
    }
    return {
      kind: 'product',
      left: this.tree(left),
      right: this.tree(set ^ left),
      indices: value.indices,
      pattern: value.pattern,
    };
  }

  private join(x: number, y: number): IndexedPattern {
    const indices = this.indicesOf(x | y);
    return { indices, pattern: contractPatterns(this.best.get(x)!.value, this.best.get(y)!.value, indices) };
  }

  /** Non-zeros of the product of two parts before it is summed. */
  private product(x: number, y: number): number {
    const key = `${x},${y}`;
    let n = this.counts.get(key);
    if (n === undefined) this.counts.set(key, (n = countProduct(this.best.get(x)!.value, this.best.get(y)!.value)));
    return n;
  }

  private entries(set: number): number {
    const size = new Map<string, number>();
    for (const f of this.factors) [...f.indices].forEach((i, d) => size.set(i, f.pattern.shape[d]));
    return volume([...this.indicesOf(set)].map((i) => size.get(i)!));
  }

  /** What a subset's product is indexed by: what the result or a factor outside has; all of it: the result. */
  private indicesOf(set: number): string {
    if (set === 2 ** this.factors.length - 1) return this.result;
    const inside: string[] = [];
    const outside = new Set(this.result);
    this.factors.forEach((f, n) => {
      if ((set >>> n) & 1) inside.push(...f.indices);
      else for (const i of f.indices) outside.add(i);
    });
    return [...new Set(inside)].filter((i) => outside.has(i)).join('');
  }
}
