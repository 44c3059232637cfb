import { fail, pass, type Pass, checkOptions } from '@filigree/ir';
import { decomposeSpec, defaultOptions, type DecomposeOptions } from '../options.js';
import type { Trace } from '../trace/trace.js';
import { ValueReader } from '../trace/elements/elements.js';
import { joinBlocks } from './blocks.js';
import { bounded } from './bounded.js';
import { withoutDivided } from './divided.js';
import { candidates, NONE, type Cut } from './candidates.js';
import { ARITY } from './codes.js';
import { inARow } from './in-a-row.js';
import { epochsOf } from './epochs.js';
import { printDecomposition } from './print-decomposition.js';
import { needs, type Needs } from './needs.js';
import { usuallyStored } from './usual.js';
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
  readonly needs: Needs;
  /** For the needed elements: the level at which they run, and the level of their sums. */
  readonly elementLevels: readonly ElementLevels[];
}

export interface ElementLevels {
  readonly values: number;
  readonly sums: number;
}

/**
 * Cuts a trace into units (§4.2): decides which expressions are stored, and joins them into blocks.
 *
 * @param alike whether of expressions that look alike all are stored or none
 */
export const decompose = (given?: Partial<DecomposeOptions>, alike = false): Pass<Trace, Decomposition> => {
  const options = { ...defaultOptions.decompose, ...checkOptions('decompose', given, decomposeSpec) };
  const run = pass('decompose', (trace: Trace): Decomposition => {
    const { graph } = trace;
    const needed = needs(trace);
    const outputs = distinctOutputs(trace, needed);
    const tagged = options.tags ? inARow(trace.blocks, Int32Array) : new Int32Array(0);
    const judged = candidates(graph, outputs, tagged, options);
    const first = alike ? candidates(graph, outputs, tagged, options, usuallyStored(graph, judged)) : judged;
    const before = Uint8Array.from(first.candidates, (id) => first.kind[id]);
    const joined = joinBlocks(graph, first, trace.blocks, options, epochsOf(graph, needed.elements));
    const { cut, found } = bounded(graph, first, before);
    const blockOf = withoutDivided(graph, cut, { candidates: first.candidates, before }, found, joined);
    return {
      ...trace,
      stored: cut.kind,
      references: cut.references,
      needs: needed,
      ...unitsOf(trace, cut, blockOf, needed),
    };
  });
  return { ...run, print: printDecomposition };
};

/** Nodes that need evaluation or a place to be read from, as outputs or by elements, each once, ascending. */
const distinctOutputs = (trace: Trace, { read }: Needs): Int32Array => {
  const mark = read.slice();
  let n = 0;
  for (let id = 0; id < mark.length; id++) n += mark[id];
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
  blockOf: (id: number) => number,
  needed: Needs,
): Pick<Decomposition, 'unit' | 'ptr' | 'roots' | 'level' | 'elementLevels'> => {
  const { kind } = cut;
  const stored = selected(cut.candidates, kind);
  const unit = new Int32Array(kind.length).fill(-1);
  const ptr = new Int32Array(stored.length + 1);
  /* 1 + unit of each block. */
  const unitOfBlock = new Int32Array(cut.candidates.length);
  let count = 0;
  for (let i = 0; i < stored.length; i++) {
    const id = stored[i];
    const block = blockOf(id);
    let u = block < 0 ? -1 : unitOfBlock[block] - 1;
    if (u < 0) {
      u = count++;
      if (block >= 0) unitOfBlock[block] = u + 1;
    }
    unit[id] = u;
    ptr[u + 1]++;
  }
  for (let u = 0; u < count; u++) ptr[u + 1] += ptr[u];
  const ends = ptr.slice(0, count + 1);
  const next = ptr.slice(0, count);
  const roots = new Int32Array(stored.length);
  for (let i = 0; i < stored.length; i++) roots[next[unit[stored[i]]]++] = stored[i];
  return { unit, ptr: ends, roots, ...levels(trace, cut, unit, ends, roots, needed) };
};

/** Those of `ids` that are marked. */
const selected = (ids: Int32Array, mark: Uint8Array): Int32Array => {
  const out = new Int32Array(ids.length);
  let n = 0;
  for (let i = 0; i < ids.length; i++) {
    out[n] = ids[i];
    if (mark[ids[i]] !== 0) n++;
  }
  return out.subarray(0, n);
};

