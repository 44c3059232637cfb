import { costsMore, mix, pass, type Pass } from '@filigree/ir';
import type { Decomposition } from '../decompose/decompose.js';
import { ADD, ASSOCIATIVE, NEG } from '../decompose/codes.js';
import { defaultOptions, type GroupOptions } from '../options.js';
import { cutHashes, type CutHashes } from './cut-hash.js';
import { destinations, type Destinations } from './destinations.js';
import { termList } from './terms.js';

/** Units that one kernel evaluates (§4.3): of one structure, one level, and one kind of destination. */
export interface Group {
  readonly level: number;
  /** Unit numbers, ascending. */
  readonly units: Int32Array;
  /** Whether the units are sums of different lengths, evaluated by a loop over terms. */
  readonly rolled: boolean;
}

/** A decomposition, and its units in groups. */
export interface Grouping extends Decomposition {
  readonly hashes: CutHashes;
  readonly destinations: Destinations;
  /** In launch order. */
  readonly groups: readonly Group[];
}

/**
 * Groups units by structure and level. Sums that are long, or of a length that few others have, join the other sums of
 * the same kind of terms in one rolled group, so that irregular structures need few kernels and no kernel is long.
 */
export const group = (options: GroupOptions = defaultOptions.group): Pass<Decomposition, Grouping> =>
  pass('group', (d) => {
    const hashes = cutHashes(d);
    const dest = destinations(d);
    const exact = exactGroups(d, hashes, dest);
    const groups = rollSums(d, hashes, dest, exact, options);
    groups.sort((a, b) => a.level - b.level || a.units[0] - b.units[0]);
    return { ...d, hashes, destinations: dest, groups };
  });

const exactGroups = (d: Decomposition, hashes: CutHashes, dest: Destinations): Int32Array[] => {
  const count = d.ptr.length - 1;
  const index = new Map<number, number>();
  const groupOf = new Int32Array(count);
  const sizes: number[] = [];
  /* Neighbours are often alike. */
  let lastKey = -1;
  let last = -1;
  for (let u = 0; u < count; u++) {
    let h = mix(d.level[u], d.ptr[u + 1] - d.ptr[u]);
    let k = 0x7f4a7c15;
    for (let r = d.ptr[u]; r < d.ptr[u + 1]; r++) {
      h = mix(h, hashes.own[d.roots[r]]);
      k = mix(mix(k, h), destinationHash(dest, r));
    }
    const key = (h >>> 0) * 0x200000 + (k >>> 11);
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

const destinationHash = (dest: Destinations, r: number): number => {
  let h = dest.read[r];
  for (let i = dest.ptr[r]; i < dest.ptr[r + 1]; i++) h = mix(h, dest.output[i]);
  return h;
};

const rollSums = (
  d: Decomposition,
  hashes: CutHashes,
  dest: Destinations,
  exact: readonly Int32Array[],
  options: GroupOptions,
): Group[] => {
  const list = termList(d, hashes);
  const families = new Map<number, { groups: Int32Array[]; level: number }>();
  const out: Group[] = [];
  for (const units of exact) {
    const u = units[0];
    const level = d.level[u];
    const root = d.roots[d.ptr[u]];
    const single = d.ptr[u + 1] - d.ptr[u] === 1;
    const n = single && d.graph.op[root] === ADD ? list.collect(root) : 0;
    if (
      n < 2 ||
      (n <= options.maxUnrolledTerms && units.length >= options.minUnrolledInstances) ||
      !termsAreSmall(d, list.terms, n)
    ) {
      out.push({ level, units, rolled: false });
      continue;
    }
    let h = mix(level, destinationHash(dest, d.ptr[u]));
    let k = 0x2545f491;
    for (let t = 0; t < n; t++) {
      if (t > 0 && list.hashes[t] === list.hashes[t - 1]) continue;
      h = mix(h, list.hashes[t]);
      k = mix(k, h);
    }
    const key = (h >>> 0) * 0x200000 + (k >>> 11);
    const family = families.get(key);
    if (family) family.groups.push(units);
    else families.set(key, { groups: [units], level });
  }
  for (const { groups, level } of families.values()) {
    const n = list.collect(d.roots[d.ptr[groups[0][0]]]);
    const rolled = groups.length > 1 || n > options.maxUnrolledTerms;
    out.push({ level, rolled, units: groups.length === 1 ? groups[0] : mergeAscending(groups) });
  }
  return out;
};

/** A term of a rolled sum is a product, a quotient, a function of leaves; anything larger belongs in a kernel of its own. */
const termsAreSmall = (d: Decomposition, terms: Int32Array, n: number): boolean => {
  for (let t = 0; t < n; t++)
    if (d.stored[terms[t]] === 0 && costsMore(d.graph, terms[t], MAX_TERM_COST) && !shallow(d, terms[t])) return false;
  return true;
};

const MAX_TERM_COST = 64;

/** A product or sign of leaves, however heavy the leaves' own expressions are. */
const shallow = (d: Decomposition, id: number): boolean => {
  const { op, left, right } = d.graph;
  const small = (x: number): boolean => !costsMore(d.graph, x, MAX_TERM_COST);
  const leaf = (x: number): boolean => d.stored[x] !== 0 || d.graph.isVariable(x) || d.graph.isConstant(x);
  if (op[id] === NEG) return leaf(left[id]) || shallow(d, left[id]);
  if (ASSOCIATIVE[op[id]] === 0) return false;
  return ((leaf(left[id]) || small(left[id])) && leaf(right[id])) || (leaf(left[id]) && small(right[id]));
};

const mergeAscending = (groups: readonly Int32Array[]): Int32Array => {
  const out = new Int32Array(groups.reduce((n, g) => n + g.length, 0));
  let at = 0;
  for (const g of groups) {
    out.set(g, at);
    at += g.length;
  }
  return out.sort();
};
