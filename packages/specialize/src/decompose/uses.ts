import type { Graph } from '@filigree/ir';
import { NONE, OUTPUT, type Cut } from './candidates.js';
import { IntList } from './int-list.js';
import { SupportSets } from './support.js';
import { unitWalk, type UnitWalk } from './walk.js';

/** Reads beyond which an expression is in no block, which are local. */
const MAX_READS = 384;

/** Which stored expressions read which, among those that take part in sharing. Units are numbered here from 0. */
export interface Uses {
  /** Node of each unit: stored expressions that read another or are read by another, ascending, so what is read comes first. */
  readonly units: Int32Array;
  /** 1 + unit of each node, 0 where it is none. */
  readonly rank: Int32Array;
  /** The units that unit u reads: `read[ptr[u] .. ptr[u+1])`. */
  readonly ptr: Int32Array;
  readonly read: Int32Array;
  /** How many variables and units each unit reads; −1 for too many. */
  readonly reads: Int32Array;
  /** For each unit a hash of the variables that it depends on, 0 where it cannot matter (`SupportSets`). */
  readonly support: Float64Array;
}

/** Collects what the stored expressions read that have a stored expression below them or above them, and the members of `tags`. */
export const collectUses = (graph: Graph, cut: Cut, tags: readonly Int32Array[]): Uses => {
  const { kind, readsStored, references } = cut;
  const rank = new Int32Array(graph.length);
  for (const tag of tags) for (const id of tag) if (kind[id] !== NONE) rank[id] = 1;
  const isRead = (id: number): boolean => references[id] > (kind[id] === OUTPUT ? 1 : 0);
  const units = new Int32Array(cut.candidates.length);
  let count = 0;
  for (let i = 0; i < units.length; i++) {
    const id = cut.candidates[i];
    if (rank[id] === 0 && readsStored[id] === 0 && !isRead(id)) continue;
    units[count++] = id;
    rank[id] = count;
  }
  const walk = unitWalk(graph, cut, MAX_READS);
  /* What is read by a long expression too is not evaluated again in it, though it is in no block with it. */
  let long: UnitWalk | undefined;
  const sets = new SupportSets(graph, count);
  const ptr = new Int32Array(count + 1);
  const read = new IntList();
  const reads = new Int32Array(count);
  for (let u = 0; u < count; u++) {
    const id = units[u];
    const n = walk.collect(id, MAX_READS);
    const whole = n < 0 ? (long ??= unitWalk(graph, cut, graph.length)) : walk;
    const all = n < 0 ? whole.collect(id, Infinity) : n;
    for (let i = 0; i < all; i++) if (kind[whole.reads[i]] !== NONE) read.push(rank[whole.reads[i]] - 1);
    ptr[u + 1] = read.length;
    reads[u] = n;
    if (n >= 0) sets.unite(u, walk.reads, n, rank, kind, isRead(id));
  }
  return {
    units: units.subarray(0, count),
    rank,
    ptr,
    read: read.values(),
    reads,
    support: sets.hash,
  };
};
