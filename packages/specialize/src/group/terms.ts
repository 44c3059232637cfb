import type { Decomposition } from '../decompose/decompose.js';
import { ASSOCIATIVE } from '../decompose/codes.js';
import { doubled } from '../decompose/int-list.js';
import type { CutHashes } from './cut-hash.js';

/**
 * Operands of a flattened sum or product in canonical order: by hash, and as written where hashes agree, so that
 * expressions of one structure line up term by term.
 */
export interface TermList {
  /** Flattens `root` and returns the number of terms, which then stand in `terms[0..n)` with their `hashes`. */
  readonly collect: (root: number) => number;
  terms: Int32Array;
  hashes: Int32Array;
}

export const termList = (d: Decomposition, hashes: CutHashes): TermList => {
  const { op, left, right } = d.graph;
  const { stored } = d;
  let stack = new Int32Array(64);
  const list: TermList = {
    terms: new Int32Array(64),
    hashes: new Int32Array(64),
    collect: (root) => {
      const code = op[root];
      if (ASSOCIATIVE[code] === 0) {
        list.terms[0] = root;
        list.hashes[0] = hashes.asOperand(root);
        return 1;
      }
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
        if (n === list.terms.length) {
          list.terms = doubled(list.terms);
          list.hashes = doubled(list.hashes);
        }
        const h = hashes.asOperand(id);
        if (n > 0 && list.hashes[n - 1] > h) sorted = false;
        list.terms[n] = id;
        list.hashes[n++] = h;
      }
      if (!sorted) sortByHash(list, n);
      return n;
    },
  };
  return list;
};

/** Stable; insertion for the short lists that are the rule. */
const sortByHash = (list: TermList, n: number): void => {
  const { terms, hashes } = list;
  if (n > 64) {
    const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => hashes[a] - hashes[b] || a - b);
    const t = order.map((i) => terms[i]);
    const h = order.map((i) => hashes[i]);
    terms.set(t);
    hashes.set(h);
    return;
  }
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
