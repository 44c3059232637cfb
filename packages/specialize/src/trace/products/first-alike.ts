import type { Graph } from '@filigree/ir';
import { NO_FACTOR, type Sums } from '../elements/elements.js';
import type { ProductPart } from './sum-of-products.js';
import { ValueMap } from './value-map.js';

/**
 * Of each entry of each product the first that is the same sum of the same products in the same order: found by what sums of equal products have in common whatever the
 * arithmetic, the value at a random point, of their operands as if these were independent. `undefined` where more than a few entries have that in common that are no such
 * sums, or are of two products, or with one of the given sums.
 */
export const firstAlike = (
  graph: Graph,
  products: readonly ProductPart[],
  sums: readonly Sums[],
): readonly Int32Array[] | undefined => {
  const seen = new ValueMap(
    products.reduce((n, { pattern }) => n + pattern.colIdx.length, 0) + sums.reduce((n, s) => n + s.ptr.length - 1, 0),
  );
  for (const { ptr, terms, factors, negative } of sums) {
    const value = new Int32Array(2);
    for (let s = 0; s + 1 < ptr.length; s++) {
      value.fill(0);
      for (let t = ptr[s]; t < ptr[s + 1]; t++)
        graph.addTerm(value, 0, terms[t], factors?.[t] ?? NO_FACTOR, negative[t] === 1);
      seen.firstOf(value[0], value[1], OF_SUMS);
    }
  }
  const found: Int32Array[] = [];
  let begin = 0;
  let others = 0;
  for (const p of products) {
    const { left, right, pattern: product } = p;
    const same = sameProducts(p);
    const { rowPtr: aPtr, colIdx: aCol } = left.pattern;
    const { rowPtr: bPtr, colIdx: bCol } = right.pattern;
    const value = new Int32Array(2 * product.cols);
    const first = new Int32Array(product.colIdx.length);
    const rowOf = new Int32Array(product.colIdx.length);
    for (let i = 0; i < product.rows; i++) {
      for (let q = aPtr[i]; q < aPtr[i + 1]; q++)
        for (let r = bPtr[aCol[q]]; r < bPtr[aCol[q] + 1]; r++)
          graph.addTerm(value, bCol[r], left.values[q], right.values[r], false);
      for (let e = product.rowPtr[i]; e < product.rowPtr[i + 1]; e++) {
        const j = product.colIdx[e];
        rowOf[e] = i;
        const known = seen.firstOf(value[2 * j], value[2 * j + 1], begin + e);
        first[e] = known - begin;
        value[2 * j] = 0;
        value[2 * j + 1] = 0;
        if (known === begin + e) continue;
        if (known < begin || !same(rowOf[first[e]], product.colIdx[first[e]], i, j)) {
          first[e] = e;
          others++;
        }
      }
    }
    found.push(first);
    begin += first.length;
  }
  return others * FEW <= begin ? found : undefined;
};

/** One in so many. */
const FEW = 256;

/** In the place of an entry. */
const OF_SUMS = -1;

/** Tells whether entries (i, j) and (m, n) of a product are sums of the same products in the same order; operands may have changed places. */
const sameProducts = ({ left, right }: ProductPart): ((i: number, j: number, m: number, n: number) => boolean) => {
  const { rowPtr: aPtr, colIdx: aCol } = left.pattern;
  const { rowPtr: bPtr, colIdx: bCol } = right.pattern;
  let most = 0;
  for (let i = 0; i < left.pattern.rows; i++) most = Math.max(most, aPtr[i + 1] - aPtr[i]);
  const [terms, others] = [new Int32Array(2 * most), new Int32Array(2 * most)];
  const collect = (i: number, j: number, into: Int32Array): number => {
    let n = 0;
    for (let q = aPtr[i]; q < aPtr[i + 1]; q++) {
      const end = bPtr[aCol[q] + 1];
      let r = bPtr[aCol[q]];
      while (r < end && bCol[r] < j) r++;
      if (r === end || bCol[r] !== j) continue;
      into[n++] = left.values[q];
      into[n++] = right.values[r];
    }
    return n;
  };
  return (i, j, m, n) => {
    const count = collect(i, j, terms);
    if (count !== collect(m, n, others)) return false;
    for (let t = 0; t < count; t += 2) {
      const [a, b, c, d] = [terms[t], terms[t + 1], others[t], others[t + 1]];
      if ((a !== c || b !== d) && (a !== d || b !== c)) return false;
    }
    return true;
  };
};
