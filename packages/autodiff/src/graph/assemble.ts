import type { Graph } from '@filigree/ir';
import { csrFromTriplets, type Csr } from '@filigree/sparse/formats';
import { NONE } from './guarded.js';

/** Nodes that are added up at places of a matrix, in any order. */
export interface Triplets {
  readonly rows: readonly number[];
  readonly cols: readonly number[];
  readonly nodes: readonly number[];
}

/** The sparse matrix of triplets. Its pattern is what occurs. */
export const assembled = (graph: Graph, rows: number, cols: number, given: Triplets): Csr<Int32Array> => {
  const { pattern, entry } = csrFromTriplets(rows, cols, given.rows, given.cols);
  return { pattern, values: sumsByPlace(graph, entry, given.nodes, pattern.colIdx.length) };
};

/** The sums of the nodes of each place, in the order given; 0 where there are none. */
export const sumsByPlace = (
  graph: Graph,
  place: ArrayLike<number>,
  nodes: ArrayLike<number>,
  places: number,
): Int32Array => {
  const start = new Int32Array(places + 1);
  for (let t = 0; t < nodes.length; t++) start[place[t] + 1]++;
  for (let p = 0; p < places; p++) start[p + 1] += start[p];
  const next = start.slice(0, places);
  const sorted = new Int32Array(nodes.length).fill(NONE);
  for (let t = 0; t < nodes.length; t++) sorted[next[place[t]]++] = nodes[t];
  return Int32Array.from({ length: places }, (_, p) =>
    graph.sum(sorted.subarray(start[p], start[p + 1]), start[p + 1] - start[p]),
  );
};
