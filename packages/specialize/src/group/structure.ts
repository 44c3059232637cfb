import type { Decomposition } from '../decompose/decompose.js';
import type { CutHashes } from './cut-hash.js';
import { destinationNumbers, type Destinations } from './destinations.js';
import { numbered, Sequences } from './sequences.js';

/** A number for what a unit computes, as far as hashes say, and where the results go. */
export type StructureOf = (unit: number) => number;

export const unitStructures = (d: Decomposition, hashes: CutHashes, dest: Destinations): StructureOf => {
  const sequences = new Sequences();
  const numberOf = numbered<number>();
  const destination = destinationNumbers(dest);
  return (u) => {
    let structure = sequences.after(0, destination(d.ptr[u], d.ptr[u + 1]));
    for (let r = d.ptr[u]; r < d.ptr[u + 1]; r++)
      structure = sequences.after(structure, numberOf(hashes.own[d.roots[r]]));
    return structure;
  };
};

/** The units of each structure and level, ascending. */
export const exactGroups = ({ ptr, level }: Decomposition, structureOf: StructureOf): Int32Array[] => {
  const count = ptr.length - 1;
  const levels = level.reduce((l, m) => Math.max(l, m), 0) + 1;
  const index = new Map<number, number>();
  const groupOf = new Int32Array(count);
  const sizes: number[] = [];
  /* Neighbours are often alike. */
  let lastKey = -1;
  let last = -1;
  for (let u = 0; u < count; u++) {
    const key = structureOf(u) * levels + level[u];
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
