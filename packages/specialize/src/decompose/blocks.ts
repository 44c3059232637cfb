import type { Graph } from '@filigree/ir';
import type { DecomposeOptions } from '../options.js';
import { NONE, OUTPUT, PROVISIONAL, SHARED, TAGGED, type Cut } from './candidates.js';
import { ARITY } from './codes.js';
import { unitWalk } from './walk.js';

/** Variables beyond which an expression belongs to no dense block: a block is local. */
const MAX_SUPPORT = 96;
/** Members of one block. */
const MAX_BLOCK = 256;
/** A shared expression whose few users each add next to nothing is evaluated together with them. */
const SMALL_REST = 4;
const FEW_USERS = 4;
/** Cost from which an expression that several blocks use is stored rather than evaluated in each: their inputs are loaded anyway. */
const RECOMPUTE = 24;

/**
 * Joins stored expressions into blocks that one kernel evaluates together, so that what they share stays in registers
 * (§4.2.4; detecting them without tags is the paper's open limitation 4). Returns a representative for each
 * member of a block and −1 elsewhere (nothing at all where there are no blocks), and updates `cut.kind`: what only its own block reads is no longer stored.
 *
 * Two rules find blocks. (1) An expression and its user that depend on exactly the same variables belong to one
 * element — a face, a tetrahedron — and are joined; a chain of such joins never leaves the element, so blocks stay as
 * small as elements are. (2) An expression all of whose few users add next to nothing is joined with them.
 */
export const joinBlocks = (graph: Graph, cut: Cut, tags: readonly Int32Array[], options: DecomposeOptions): Int32Array | undefined => {
  const { kind } = cut;
  const tagged = options.tags && tags.length > 0;
  if (!options.detectBlocks && !tagged) return undefined;
  const uses = collectUses(graph, cut);
  if (uses.units.length === 0 && !tagged) {
    for (let id = 0; id < kind.length; id++) if (kind[id] === PROVISIONAL) kind[id] = NONE;
    return undefined;
  }
  const block = unionFind(graph.length);
  if (tagged) for (const tag of tags) joinTagged(kind, tag, block);
  if (options.detectBlocks) {
    joinSameSupport(uses, block);
    joinSmallUsers(cut, uses, block);
    dropLoneProvisional(kind, block);
  }
  demoteLocal(cut, uses, block, options);
  return block.representatives(kind);
};

interface UnionFind {
  readonly find: (id: number) => number;
  readonly join: (a: number, b: number) => void;
  readonly size: (id: number) => number;
  readonly representatives: (kind: Uint8Array) => Int32Array;
}

const unionFind = (n: number): UnionFind => {
  const parent = new Int32Array(n).fill(-1);
  const find = (id: number): number => {
    let root = id;
    while (parent[root] >= 0) root = parent[root];
    let at = id;
    while (parent[at] >= 0) {
      const next = parent[at];
      parent[at] = root;
      at = next;
    }
    return root;
  };
  const size = (id: number): number => -parent[find(id)];
  return {
    find,
    size,
    join: (a, b) => {
      const x = find(a);
      const y = find(b);
      if (x === y || size(x) + size(y) > MAX_BLOCK) return;
      const [keep, drop] = x < y ? [x, y] : [y, x];
      parent[keep] += parent[drop];
      parent[drop] = keep;
    },
    representatives: (kind) => {
      const out = new Int32Array(n);
      for (let id = 0; id < n; id++) out[id] = kind[id] === NONE || size(id) === 1 ? -1 : find(id);
      return out;
    },
  };
};

const joinTagged = (kind: Uint8Array, tag: Int32Array, block: UnionFind): void => {
  const members = tag.filter((id) => kind[id] !== NONE);
  for (let i = 1; i < members.length; i++) block.join(members[0], members[i]);
};

/** Which stored expressions read which, among those that take part in sharing, and the variables each depends on. */
interface Uses {
  /** Stored expressions that read another or are read by another, ascending, so what is read comes first. */
  readonly units: Int32Array;
  /** Edges reader → read. */
  readonly reader: Int32Array;
  readonly read: Int32Array;
  /** Per edge: how many other variables or stored expressions the reader reads. */
  readonly rest: Int32Array;
  /** Hash of the set of variables, by node; 0 where it is too large. */
  readonly support: Float64Array;
}

const collectUses = (graph: Graph, cut: Cut): Uses => {
  const { kind, live } = cut;
  const { op, left, right, length } = graph;
  /* A unit takes part when there is a stored expression below it or when one above reads it. */
  const below = new Uint8Array(length);
  for (let id = 0; id < length; id++) {
    if (live[id] === 0 || ARITY[op[id]] === 0) continue;
    const a = left[id];
    const b = ARITY[op[id]] === 2 ? right[id] : a;
    if (below[a] === 1 || below[b] === 1 || kind[a] !== NONE || kind[b] !== NONE) below[id] = 1;
  }
  const walk = unitWalk(graph, kind, 4 * MAX_SUPPORT);
  const reader: number[] = [];
  const read: number[] = [];
  const rest: number[] = [];
  const takesPart = new Uint8Array(length);
  for (let id = 0; id < length; id++) {
    if (live[id] === 0 || kind[id] === NONE || below[id] === 0) continue;
    takesPart[id] = 1;
    const n = walk.collect(id, 4 * MAX_SUPPORT);
    for (let i = 0; i < n; i++) {
      if (kind[walk.reads[i]] === NONE) continue;
      takesPart[walk.reads[i]] = 1;
      reader.push(id);
      read.push(walk.reads[i]);
      rest.push(n - 1);
    }
  }
  const units: number[] = [];
  for (let id = 0; id < length; id++) if (takesPart[id] === 1) units.push(id);
  return {
    units: Int32Array.from(units),
    reader: Int32Array.from(reader),
    read: Int32Array.from(read),
    rest: Int32Array.from(rest),
    support: supports(graph, kind, units),
  };
};

