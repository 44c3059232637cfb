import { fail, pass, type Pass } from '@filigree/ir';
import { defaultOptions, type DecomposeOptions } from '../options.js';
import type { Trace } from '../trace/trace.js';
import { joinBlocks } from './blocks.js';
import { candidates, NONE, type Cut } from './candidates.js';
import { ARITY } from './codes.js';
import { unitWalk, type UnitWalk } from './walk.js';

/**
 * A trace cut into units (§4.2): a unit is one or more stored expressions that one kernel instance evaluates together.
 * Everything else is evaluated where it is used.
 */
export interface Decomposition extends Trace {
  /** 1 where a node's value is kept in memory, by node id; variables and constants are not marked. */
  readonly stored: Uint8Array;
  /** Roots of unit u: `roots[ptr[u] .. ptr[u+1])`, ascending. Units are in ascending order of their first root. */
  readonly ptr: Int32Array;
  readonly roots: Int32Array;
  /** References to each node, by id. */
  readonly references: Uint32Array;
  /** Unit of each stored node, −1 elsewhere. */
  readonly unit: Int32Array;
  /** Launch level of unit u: larger than the level of every unit it reads. */
  readonly level: Int32Array;
}

export const decompose = (options: DecomposeOptions = defaultOptions.decompose): Pass<Trace, Decomposition> =>
  pass('decompose', (trace) => {
    const { graph } = trace;
    const outputs = distinctOutputs(trace);
    const tagged = options.tags ? Int32Array.from(trace.blocks.flatMap((b) => [...b])) : new Int32Array(0);
    const cut = candidates(graph, outputs, tagged, options);
    const representative = joinBlocks(graph, cut, trace.blocks, options);
    return { ...trace, stored: cut.kind, references: cut.references, ...unitsOf(trace, cut, representative) };
  });

/** Output nodes that need evaluation or a place to be read from, each once, ascending. */
const distinctOutputs = (trace: Trace): Int32Array => {
  const mark = new Uint8Array(trace.graph.length);
  let n = 0;
  for (const { nodes } of trace.outputs) {
    for (let i = 0; i < nodes.length; i++) {
      if (mark[nodes[i]] === 0) {
        mark[nodes[i]] = 1;
        n++;
      }
    }
  }
  const out = new Int32Array(n);
  n = 0;
  for (let id = 0; id < mark.length; id++) if (mark[id] === 1) out[n++] = id;
  return out;
};

const unitsOf = (
  trace: Trace,
  cut: Cut,
  representative: Int32Array | undefined,
): Pick<Decomposition, 'unit' | 'ptr' | 'roots' | 'level'> => {
  const { kind } = cut;
  const n = kind.length;
  const unit = new Int32Array(n).fill(-1);
  const size: number[] = [];
  let count = 0;
  let total = 0;
  const unitOfBlock = new Map<number, number>();
  for (let id = 0; id < n; id++) {
    if (kind[id] === NONE) continue;
    const block = representative === undefined ? -1 : representative[id];
    let u = block < 0 ? undefined : unitOfBlock.get(block);
    if (u === undefined) {
      u = count++;
      size.push(0);
      if (block >= 0) unitOfBlock.set(block, u);
    }
    unit[id] = u;
    size[u]++;
    total++;
  }
  const ptr = new Int32Array(count + 1);
  for (let u = 0; u < count; u++) ptr[u + 1] = ptr[u] + size[u];
  const next = ptr.slice(0, count);
  const roots = new Int32Array(total);
  for (let id = 0; id < n; id++) if (unit[id] >= 0) roots[next[unit[id]]++] = id;
  return { unit, ptr, roots, level: levels(trace, cut, unit, ptr, roots) };
};

/**
 * The longest path of reads below each unit. A block's level may rise after readers of its first members were visited;
 * then the sweep is repeated. Blocks depend on one another without cycles, so that ends soon.
 */
const levels = (trace: Trace, cut: Cut, unit: Int32Array, ptr: Int32Array, roots: Int32Array): Int32Array => {
  const { kind, references } = cut;
  const { op, left, right } = trace.graph;
  const count = ptr.length - 1;
  const level = new Int32Array(count);
  const below = new Int32Array(kind.length);
  const walk = unitWalk(trace.graph, kind, MAX_BLOCK_READS);
  for (let again = true, sweep = 0; again; sweep++) {
    again = false;
    if (sweep > count + 1) {
      fail('decompose/cycle', 'blocks depend on one another in a cycle', {
        remedy: 'do not tag as one block values that are computed from each other through another block',
      });
    }
    for (let id = 0; id < kind.length; id++) {
      const arity = references[id] === 0 ? 0 : ARITY[op[id]];
      if (arity === 0) continue;
      const a = left[id];
      let l = kind[a] === NONE ? below[a] : level[unit[a]] + 1;
      if (arity === 2) {
        const b = right[id];
        const m = kind[b] === NONE ? below[b] : level[unit[b]] + 1;
        if (m > l) l = m;
      }
      below[id] = l;
      const u = unit[id];
      if (u < 0 || l <= level[u]) continue;
      if (ptr[u + 1] - ptr[u] === 1) {
        level[u] = l;
        continue;
      }
      /* A member of a block may read another member, which does not raise its own level. */
      const own = levelOfReads(id, walk, kind, unit, level);
      if (own <= level[u]) continue;
      level[u] = own;
      /* Readers of the block's earlier members have seen too low a level. */
      if (id !== roots[ptr[u]]) again = true;
    }
  }
  return level;
};

/** Reads of one member of a block; more than this and the member is taken to read none of its own block. */
const MAX_BLOCK_READS = 1 << 16;

const levelOfReads = (id: number, walk: UnitWalk, kind: Uint8Array, unit: Int32Array, level: Int32Array): number => {
  const n = walk.collect(id, MAX_BLOCK_READS);
  let l = 0;
  for (let i = 0; i < n; i++) {
    const r = walk.reads[i];
    if (kind[r] !== NONE && unit[r] !== unit[id] && level[unit[r]] + 1 > l) l = level[unit[r]] + 1;
  }
  return l;
};
