import type { Graph } from '@filigree/ir';
import { NONE } from './candidates.js';

/** Variables beyond which an expression belongs to no dense block: a block is local. */
const MAX_SUPPORT = 96;

/**
 * For each unit the set of variables that it depends on, through other units. Units must be given in ascending order, so
 * that those read are known.
 */
export class SupportSets {
  /**
   * Of the set of each unit; 0 where it has more than MAX_SUPPORT variables, and where no unit that it reads or is read by
   * can have the same. Equal hashes stand for equal sets.
   */
  readonly hash: Float64Array;
  /* Sets one after the other; start[u] is 1 + the beginning of u's. Units of one element share a set. */
  private readonly start: Int32Array;
  private readonly end: Int32Array;
  private sets = new Int32Array(4096);
  private used = 0;
  /* 1 + the unit that a variable was last met in. */
  private readonly seen: Int32Array;

  constructor(
    private readonly graph: Graph,
    units: number,
  ) {
    this.hash = new Float64Array(units);
    this.start = new Int32Array(units);
    this.end = new Int32Array(units);
    this.seen = new Int32Array(graph.variableCount);
  }

  /** The set of unit `u`, which reads `reads[0..n)`; `isRead` says whether another unit reads it. */
  unite(u: number, reads: Int32Array, n: number, rank: Int32Array, kind: Uint8Array, isRead: boolean): void {
    if (n > MAX_SUPPORT) return;
    const { start, end, seen, used } = this;
    const variable = this.graph.left;
    if (used + MAX_SUPPORT + 1 > this.sets.length) {
      const wider = new Int32Array(2 * this.sets.length);
      wider.set(this.sets);
      this.sets = wider;
    }
    const { sets } = this;
    const epoch = u + 1;
    /* The largest set below, and whether there is nothing else: an element is full of expressions of its expressions. */
    let largest = -1;
    let size = 0;
    let only = true;
    for (let i = 0; i < n; i++) {
      if (kind[reads[i]] === NONE) {
        only = false;
        continue;
      }
      const below = rank[reads[i]] - 1;
      if (start[below] === 0) return;
      if (largest >= 0 && start[below] !== start[largest]) only = false;
      const own = end[below] + 1 - start[below];
      if (own <= size) continue;
      largest = below;
      size = own;
    }
    if (only && largest >= 0) return this.share(u, largest);
    /* What nobody reads can only equal what it reads, which is a part of it. */
    const most = isRead ? MAX_SUPPORT : size;
    let at = used;
    if (largest >= 0) {
      for (let k = start[largest] - 1; k < end[largest]; k++) {
        seen[sets[k]] = epoch;
        sets[at++] = sets[k];
      }
    }
    for (let i = 0; i < n; i++) {
      const r = reads[i];
      if (kind[r] === NONE) {
        const v = variable[r];
        if (seen[v] === epoch) continue;
        seen[v] = epoch;
        sets[at++] = v;
      } else {
        const below = rank[r] - 1;
        if (start[below] === start[largest]) continue;
        for (let k = start[below] - 1; k < end[below]; k++) {
          const v = sets[k];
          if (seen[v] === epoch) continue;
          seen[v] = epoch;
          sets[at++] = v;
          if (at - used > most) return;
        }
      }
      if (at - used > most) return;
    }
    if (largest >= 0 && at - used === size) return this.share(u, largest);
    this.used = at;
    start[u] = used + 1;
    end[u] = at;
    this.hash[u] = setHash(sets, used, at);
  }

  private share(u: number, other: number): void {
    this.start[u] = this.start[other];
    this.end[u] = this.end[other];
    this.hash[u] = this.hash[other];
  }
}

const setHash = (sets: Int32Array, from: number, to: number): number => {
  let lo = to - from;
  let hi = 0;
  for (let i = from; i < to; i++) {
    let x = Math.imul(sets[i] + 1, 0x9e3779b1);
    x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
    lo = (lo + x) | 0;
    hi = (hi + Math.imul(x ^ (x >>> 13), 0xc2b2ae35)) | 0;
  }
  return (lo >>> 0) * 0x200000 + (hi >>> 11) + 1;
};
