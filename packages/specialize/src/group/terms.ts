import type { Decomposition } from '../decompose/decompose.js';
import { associativeIn } from '../decompose/codes.js';
import { doubled } from '../decompose/int-list.js';
import type { CutHashes } from './cut-hash.js';

/**
 * Operands of a flattened sum or product in canonical order: by hash, and as written where hashes agree, so that
 * expressions of one structure line up term by term. Where the arithmetic keeps them as they are bracketed, the terms
 * of a sum stand in the order in which they are added, the first two first, and so do the factors of a product.
 */
export interface TermList {
  /** Flattens `root`, which is an operation of `REDUCTION`, and returns the number of terms, which then stand in `terms[0..n)` with their `hashes`. */
  readonly collect: (root: number) => number;
  terms: Int32Array;
  hashes: Int32Array;
}

export const termList = (d: Decomposition, hashes: CutHashes): TermList => {
  const { op, left, right } = d.graph;
  const { stored } = d;
  const associative = associativeIn(d.graph.arithmetic);
  let stack = new Int32Array(64);
  const append = (id: number, n: number): void => {
    if (n === list.terms.length) {
      list.terms = doubled(list.terms);
      list.hashes = doubled(list.hashes);
    }
    list.terms[n] = id;
    list.hashes[n] = hashes.asOperand(id);
  };
  /* From the last term to the first: a sum, or a product, goes on in its left operand, or else in its right one. */
  const asAdded = (root: number): number => {
    const code = op[root];
    const isSum = (id: number): boolean => op[id] === code && stored[id] === 0;
    let n = 0;
    let id = root;
    while (id === root || isSum(id)) {
      const [a, b] = [left[id], right[id]];
      const inLeft = isSum(a) || !isSum(b);
      append(inLeft ? b : a, n++);
      id = inLeft ? a : b;
    }
    append(id, n++);
    list.terms.subarray(0, n).reverse();
    list.hashes.subarray(0, n).reverse();
    return n;
  };
  const list: TermList = {
    terms: new Int32Array(64),
    hashes: new Int32Array(64),
    collect: (root) => {
      const code = op[root];
      if (associative[code] === 0) return asAdded(root);
      let n = 0;
      let top = 0;
      stack[top++] = right[root];
      stack[top++] = left[root];
      let sorted = true;
      while (top > 0) {
        const id = stack[--top];
        if (op[id] === code && stored[id] === 0) {
          if (top + 2 > stack.length) stack = doubled(stack);
          stack[top++] = right[id];
          stack[top++] = left[id];
          continue;
        }
        append(id, n++);
        if (n > 1 && list.hashes[n - 2] > list.hashes[n - 1]) sorted = false;
      }
      if (!sorted) sortByHash(list, n);
      return n;
    },
  };
  return list;
};

/** The distinct hashes of the first `n` terms, ascending. */
export const kindsOf = ({ hashes }: TermList, n: number): Int32Array =>
  Int32Array.from(new Set(hashes.subarray(0, n))).sort();

/** Stable; insertion for the short lists that are the rule, and else by kind, of which there are few. */
const sortByHash = (list: TermList, n: number): void => {
  const { terms, hashes } = list;
  if (n > 64) return sortByKind(list, n);
  for (let i = 1; i < n; i++) {
    const t = terms[i];
    const h = hashes[i];
    let j = i - 1;
    while (j >= 0 && hashes[j] > h) {
      terms[j + 1] = terms[j];
      hashes[j + 1] = hashes[j];
      j--;
    }
    terms[j + 1] = t;
    hashes[j + 1] = h;
  }
};

const sortByKind = ({ terms, hashes }: TermList, n: number): void => {
  const count = new Map<number, number>();
  for (let t = 0; t < n; t++) count.set(hashes[t], (count.get(hashes[t]) ?? 0) + 1);
  const next = new Map<number, number>();
  let at = 0;
  for (const h of [...count.keys()].sort((a, b) => a - b)) {
    next.set(h, at);
    at += count.get(h)!;
  }
  const written = terms.slice(0, n);
  const kinds = hashes.slice(0, n);
  for (let t = 0; t < n; t++) {
    const place = next.get(kinds[t])!;
    next.set(kinds[t], place + 1);
    terms[place] = written[t];
    hashes[place] = kinds[t];
  }
};
