import type { Graph } from '@filigree/ir';
import { NO_FACTOR, type Sums } from '../elements/elements.js';
import type { ProductOfStored } from './product-of-stored.js';

/**
 * Whether no entry of products equals another or one of the given sums. By what sums of equal products have in common whatever the arithmetic: the value at a random
 * point, of their operands as if these were independent.
 */
export const areDistinct = (graph: Graph, products: readonly ProductOfStored[], sums: readonly Sums[]): boolean => {
  const seen = new ValueSet(
    products.reduce((n, p) => n + p.pattern.colIdx.length, 0) + sums.reduce((n, s) => n + s.ptr.length - 1, 0),
  );
  for (const { ptr, terms, factors, negative } of sums) {
    const value = new Int32Array(2);
    for (let s = 0; s + 1 < ptr.length; s++) {
      value.fill(0);
      for (let t = ptr[s]; t < ptr[s + 1]; t++)
        graph.addTerm(value, 0, terms[t], factors?.[t] ?? NO_FACTOR, negative[t] === 1);
      seen.add(value[0], value[1]);
    }
  }
  for (const { left, right, pattern } of products) {
    const { rowPtr: aPtr, colIdx: aCol } = left.pattern;
    const { rowPtr: bPtr, colIdx: bCol } = right.pattern;
    const value = new Int32Array(2 * pattern.cols);
    for (let i = 0; i < pattern.rows; i++) {
      for (let p = aPtr[i]; p < aPtr[i + 1]; p++)
        for (let q = bPtr[aCol[p]]; q < bPtr[aCol[p] + 1]; q++)
          graph.addTerm(value, bCol[q], left.values[p], right.values[q], false);
      for (let e = pattern.rowPtr[i]; e < pattern.rowPtr[i + 1]; e++) {
        const j = pattern.colIdx[e];
        if (!seen.add(value[2 * j], value[2 * j + 1])) return false;
        value[2 * j] = 0;
        value[2 * j + 1] = 0;
      }
    }
  }
  return true;
};

/** A set of pairs of residues. */
class ValueSet {
  private readonly entries: Int32Array;
  private readonly mask: number;
  private readonly shift: number;

  constructor(expected: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(expected / LOAD)));
    this.entries = new Int32Array(2 ** (bits + 1));
    this.mask = 2 ** bits - 1;
    this.shift = 32 - bits;
  }

  /** Adds a pair; false where it is there. */
  add(x: number, y: number): boolean {
    const { entries, mask, shift } = this;
    for (let s = Math.imul(x ^ Math.imul(y, 0x2c1b3c6d), 0x9e3779b1) >>> shift; ; s = (s + 1) & mask) {
      const at = 2 * s;
      /* No entry is 0. */
      if (entries[at] === 0) {
        entries[at] = x + 1;
        entries[at + 1] = y;
        return true;
      }
      if (entries[at] === x + 1 && entries[at + 1] === y) return false;
    }
  }
}

const LOAD = 0.6;