/** Hashes of the sets of variables that units depend on, through other units; 0 where there are more than MAX_SUPPORT. */
const supports = (graph: Graph, kind: Uint8Array, units: readonly number[]): Float64Array => {
  const hash = new Float64Array(graph.length);
  const start = new Map<number, number>();
  let sets: Int32Array = new Int32Array(1024);
  let used = 0;
  const walk = unitWalk(graph, kind, MAX_SUPPORT);
  const seen = new Int32Array(graph.variableCount);
  let epoch = 0;
  for (const id of units) {
    const n = walk.collect(id, MAX_SUPPORT);
    if (n < 0) continue;
    epoch++;
    if (used + MAX_SUPPORT + 1 > sets.length) sets = widen(sets);
    const at = used;
    let size = 0;
    let whole = true;
    const take = (v: number): void => {
      if (seen[v] === epoch) return;
      seen[v] = epoch;
      if (size < MAX_SUPPORT) sets[at + 1 + size] = v;
      size++;
    };
    for (let i = 0; i < n && whole; i++) {
      const r = walk.reads[i];
      if (kind[r] === NONE) take(graph.variableIndex(r));
      else {
        const s = start.get(r);
        if (s === undefined) whole = false;
        else for (let k = 1; k <= sets[s]; k++) take(sets[s + k]);
      }
      if (size > MAX_SUPPORT) whole = false;
    }
    if (!whole) continue;
    sets[at] = size;
    used = at + 1 + size;
    start.set(id, at);
    hash[id] = setHash(sets, at + 1, size);
  }
  return hash;
};

const setHash = (sets: Int32Array, from: number, size: number): number => {
  let h = size;
  for (let i = 0; i < size; i++) {
    let x = Math.imul(sets[from + i] + 1, 0x9e3779b1);
    x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
    const y = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    h += (x >>> 0) * 0x100000 + (y >>> 12);
  }
  return h % 9007199254740881;
};

const widen = (a: Int32Array): Int32Array => {
  const wider = new Int32Array(2 * a.length + MAX_SUPPORT);
  wider.set(a);
  return wider;
};

const joinSameSupport = (uses: Uses, block: UnionFind): void => {
  const { reader, read, support } = uses;
  for (let e = 0; e < reader.length; e++) {
    if (support[read[e]] !== 0 && support[read[e]] === support[reader[e]]) block.join(read[e], reader[e]);
  }
};

const joinSmallUsers = (cut: Cut, uses: Uses, block: UnionFind): void => {
  const { reader, read, rest } = uses;
  const users = new Map<number, number>();
  const large = new Set<number>();
  for (let e = 0; e < reader.length; e++) {
    users.set(read[e], (users.get(read[e]) ?? 0) + 1);
    if (rest[e] > SMALL_REST || cut.cost[reader[e]] > 2 * SMALL_REST || cut.kind[reader[e]] !== OUTPUT || readsSeveral(e, reader)) large.add(read[e]);
  }
  for (let e = 0; e < reader.length; e++) {
    const u = read[e];
    if (cut.kind[u] === SHARED && !large.has(u) && users.get(u)! <= FEW_USERS) block.join(u, reader[e]);
  }
};

/** Edges of one reader stand together. */
const readsSeveral = (e: number, reader: Int32Array): boolean => reader[e - 1] === reader[e] || reader[e + 1] === reader[e];

const dropLoneProvisional = (kind: Uint8Array, block: UnionFind): void => {
  for (let id = 0; id < kind.length; id++) if (kind[id] === PROVISIONAL && block.size(id) === 1) kind[id] = NONE;
};

/** Un-stores what one block alone reads, and what is cheaper to evaluate again in each of several blocks. */
const demoteLocal = (cut: Cut, uses: Uses, block: UnionFind, options: DecomposeOptions): void => {
  const { kind, cost } = cut;
  const first = new Map<number, number>();
  const blocks = new Map<number, number>();
  const { reader, read } = uses;
  for (let e = 0; e < reader.length; e++) {
    const b = block.find(reader[e]);
    const known = first.get(read[e]);
    if (known === undefined) {
      first.set(read[e], b);
      blocks.set(read[e], 1);
    } else if (known !== b) blocks.set(read[e], blocks.get(read[e])! + 1);
  }
  for (const id of uses.units) {
    if (kind[id] === OUTPUT || kind[id] === TAGGED || !first.has(id)) continue;
    const readers = blocks.get(id)!;
    const alone = readers === 1;
    const own = block.find(id) === first.get(id) && alone;
    const readByLargeBlocks = block.size(first.get(id)!) > 1;
    if (own || (alone && readByLargeBlocks) || (readByLargeBlocks && options.detectBlocks && (readers - 1) * cost[id] < RECOMPUTE)) kind[id] = NONE;
  }
};
