import { mix } from '@filigree/ir';
import type { Decomposition } from '../decompose/decompose.js';
import { ARITY } from '../decompose/codes.js';
import type { CutHashes } from './cut-hash.js';
import { Sequences } from './sequences.js';

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
  /** Whether this stored node's outputs are copied from the intermediates afterwards. */
  readonly copied: (node: number) => boolean;
}

/** Output positions that a kernel writes directly. */
export const MAX_DIRECT = 4;
/** Kernels that one structure of several results has because these go to different places. */
const MAX_PATTERNS = 4;

/** For the kind of destination of a root: which outputs it goes to, and whether it is an intermediate. */
const destinationHash = (dest: Pick<Destinations, 'read' | 'ptr' | 'output'>, r: number): number => {
  let h = dest.read[r];
  for (let i = dest.ptr[r]; i < dest.ptr[r + 1]; i++) h = mix(h, dest.output[i]);
  return h;
};

/** Numbers for where the values of roots `from .. to` go: the same where they go to the same outputs, and are intermediates or not. */
export const destinationNumbers = (
  dest: Pick<Destinations, 'read' | 'ptr' | 'output'>,
): ((from: number, to: number) => number) => {
  const sequences = new Sequences();
  return (from, to) => {
    let number = 0;
    for (let r = from; r < to; r++) {
      number = sequences.after(number, dest.read[r]);
      for (let i = dest.ptr[r]; i < dest.ptr[r + 1]; i++) number = sequences.after(number, 2 + dest.output[i]);
    }
    return number;
  };
};

/** Where all values of a decomposition go; what stands in more places than a kernel should write is copied. */
export const destinations = (d: Decomposition, hashes: CutHashes): Destinations => {
  const { roots } = d;
  const rank = new Int32Array(d.graph.length);
  for (let r = 0; r < roots.length; r++) rank[roots[r]] = r;
  const read = rootsRead(d, rank);
  const positions = new Int32Array(roots.length);
  for (const { nodes } of d.outputs)
    for (let i = 0; i < nodes.length; i++) if (d.stored[nodes[i]] !== 0) positions[rank[nodes[i]]]++;
  const copied = Uint8Array.from(positions, (n) => (n > MAX_DIRECT ? 1 : 0));
  const direct = listed(d, rank, positions, copied);
  for (let r = 0; r < roots.length; r++) read[r] |= copied[r];
  const more = copyWhatDiffers(d, hashes, { ...direct, read }, copied);
  for (let r = 0; r < roots.length; r++) read[r] |= copied[r];
  const nodes = new Set(roots.filter((_, r) => copied[r] === 1));
  return {
    read,
    ...(more ? listed(d, rank, positions, copied) : direct),
    copied: (node) => nodes.size > 0 && nodes.has(node),
  };
};

/** The output positions of all roots that are not copied. */
const listed = (
  d: Decomposition,
  rank: Int32Array,
  positions: Int32Array,
  copied: Uint8Array,
): Pick<Destinations, 'ptr' | 'output' | 'position'> => {
  const count = copied.length;
  const ptr = new Int32Array(count + 1);
  for (let r = 0; r < count; r++) ptr[r + 1] = ptr[r] + (copied[r] === 1 ? 0 : positions[r]);
  const next = ptr.slice(0, count);
  const output = new (d.outputs.length <= 0x100 ? Uint8Array : Int32Array)(ptr[count]);
  const position = new Int32Array(ptr[count]);
  d.outputs.forEach(({ nodes }, k) => {
    for (let i = 0; i < nodes.length; i++) {
      if (d.stored[nodes[i]] === 0) continue;
      const r = rank[nodes[i]];
      if (copied[r] === 1) continue;
      const at = next[r]++;
      output[at] = k;
      position[at] = i;
    }
  });
  return { ptr, output, position };
};

/**
 * Which entries of an assembled matrix have a single term is a matter of the mesh: these results of an element go straight to the
 * output, and those of others to sums. Where units of one structure come in many such patterns, each result that does not always go
 * the same way is copied from the intermediates, so that one kernel computes all. Returns whether there is any.
 */
const copyWhatDiffers = (
  d: Decomposition,
  hashes: CutHashes,
  dest: Pick<Destinations, 'read' | 'ptr' | 'output'>,
  copied: Uint8Array,
): boolean => {
  const { ptr, roots, level } = d;
  const structures = new Map<number, Structure>();
  const structureOf = (u: number): number => {
    let h = mix(level[u], ptr[u + 1] - ptr[u]);
    for (let r = ptr[u]; r < ptr[u + 1]; r++) h = mix(h, hashes.own[roots[r]]);
    return h;
  };
  const several = (u: number): boolean => ptr[u + 1] - ptr[u] > 1;
  for (let u = 0; u < level.length; u++) {
    if (!several(u)) continue;
    const key = structureOf(u);
    const goes = destinationsOf(dest, ptr[u], ptr[u + 1]);
    const known = structures.get(key);
    if (known === undefined) structures.set(key, { goes, differs: new Uint8Array(goes.length), patterns: new Set() });
    const { goes: first, differs, patterns } = known ?? structures.get(key)!;
    if (patterns.size <= MAX_PATTERNS) patterns.add(goes.reduce(mix, 0));
    for (let k = 0; k < differs.length; k++) if (goes[k] !== first[k]) differs[k] = 1;
  }
  let any = false;
  for (let u = 0; u < level.length; u++) {
    if (!several(u)) continue;
    const { differs, patterns } = structures.get(structureOf(u))!;
    if (patterns.size <= MAX_PATTERNS) continue;
    for (let r = ptr[u]; r < ptr[u + 1]; r++) {
      if (differs[r - ptr[u]] === 0 || dest.ptr[r] === dest.ptr[r + 1]) continue;
      copied[r] = 1;
      any = true;
    }
  }
  return any;
};

/** Units that compute the same. */
interface Structure {
  /** Where the results of the first go. */
  readonly goes: Int32Array;
  /** 1 for results that go elsewhere in others. */
  readonly differs: Uint8Array;
  readonly patterns: Set<number>;
}

const destinationsOf = (dest: Pick<Destinations, 'read' | 'ptr' | 'output'>, from: number, to: number): Int32Array =>
  Int32Array.from({ length: to - from }, (_, k) => destinationHash(dest, from + k));

const rootsRead = (d: Decomposition, rank: Int32Array): Uint8Array => {
  const { graph, stored, unit, references } = d;
  const { op, left, right } = graph;
  const read = Uint8Array.from(d.roots, (id) => d.needs.read[id]);
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