/**
 * The longest path of reads below each unit. A block's level may rise after readers of its first members were visited;
 * then the sweep is repeated. Blocks depend on one another without cycles, so that ends soon.
 */
const levels = (
  trace: Trace,
  cut: Cut,
  unit: Int32Array,
  ptr: Int32Array,
  roots: Int32Array,
  needed: Needs,
): Pick<Decomposition, 'level' | 'elementLevels'> => {
  const { kind, references } = cut;
  const { op, left, right } = trace.graph;
  const count = ptr.length - 1;
  const level = new Int32Array(count);
  if (!cut.layered && needed.elements.length === 0) return { level, elementLevels: [] };
  const elements = elementSweep(needed, (id) => (kind[id] === NONE ? below[id] : level[unit[id]] + 1));
  const below = new Int32Array(kind.length);
  const walk = unitWalk(trace.graph, cut, kind.length);
  for (let again = true, sweep = 0; again; sweep++) {
    again = false;
    if (sweep > count + 1) {
      fail('decompose/cycle', 'blocks depend on one another in a cycle', {
        remedy: 'do not tag as one block values that are computed from each other through another block',
      });
    }
    elements.begin();
    for (let id = 0; id < kind.length; id++) {
      while (id === elements.next) elements.reach(below);
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
      const own = levelOfReads(id, walk, kind, unit, level, below);
      if (own <= level[u]) continue;
      level[u] = own;
      /* Readers of the block's earlier members have seen too low a level. */
      if (id !== roots[ptr[u]]) again = true;
    }
  }
  return { level, elementLevels: elements.levels() };
};

/** Levels of elements and of their sums, found where a sweep over the nodes reaches the sums. */
const elementSweep = ({ elements }: Needs, levelAbove: (id: number) => number) => {
  const found: ElementLevels[] = [];
  const highest = (nodes: Int32Array): number => {
    let level = 0;
    for (let i = 0; i < nodes.length; i++) if (nodes[i] >= 0) level = Math.max(level, levelAbove(nodes[i]));
    return level;
  };
  /* The highest level from which on values of elements can be read that are among terms. */
  const highestValue = (terms: Int32Array, values: number): number => {
    const reader = new ValueReader(elements);
    let [level, last] = [0, -1];
    for (let t = 0; t < terms.length; t++) {
      if (terms[t] >= 0) continue;
      const of = reader.callOf(~terms[t]);
      if (of === last) continue;
      last = of;
      /* What sums evaluate themselves is there when they run. */
      const after = elements[of].mostTerms > 0 ? 0 : 1;
      level = Math.max(level, (of === found.length ? values : found[of].values) + after);
    }
    return level;
  };
  const sweep = {
    next: -1,
    begin: (): void => {
      found.length = 0;
      sweep.next = elements[0]?.sums.first ?? -1;
    },
    /** Sets for each sum the level from which it can be read. */
    reach: (below: Int32Array): void => {
      const { leaves, variables, columns, sums } = elements[found.length];
      let values = 0;
      for (const leaf of leaves) {
        const at = variables.indexOf(leaf);
        if (at < 0) values = Math.max(values, levelAbove(leaf));
        else values = Math.max(values, highest(columns[at]));
      }
      let level = Math.max(values, highestValue(sums.terms, values));
      for (const { terms, factors } of sums.heads ? [sums, sums.heads] : [sums]) {
        level = Math.max(level, highest(terms));
        if (factors !== undefined) level = Math.max(level, highest(factors));
      }
      below.fill(level + 1, sums.first, sums.first + sums.ptr.length - 1);
      found.push({ values, sums: level });
      sweep.next = elements[found.length]?.sums.first ?? -1;
    },
    levels: (): readonly ElementLevels[] => [...found],
  };
  return sweep;
};

const levelOfReads = (
  id: number,
  walk: UnitWalk,
  kind: Uint8Array,
  unit: Int32Array,
  level: Int32Array,
  below: Int32Array,
): number => {
  const n = walk.collect(id, Infinity);
  let l = 0;
  for (let i = 0; i < n; i++) {
    const r = walk.reads[i];
    if (kind[r] === NONE) l = Math.max(l, below[r]);
    else if (unit[r] !== unit[id] && level[unit[r]] + 1 > l) l = level[unit[r]] + 1;
  }
  return l;
};
