import type { Graph } from '@filigree/ir';
import type { DecomposeOptions } from '../options.js';
import { barrierDepths } from './barriers.js';
import { LONG_SUM, NONE, OUTPUT, PROVISIONAL, SHARED, TAGGED, type Cut } from './candidates.js';
import { loneOutputs } from './lone-outputs.js';
import { TERM, WHOLE } from './reductions.js';
import { unionFind, type UnionFind } from './union-find.js';
import { collectUses, type Uses } from './uses.js';

/** Cost of all candidates of one element beyond which it is no block: compilers take minutes over functions of that length. */
const MAX_BLOCK_COST = 500;
/** A shared expression whose few users each add next to nothing is evaluated together with them. */
const SMALL_REST = 4;
const FEW_USERS = 4;
/** Cost from which an expression that several blocks use is stored rather than evaluated in each: their inputs are loaded anyway. */
const RECOMPUTE = 24;
/** The same of expressions that read one another: each link of a long chain would be evaluated with all before it, by every reader of the chain. */
const RECOMPUTED_CHAIN = 96;

/**
 * Joins stored expressions into blocks that one kernel evaluates together, so that what they share stays in registers
 * (§4.2.4; detecting them without tags is the paper's open limitation 4). Returns which block a node belongs to, a number
 * below the number of candidates, or −1 for none, and updates `cut.kind`: what only its own block reads is no longer
 * stored.
 *
 * Two rules find blocks. (1) An expression and its user that depend on exactly the same variables belong to one
 * element — a face, a tetrahedron — and are joined; a chain of such joins never leaves the element, so blocks stay as
 * small as elements are. (2) An expression all of whose few users add next to nothing is joined with them.
 *
 * Long sums and tagged expressions are barriers: they are joined with nothing found here. What an element computes on
 * either side of a barrier makes two blocks, so that the barrier does not lie between parts of one block. Then blocks do
 * not depend on one another in a cycle. Along reads, variables are lost and depths below barriers shrink, never the
 * opposite; so on a cycle both stay the same from where a block is entered on, no barrier is passed, and all its units
 * are one element. Users of rule (2) read nothing but what they were joined with and variables, so that they close no cycle; of the
 * variables that stand for sums of elements none that may be made of what they are joined with.
 *
 * @param epoch of `epochsOf`
 */
export const joinBlocks = (
  graph: Graph,
  cut: Cut,
  tags: readonly Int32Array[],
  options: DecomposeOptions,
  epoch?: Int32Array,
): ((id: number) => number) => {
  const tagged = options.tags && tags.length > 0;
  if (!options.detectBlocks && !tagged) return () => -1;
  const uses = collectUses(graph, cut, tagged ? tags : []);
  const block = unionFind(uses.units.length);
  const barrier = Uint8Array.from(uses.units, (id) => (cut.kind[id] === LONG_SUM ? 1 : 0));
  if (tagged) for (const tag of tags) joinTagged(uses, tag, block, barrier);
  if (options.detectBlocks) {
    const depth = barrierDepths(uses, barrier, block);
    if (depth !== undefined) {
      joinSameSupport(graph, cut, uses, depth, block);
      joinSmallUsers(cut, uses, barrier, block, epoch);
    }
    dropLoneProvisional(cut, uses, block);
  }
  demoteLocal(cut, uses, block, options);
  return (id) => {
    const u = uses.rank[id] - 1;
    return u < 0 || block.size(u) === 1 ? -1 : block.find(u);
  };
};

const joinTagged = (uses: Uses, tag: Int32Array, block: UnionFind, barrier: Uint8Array): void => {
  const members = [...tag].map((id) => uses.rank[id] - 1).filter((u) => u >= 0);
  for (const u of members) {
    block.join(members[0], u);
    barrier[u] = 1;
  }
};

/**
 * Joins readers with what they read within one element, on one side of its barriers; all of it or none, since parts of
 * it may depend on one another both ways, and blocks must not. Outputs that are read by nothing may stay apart.
 */
const joinSameSupport = (graph: Graph, cut: Cut, uses: Uses, depth: Int32Array, block: UnionFind): void => {
  const { cost } = cut;
  const { units } = uses;
  const element = unionFind(units.length);
  withinElements(uses, depth, (u, r) => element.join(r, u));
  const total = new Float32Array(units.length);
  for (let u = 0; u < units.length; u++) total[element.find(u)] += cost[units[u]];
  const lone = loneOutputs(graph, cut, uses, element);
  withinElements(uses, depth, (u, r) => {
    if (total[element.find(r)] <= MAX_BLOCK_COST && lone[u] === 0) block.join(r, u);
  });
};

/** Visits readers and what they read, where both depend on the same variables and no barrier is passed. */
const withinElements = (uses: Uses, depth: Int32Array, visit: (reader: number, read: number) => void): void => {
  const { units, ptr, read, support } = uses;
  for (let u = 0; u < units.length; u++) {
    const s = support[u];
    if (s === 0) continue;
    for (let e = ptr[u]; e < ptr[u + 1]; e++)
      if (support[read[e]] === s && depth[read[e]] === depth[u]) visit(u, read[e]);
  }
};

