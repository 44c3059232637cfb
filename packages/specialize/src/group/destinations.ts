import type { Decomposition } from '../decompose/decompose.js';
import { ARITY } from '../decompose/codes.js';

/**
 * Where the values of stored expressions go: to a place among the intermediates when another unit reads them, and to
 * every output position they are the value of.
 */
export interface Destinations {
  /** 1 where root r (an index into `roots`) is read by another unit. */
  readonly read: Uint8Array;
  /** Output positions of root r: entries `ptr[r] .. ptr[r+1])` of `output` (which output) and `position`. */
  readonly ptr: Int32Array;
  readonly output: Uint8Array | Int32Array;
  readonly position: Int32Array;
  /** Whether this stored node's outputs are copied afterwards, because there are more than a kernel should write. */
  readonly copied: (node: number) => boolean;
}

/** Output positions that a kernel writes directly. */
const MAX_DIRECT = 4;

export const destinations = (d: Decomposition): Destinations => {
  const { graph, roots, stored } = d;
  const rank = new Int32Array(graph.length);
  for (let r = 0; r < roots.length; r++) rank[roots[r]] = r;
  const ptr = new Int32Array(roots.length + 1);
  for (const { nodes } of d.outputs)
    for (let i = 0; i < nodes.length; i++) if (stored[nodes[i]] !== 0) ptr[rank[nodes[i]] + 1]++;
  const copied = new Set<number>();
  for (let r = 0; r < roots.length; r++) {
    if (ptr[r + 1] <= MAX_DIRECT) continue;
    copied.add(roots[r]);
    ptr[r + 1] = 0;
  }
  for (let r = 0; r < roots.length; r++) ptr[r + 1] += ptr[r];
  const next = ptr.slice(0, roots.length);
  const output = new (d.outputs.length <= 0x100 ? Uint8Array : Int32Array)(ptr[roots.length]);
  const position = new Int32Array(ptr[roots.length]);
  d.outputs.forEach(({ nodes }, k) => {
    for (let i = 0; i < nodes.length; i++) {
      if (stored[nodes[i]] === 0 || (copied.size > 0 && copied.has(nodes[i]))) continue;
      const at = next[rank[nodes[i]]]++;
      output[at] = k;
      position[at] = i;
    }
  });
  const read = rootsRead(d, rank);
  for (const node of copied) read[rank[node]] = 1;
  return { read, ptr, output, position, copied: (node) => copied.size > 0 && copied.has(node) };
};

const rootsRead = (d: Decomposition, rank: Int32Array): Uint8Array => {
  const { graph, stored, unit, references } = d;
  const { op, left, right } = graph;
  const read = new Uint8Array(d.roots.length);
  /* A unit that reads another stands on a level above it. */
  if (d.level.every((l) => l === 0)) return read;
  for (let id = 0; id < graph.length; id++) {
    if (references[id] === 0) continue;
    const arity = ARITY[op[id]];
    if (arity === 0) continue;
    const a = left[id];
    if (stored[a] !== 0 && !(stored[id] !== 0 && unit[id] === unit[a])) read[rank[a]] = 1;
    if (arity === 2) {
      const b = right[id];
      if (stored[b] !== 0 && !(stored[id] !== 0 && unit[id] === unit[b])) read[rank[b]] = 1;
    }
  }
  return read;
};
