import type { Graph } from '@filigree/ir';
import type { DecomposeOptions } from '../options.js';
import { ADD, ARITY, CONSTANT, COST, NEG, STORABLE, associativeIn } from './codes.js';
import { IntList } from './int-list.js';
import { INNER, longReductions, TERM as LONG_TERM, WHOLE } from './reductions.js';

/** Why a node is stored; `NONE` is 0, so that a node's class is also "is it stored". */
export const NONE = 0;
export const OUTPUT = 1;
/** Referenced often enough to be worth a store. */
export const SHARED = 2;
/** An expensive term of a sum, worth a store only if it turns out to share its work with others. */
export const PROVISIONAL = 3;
/** Tagged by the program. */
export const TAGGED = 4;
/** A long sum, minimum or maximum, computed by a kernel of its own whether shared or not. */
export const LONG_SUM = 5;

/** The cut of the graph into stored expressions, by node id. */
export interface Cut {
  readonly kind: Uint8Array;
  /** The nodes that were candidates, ascending: every node whose kind is not NONE is one of them. */
  readonly candidates: Int32Array;
  /** 1 where a stored expression lies below a node that is needed. */
  readonly readsStored: Uint8Array;
  /** Whether there is any such node. */
  readonly layered: boolean;
  /** Cost of evaluating the node when stored operands cost one load. */
  readonly cost: Float32Array;
  /** References to each node from nodes that are needed, and as an output; 0 where it is not needed. */
  readonly references: Uint32Array;
  /** What nodes are to reductions of many terms (`longReductions`). */
  readonly reduction: Uint8Array;
}

/** Terms of sums from this cost on are tried as block members. */
export const HEAVY_TERM = 24;
/** A kernel is a function that a compiler must swallow: costlier expressions are cut. */
export const MAX_COST = 4096;
/** The same of a term of a long reduction, whose loop may be unrolled. */
const MAX_TERM_COST = 512;

/** Storing what usually is not must save so many times as much. */
const UNUSUAL = 16;

/**
 * Chooses the candidates for storage (§4.2.1): outputs, tagged nodes, and expressions referenced at least
 * `minReferences` times whose repeated evaluation costs at least `minComplexity` more than a store. One ascending sweep,
 * so an expression is judged by its cost above what is stored already — the greedy merging of the paper.
 *
 * @param usual 1 for what is stored, if it is given; else little is stored
 */
export const candidates = (
  graph: Graph,
  outputs: Int32Array,
  tagged: Int32Array,
  options: DecomposeOptions,
  usual?: Uint8Array,
): Cut => {
  const { op, left, right, length } = graph;
  const { references, uses, role } = sweepUses(graph, outputs);
  const reduction = longReductions(graph, references);
  /* Terms that must be added in order are computed first, on threads and lanes. */
  const anyOrder = associativeIn(graph.arithmetic)[ADD] === 1;
  const maxTermCost = anyOrder ? MAX_TERM_COST : HEAVY_TERM;
  const minComplexity = (usual === undefined ? 1 : UNUSUAL) * options.minComplexity;
  const kind = new Uint8Array(length);
  const cost = new Float32Array(length);
  for (let i = 0; i < outputs.length; i++) if (ARITY[op[outputs[i]]] > 0) kind[outputs[i]] = OUTPUT;
  for (const id of tagged) if (ARITY[op[id]] > 0 && references[id] > 0 && kind[id] === NONE) kind[id] = TAGGED;
  const terms = new Uint16Array(length);
  const readsStored = new Uint8Array(length);
  const found = new IntList();
  let layered = 0;
  for (let id = 0; id < length; id++) {
    if (references[id] === 0) continue;
    const code = op[id];
    const arity = ARITY[code];
    if (arity === 0) {
      cost[id] = code === CONSTANT ? 0 : 1;
      continue;
    }
    const a = left[id];
    const b = right[id];
    let c = COST[code] + (kind[a] === NONE ? cost[a] : 1);
    let below = kind[a] !== NONE ? 1 : readsStored[a];
    if (arity === 2) {
      c += kind[b] === NONE ? cost[b] : 1;
      below |= kind[b] !== NONE ? 1 : readsStored[b];
    }
    cost[id] = c;
    readsStored[id] = below;
    layered |= below;
    if (code === ADD) {
      const m = op[a] === ADD && kind[a] === NONE ? terms[a] : 1;
      const k = op[b] === ADD && kind[b] === NONE ? terms[b] : 1;
      /* In program order a sum goes on in one of its operands, and the other is a term. */
      const n = anyOrder ? m + k : m > 1 ? m + 1 : k + 1;
      terms[id] = n > 0xffff ? 0xffff : n;
      /* An output that is a long sum is one already; any other is cut off where the sum ends. */
      if (kind[id] === NONE && terms[id] > options.maxSumTerms && (role[id] & SUM) !== 0) kind[id] = LONG_SUM;
    }
    if (kind[id] === NONE && (reduction[id] & WHOLE) !== 0) kind[id] = LONG_SUM;
    if (kind[id] !== NONE) {
      found.push(id);
      continue;
    }
    if (STORABLE[code] === 0) continue;
    if (
      options.global &&
      code !== NEG &&
      (usual?.[id] === 1 || (uses[id] >= options.minReferences && (uses[id] - 1) * c >= minComplexity))
    )
      kind[id] = terms[id] > options.maxSumTerms ? LONG_SUM : SHARED;
    else if (c >= ((reduction[id] & LONG_TERM) !== 0 ? maxTermCost : MAX_COST) && (reduction[id] & INNER) === 0)
      kind[id] = SHARED;
    else if (options.detectBlocks && (role[id] & TERM) !== 0 && c >= HEAVY_TERM) kind[id] = PROVISIONAL;
    if (kind[id] !== NONE) found.push(id);
  }
  return { kind, candidates: found.values(), readsStored, layered: layered !== 0, cost, references, reduction };
};

const TERM = 1;
const SUM = 2;

/**
 * One descending sweep over what the outputs need: references to each node; its uses, which are those of its negation too, since that is never stored; and which nodes are a term of a sum, seen
 * through a sign, or a whole sum, read by something other than a sum, or by one that may not be mixed with it.
 */
const sweepUses = (
  graph: Graph,
  outputs: Int32Array,
): { references: Uint32Array; uses: Uint32Array; role: Uint8Array } => {
  const { op, left, right, length } = graph;
  const anyOrder = associativeIn(graph.arithmetic)[ADD] === 1;
  const references = new Uint32Array(length);
  const uses = new Uint32Array(length);
  const role = new Uint8Array(length);
  for (let i = 0; i < outputs.length; i++) {
    references[outputs[i]]++;
    uses[outputs[i]]++;
  }
  for (let id = length - 1; id >= 0; id--) {
    if (references[id] === 0) continue;
    const code = op[id];
    const arity = ARITY[code];
    if (arity === 0) continue;
    const toSum = code === ADD || (code === NEG && (role[id] & TERM) !== 0);
    if (code === NEG) role[id] = 0;
    const a = left[id];
    references[a]++;
    uses[a] += code === NEG ? uses[id] : 1;
    if (op[a] !== ADD) role[a] |= toSum ? TERM : 0;
    else if (!toSum || (!anyOrder && code === NEG)) role[a] |= SUM;
    if (arity === 1) continue;
    const b = right[id];
    references[b]++;
    uses[b]++;
    if (op[b] !== ADD) role[b] |= toSum ? TERM : 0;
    else if (!toSum || (!anyOrder && op[a] === ADD)) role[b] |= SUM;
  }
  return { references, uses, role };
};
