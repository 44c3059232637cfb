import { mix, type Graph } from '@filigree/ir';
import { OUTPUT, type Cut } from './candidates.js';
import type { UnionFind } from './union-find.js';
import type { Uses } from './uses.js';

/** Outputs that cost less than this may be evaluated apart from their element. */
const CHEAP = 24;
/** Kernels that elements of one structure may have because different results of theirs are outputs. */
const MAX_PATTERNS = 4;

/**
 * Which entries of an assembled matrix have a single term is a matter of the mesh: these results of an element are outputs, while
 * those of other elements are evaluated in the sums that they are terms of. Marks such outputs, which cost little and are read by
 * nothing, where elements of one structure come with many different sets of them; what is marked stays apart from its element, so that
 * one kernel computes all elements.
 */
export const loneOutputs = (graph: Graph, cut: Cut, uses: Uses, element: UnionFind): Uint8Array => {
  const { units, ptr, read, reads } = uses;
  const isRead = new Uint8Array(units.length);
  for (let e = 0; e < read.length; e++) isRead[read[e]] = 1;
  const lone = Uint8Array.from(units, (id, u) =>
    cut.kind[id] === OUTPUT && isRead[u] === 0 && reads[u] > 0 && cut.cost[id] < CHEAP && element.size(u) > 1 ? 1 : 0,
  );
  if (!lone.includes(1)) return lone;
  /* By the first unit of an element: how many others it has, what they are, and which of them the marked ones read. */
  const members = new Int32Array(units.length);
  const structure = new Int32Array(units.length);
  const pattern = new Int32Array(units.length);
  const number = new Int32Array(units.length);
  for (let u = 0; u < units.length; u++) {
    const own = element.find(u);
    if (lone[u] === 0) {
      number[u] = ++members[own];
      structure[own] = mix(mix(structure[own], graph.op[units[u]]), cut.cost[units[u]]);
      continue;
    }
    for (let e = ptr[u]; e < ptr[u + 1]; e++)
      pattern[own] = mix(pattern[own], element.find(read[e]) === own ? number[read[e]] : 0);
  }
  const patterns = new Map<number, Set<number>>();
  for (let u = 0; u < units.length; u++) {
    if (members[u] === 0) continue;
    const known = patterns.get(structure[u]);
    if (known === undefined) patterns.set(structure[u], new Set([pattern[u]]));
    else if (known.size <= MAX_PATTERNS) known.add(pattern[u]);
  }
  for (let u = 0; u < units.length; u++)
    if (lone[u] === 1) lone[u] = patterns.get(structure[element.find(u)])!.size > MAX_PATTERNS ? 1 : 0;
  return lone;
};
