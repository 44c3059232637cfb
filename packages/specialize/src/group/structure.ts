import { mix } from '@filigree/ir';
import type { Decomposition } from '../decompose/decompose.js';
import type { CutHashes } from './cut-hash.js';
import { destinationHash, type Destinations } from './destinations.js';

/** The units of each structure, level and kind of destination, ascending. */
export const exactGroups = (d: Decomposition, hashes: CutHashes, dest: Destinations): Int32Array[] => {
  const count = d.ptr.length - 1;
  const index = new Map<number, number>();
  const groupOf = new Int32Array(count);
  const sizes: number[] = [];
  /* Neighbours are often alike. */
  let lastKey = -1;
  let last = -1;
  for (let u = 0; u < count; u++) {
    const key = structureOf(d, hashes, dest, u, d.level[u]);
    let g = key === lastKey ? last : index.get(key);
    if (g === undefined) {
      g = sizes.length;
      index.set(key, g);
      sizes.push(0);
    }
    groupOf[u] = g;
    sizes[g]++;
    lastKey = key;
    last = g;
  }
  const groups = sizes.map((n) => new Int32Array(n));
  const next = new Int32Array(sizes.length);
  for (let u = 0; u < count; u++) groups[groupOf[u]][next[groupOf[u]]++] = u;
  return groups;
};

/** A number of 53 bits for what a unit computes and where the results go. */
export const structureOf = (
  d: Decomposition,
  hashes: CutHashes,
  dest: Destinations,
  u: number,
  seed: number,
): number => {
  let h = mix(seed, d.ptr[u + 1] - d.ptr[u]);
  let k = 0x7f4a7c15;
  for (let r = d.ptr[u]; r < d.ptr[u + 1]; r++) {
    h = mix(h, hashes.own[d.roots[r]]);
    k = mix(mix(k, h), destinationHash(dest, r));
  }
  return (h >>> 0) * 0x200000 + (k >>> 11);
};