const joinSmallUsers = (
  cut: Cut,
  uses: Uses,
  barrier: Uint8Array,
  block: UnionFind,
  epoch: Int32Array | undefined,
): void => {
  const { kind, cost } = cut;
  const { units, ptr, read, reads } = uses;
  const users = new Int32Array(units.length);
  for (let u = 0; u < units.length; u++) {
    /* One that reads several expressions is no small user. */
    const small =
      ptr[u + 1] - ptr[u] === 1 &&
      reads[u] <= SMALL_REST + 1 &&
      cost[units[u]] <= 2 * SMALL_REST &&
      kind[units[u]] === OUTPUT &&
      barrier[u] === 0;
    for (let e = ptr[u]; e < ptr[u + 1]; e++) users[read[e]] += small ? 1 : FEW_USERS + 1;
  }
  for (let u = 0; u < units.length; u++)
    for (let e = ptr[u]; e < ptr[u + 1]; e++)
      if (
        users[read[e]] <= FEW_USERS &&
        kind[units[read[e]]] === SHARED &&
        (epoch === undefined || epoch[units[read[e]]] === epoch[units[u]])
      )
        block.join(read[e], u);
};

const dropLoneProvisional = ({ kind, candidates }: Cut, { rank }: Uses, block: UnionFind): void => {
  for (let i = 0; i < candidates.length; i++) {
    const id = candidates[i];
    if (kind[id] === PROVISIONAL && (rank[id] === 0 || block.size(rank[id] - 1) === 1)) kind[id] = NONE;
  }
};

/**
 * Un-stores what one block alone reads, and what is cheaper to evaluate again in each of several blocks. Readers are
 * decided before what they read, since what an un-stored reader reads is read by that reader's own readers instead.
 */
const demoteLocal = (cut: Cut, uses: Uses, block: UnionFind, options: DecomposeOptions): void => {
  const { kind, cost, reduction } = cut;
  const { units, ptr, read } = uses;
  const readers = blockSets(units.length);
  /* A term of a long sum alone is evaluated by itself, in the loop over terms if it is not stored. */
  const isTerm = (u: number): boolean =>
    (reduction[units[u]] & TERM) !== 0 &&
    block.size(u) === 1 &&
    (readers.count[u] === 0 || (readers.count[u] === 1 && (reduction[units[readers.first[u]]] & WHOLE) !== 0));
  const within = new Float32Array(units.length);
  /* What the readers of a unit cost that are evaluated again, along the costliest path. */
  const above = new Float32Array(units.length);
  const decide = (u: number): void => {
    const id = units[u];
    const n = readers.count[u];
    if (kind[id] === OUTPUT || kind[id] === TAGGED || kind[id] === LONG_SUM || n === 0) return;
    const alone = n === 1;
    const reader = readers.first[u];
    const own = alone && block.find(u) === reader;
    const byTerm = isTerm(reader) && within[reader] + cost[id] <= MAX_BLOCK_COST;
    const byLargeBlock = block.size(reader) > 1 || byTerm;
    const once = own || (alone && byLargeBlock);
    const again =
      byLargeBlock && options.detectBlocks && (n - 1) * cost[id] < RECOMPUTE && above[u] + cost[id] <= RECOMPUTED_CHAIN;
    if (!once && !again) return;
    kind[id] = NONE;
    if (byTerm) within[reader] += cost[id];
    if (alone && above[u] === 0) return;
    for (let e = ptr[u]; e < ptr[u + 1]; e++) above[read[e]] = Math.max(above[read[e]], above[u] + cost[id]);
  };
  for (let u = units.length - 1; u >= 0; u--) {
    decide(u);
    if (kind[units[u]] === NONE && !isTerm(u)) for (let e = ptr[u]; e < ptr[u + 1]; e++) readers.addAll(read[e], u);
    else if (ptr[u] < ptr[u + 1]) {
      const own = block.find(u);
      for (let e = ptr[u]; e < ptr[u + 1]; e++) readers.add(read[e], own);
    }
  }
};

/** For each unit the set of blocks that read it: exactly while there are at most two, then only that there are more. */
const blockSets = (n: number) => {
  const first = new Int32Array(n);
  const second = new Int32Array(n);
  const count = new Uint8Array(n);
  const add = (u: number, b: number): void => {
    if (count[u] > 0 && first[u] === b) return;
    if (count[u] > 1 && second[u] === b) return;
    if (count[u] === 0) first[u] = b;
    else if (count[u] === 1) second[u] = b;
    if (count[u] < 3) count[u]++;
  };
  const addAll = (u: number, from: number): void => {
    if (count[from] > 0) add(u, first[from]);
    if (count[from] > 1) add(u, second[from]);
    if (count[from] > 2) count[u] = 3;
  };
  return { first, count, add, addAll };
};
