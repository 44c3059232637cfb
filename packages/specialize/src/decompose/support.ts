import type { Graph } from '@filigree/ir';
import { NONE } from './candidates.js';
import type { Uses } from './uses.js';
import { unitWalk } from './walk.js';

/** Variables beyond which an expression belongs to no dense block: a block is local. */
const MAX_SUPPORT = 96;

/**
 * For each unit a hash of the set of variables that it depends on, through other units; 0 where there are more than
 * MAX_SUPPORT, and where no unit that it reads or is read by can have the same. Equal hashes stand for equal sets.
 */
export const supports = (graph: Graph, kind: Uint8Array, { units, rank, read }: Uses): Float64Array => {
  const hash = new Float64Array(units.length);
  /* Sets of variables one after the other; start[u] is 1 + the beginning of u's. */
  const start = new Int32Array(units.length);
  const end = new Int32Array(units.length);
  let sets = new Int32Array(4096);
  let used = 0;
  const walk = unitWalk(graph, kind, MAX_SUPPORT);
  const seen = new Int32Array(graph.variableCount);
  const isRead = new Uint8Array(units.length);
  for (const u of read) isRead[u] = 1;
  for (let u = 0; u < units.length; u++) {
    const epoch = u + 1;
    const n = walk.collect(units[u], MAX_SUPPORT);
    if (n < 0) continue;
    if (used + MAX_SUPPORT + 1 > sets.length) {
      const wider = new Int32Array(2 * sets.length);
      wider.set(sets);
      sets = wider;
    }
    const from = used;
    let at = from;
    let whole = true;
    /* What nobody reads can only equal what it reads, which is a part of it. */
    let most = MAX_SUPPORT;
    if (isRead[u] === 0) {
      most = 0;
      for (let i = 0; i < n; i++) {
        const below = rank[walk.reads[i]] - 1;
        if (kind[walk.reads[i]] !== NONE && start[below] > 0) most = Math.max(most, end[below] + 1 - start[below]);
      }
    }
    for (let i = 0; i < n && whole; i++) {
      const r = walk.reads[i];
      if (kind[r] === NONE) {
        const v = graph.variableIndex(r);
        if (seen[v] === epoch) continue;
        seen[v] = epoch;
        sets[at++] = v;
      } else {
        const below = rank[r] - 1;
        if (start[below] === 0) whole = false;
        for (let k = start[below] - 1; whole && k < end[below]; k++) {
          if (seen[sets[k]] === epoch) continue;
          seen[sets[k]] = epoch;
          sets[at++] = sets[k];
          if (at - from > most) whole = false;
        }
      }
      if (at - from > most) whole = false;
    }
    if (!whole) continue;
    used = at;
    start[u] = from + 1;
    end[u] = at;
    hash[u] = setHash(sets, from, at);
  }
  return hash;
};

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
