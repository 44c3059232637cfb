import type { Graph } from '@filigree/ir';
import { MAX_COST, NONE, PROVISIONAL, SHARED, type Cut } from './candidates.js';
import { ARITY, COST, STORABLE } from './codes.js';
import { IntList } from './int-list.js';
import { INNER } from './reductions.js';

/**
 * Stores further expressions where one that is evaluated at once would be too long for a kernel: what was to be stored when the
 * length of expressions was first bounded may have turned out to be no block.
 *
 * @param before the kinds of the candidates before blocks were found
 * @returns what is stored now, and what of it was not
 */
export const bounded = (
  graph: Graph,
  cut: Cut,
  before: Uint8Array,
): { readonly cut: Cut; readonly found: ReadonlySet<number> } => {
  const { op, left, right, length } = graph;
  const { kind, cost, references, reduction, candidates } = cut;
  if (candidates.every((id, i) => before[i] !== PROVISIONAL || kind[id] !== NONE)) return { cut, found: new Set() };
  const found = new IntList();
  /* What is evaluated once within a block counts as if it were stored. */
  const apart = new Uint8Array(length);
  candidates.forEach((id, i) => {
    if (kind[id] !== NONE || before[i] !== PROVISIONAL) apart[id] = 1;
  });
  for (let id = 0; id < length; id++) {
    const arity = references[id] === 0 ? 0 : ARITY[op[id]];
    if (arity === 0) continue;
    const [a, b] = [left[id], right[id]];
    let c = COST[op[id]] + (apart[a] === 0 ? cost[a] : 1);
    if (arity === 2) c += apart[b] === 0 ? cost[b] : 1;
    cost[id] = c;
    if (c < MAX_COST || apart[id] === 1 || STORABLE[op[id]] === 0 || (reduction[id] & INNER) !== 0) continue;
    kind[id] = SHARED;
    apart[id] = 1;
    found.push(id);
  }
  return {
    cut: found.length === 0 ? cut : { ...cut, candidates: merged(candidates, found.values()), layered: true },
    found: new Set(found.values()),
  };
};

/** The ids of both lists, ascending, each once. */
const merged = (a: Int32Array, b: Int32Array): Int32Array => {
  const all = new Int32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  all.sort();
  let n = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[n++] = all[i];
  return all.subarray(0, n);
};
