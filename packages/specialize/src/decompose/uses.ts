import type { Graph } from '@filigree/ir';
import { NONE, type Cut } from './candidates.js';
import { ARITY } from './codes.js';
import { IntList } from './int-list.js';
import { unitWalk } from './walk.js';

/** Reads beyond which an expression is not looked at: blocks are local. */
const MAX_READS = 384;

/** Which stored expressions read which, among those that take part in sharing. Units are numbered here from 0. */
export interface Uses {
  /** Node of each unit: stored expressions that read another or are read by another, ascending, so what is read comes first. */
  readonly units: Int32Array;
  /** 1 + unit of each node, 0 where it is none. */
  readonly rank: Int32Array;
  /** Edges reader → read, between units; the edges of one reader stand together. */
  readonly reader: Int32Array;
  readonly read: Int32Array;
  /** Per edge: how many other variables or units the reader reads. */
  readonly rest: Int32Array;
}

/** Collects the reads of all stored expressions that have a stored expression below them, and the members of `tags`. */
export const collectUses = (graph: Graph, cut: Cut, tags: readonly Int32Array[]): Uses => {
  const { kind } = cut;
  const below = readsStored(graph, cut);
  const walk = unitWalk(graph, kind, MAX_READS);
  const reader = new IntList();
  const read = new IntList();
  const rest = new IntList();
  const rank = new Int32Array(graph.length);
  for (const tag of tags) for (const id of tag) if (kind[id] !== NONE) rank[id] = 1;
  for (let id = 0; id < graph.length; id++) {
    if (below[id] === 0 || kind[id] === NONE) continue;
    rank[id] = 1;
    const n = walk.collect(id, MAX_READS);
    for (let i = 0; i < n; i++) {
      const r = walk.reads[i];
      if (kind[r] === NONE) continue;
      rank[r] = 1;
      reader.push(id);
      read.push(r);
      rest.push(n - 1);
    }
  }
  const units = new IntList();
  for (let id = 0; id < rank.length; id++) {
    if (rank[id] === 0) continue;
    units.push(id);
    rank[id] = units.length;
  }
  const unitOf = (ids: Int32Array): Int32Array => ids.map((id) => rank[id] - 1);
  return {
    units: units.values(),
    rank,
    reader: unitOf(reader.values()),
    read: unitOf(read.values()),
    rest: rest.values(),
  };
};

/** Needed nodes with a stored expression somewhere below them. */
const readsStored = (graph: Graph, cut: Cut): Uint8Array => {
  const { kind, references } = cut;
  const { op, left, right } = graph;
  const below = new Uint8Array(graph.length);
  for (let id = 0; id < graph.length; id++) {
    const arity = ARITY[op[id]];
    if (arity === 0 || references[id] === 0) continue;
    const a = left[id];
    const b = arity === 2 ? right[id] : a;
    if (below[a] === 1 || below[b] === 1 || kind[a] !== NONE || kind[b] !== NONE) below[id] = 1;
  }
  return below;
};
