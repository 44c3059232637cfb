import { mix, type Graph } from '@filigree/ir';
import { ADD, ARITY, CONSTANT, MUL, NEG, VARIABLE } from '../../decompose/codes.js';
import { elementsOfSum, NO_FACTOR, ValueReader, type Elements, type Terms } from './elements.js';
import { leavesOf } from './leaves-of.js';

/**
 * Whether something between what is differentiated and the variables computes a variable again. As a node it is the variable; as what an element computes it is
 * another value, though it is written the same. Inputs are computed by nothing.
 */
export const computedAgain = (
  graph: Graph,
  all: readonly Elements[],
  roots: Int32Array,
  variables: Int32Array,
): boolean => {
  const computed = variables.filter((id) => !isInput(graph, all, id));
  if (computed.length === 0) return false;
  const words = wordsOf(graph, all);
  const keys = new Set(Array.from(computed, (id) => keyOf(words.nodes, id)));
  const { nodes, calls } = between(graph, all, roots, new Set(variables));
  for (const id of nodes) if (keys.has(keyOf(words.nodes, id))) return true;
  return [...calls].some(([k, ofRoots]) => {
    let found = false;
    withinTemplate(graph, all[k], [...ofRoots], words.nodes, (_id, own, count) => {
      for (let i = 0; i < count && !found; i++) found = keys.has(keyOf(own, i));
    });
    return found;
  });
};

/** Whether a node is a value that the program was given. */
export const isInput = ({ op }: Graph, all: readonly Elements[], id: number): boolean =>
  op[id] === VARIABLE && elementsOfSum(all, id) === undefined;

/** Two words for each of many expressions: those written alike have the same, of whatever they are made. */
interface Words {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

const room = (n: number): Words => ({ low: new Int32Array(n), high: new Int32Array(n) });

const keyOf = ({ low, high }: Words, i: number): number => (low[i] >>> 0) + (high[i] & 0x1fffff) * 2 ** 32;

const put = (to: Words, i: number, from: Words, j: number): void => {
  to.low[i] = from.low[j];
  to.high[i] = from.high[j];
};

const putLeaf = (to: Words, i: number, id: number): void => {
  to.low[i] = mix(id, 1);
  to.high[i] = mix(id, 2);
};

const putOperation = (to: Words, i: number, code: number, a: Words, j: number, b: Words, k: number): void => {
  to.low[i] = ofOperation(code, a.low[j], b.low[k]);
  to.high[i] = ofOperation(~code, a.high[j], b.high[k]);
};

/* The operands of a sum and of a product may be exchanged. */
const ofOperation = (code: number, a: number, b: number): number => {
  const own = code < 0 ? ~code : code;
  if (own === ADD || own === MUL) return mix(mix(code, (a + b) | 0), (a ^ b) + Math.imul(a | 1, b | 1));
  return mix(mix(code, a), ARITY[own] > 1 ? b : 0);
};

/** The words of all nodes, where those that stand for sums of elements have those of the sums. */
const wordsOf = (graph: Graph, all: readonly Elements[]): { readonly nodes: Words } => {
  const { op, left, right, length } = graph;
  const nodes = room(length);
  const values = all.map((e) => Array.from(e.roots, () => room(e.count)));
  let id = 0;
  const tell = (to: number): void => {
    for (; id < to; id++)
      if (ARITY[op[id]] === 0) putLeaf(nodes, id, id);
      else putOperation(nodes, id, op[id], nodes, left[id], nodes, right[id]);
  };
  for (const [k, e] of all.entries()) {
    tell(e.sums.first);
    const rootOf = new Map(Array.from(e.roots, (root, r) => [root, r]));
    withinTemplate(graph, e, [...e.roots], nodes, (node, own, count, from) => {
      const r = rootOf.get(node);
      for (let i = 0; r !== undefined && i < count; i++) put(values[k][r], from + i, own, i);
    });
    tellSums(all, e, nodes, values);
    id += e.sums.ptr.length - 1;
  }
  tell(length);
  return { nodes };
};

/** Elements whose templates are told together. */
const CHUNK = 1024;

/** Visits what a template computes above its leaves, with the words of some elements at a time, of which the first is `from`. */
const withinTemplate = (
  graph: Graph,
  e: Elements,
  roots: readonly number[],
  nodes: Words,
  visit: (id: number, own: Words, count: number, from: number) => void,
): void => {
  const { op, left, right } = graph;
  const leaves = new Set(leavesOf(graph, e, roots));
  const inside = new Set<number>();
  for (const rest = [...roots]; rest.length > 0;) {
    const id = rest.pop()!;
    if (inside.has(id) || leaves.has(id) || op[id] === CONSTANT) continue;
    inside.add(id);
    if (ARITY[op[id]] > 0) rest.push(left[id]);
    if (ARITY[op[id]] > 1) rest.push(right[id]);
  }
  const order = [...inside].sort((a, b) => a - b);
  const columnOf = new Map(Array.from(e.variables, (id, at) => [id, e.columns[at]]));
  const own = new Map([...order, ...leaves].map((id) => [id, room(Math.min(CHUNK, e.count))]));
  for (let from = 0; from < e.count; from += CHUNK) {
    const count = Math.min(CHUNK, e.count - from);
    for (const id of leaves) {
      const column = columnOf.get(id);
      for (let i = 0; i < count; i++) put(own.get(id)!, i, nodes, column?.[from + i] ?? id);
    }
    for (const id of order) {
      const to = own.get(id)!;
      const [a, b] = [own.get(left[id]), own.get(right[id])];
      for (let i = 0; i < count; i++)
        putOperation(to, i, op[id], a ?? nodes, a ? i : left[id], b ?? nodes, b ? i : right[id]);
      visit(id, to, count, from);
    }
  }
};

/** The words of the sums of elements: those of a sum that nodes are. */
const tellSums = (
  all: readonly Elements[],
  { sums }: Elements,
  nodes: Words,
  values: readonly (readonly Words[])[],
): void => {
  const reader = new ValueReader(all);
  const term = room(1);
  const tellTerm = ({ terms, negative, factors }: Terms, t: number): void => {
    if (terms[t] >= 0) put(term, 0, nodes, terms[t]);
    else {
      const of = reader.callOf(~terms[t]);
      const root = reader.rootOf(~terms[t]);
      put(term, 0, values[of][root], reader.elementOf(~terms[t], root));
    }
    const factor = factors?.[t] ?? NO_FACTOR;
    if (factor !== NO_FACTOR) putOperation(term, 0, MUL, term, 0, nodes, factor);
    if (negative[t] === 1) putOperation(term, 0, NEG, term, 0, term, 0);
  };
  const { ptr, first } = sums;
  for (let s = 0; s + 1 < ptr.length; s++)
    for (let t = ptr[s]; t < ptr[s + 1]; t++) {
      tellTerm(sums, t);
      if (t > ptr[s]) putOperation(nodes, first + s, ADD, nodes, first + s, term, 0);
      else put(nodes, first + s, term, 0);
    }
};

/** What roots need down to the variables: nodes, and roots of templates by call, of all elements if of one. */
const between = (
  graph: Graph,
  all: readonly Elements[],
  roots: Int32Array,
  variables: ReadonlySet<number>,
): { readonly nodes: readonly number[]; readonly calls: ReadonlyMap<number, ReadonlySet<number>> } => {
  const { op, left, right, length } = graph;
  const wanted = new Uint8Array(length);
  const calls = new Map<number, Set<number>>();
  const reader = new ValueReader(all);
  const need = (id: number): void => {
    if (!variables.has(id)) wanted[id] = 1;
  };
  const needValue = (value: number): void => {
    const k = reader.callOf(value);
    const root = all[k].roots[reader.rootOf(value)];
    const known = calls.get(k) ?? new Set<number>();
    if (known.has(root)) return;
    calls.set(k, known.add(root));
    for (const leaf of leavesOf(graph, all[k], [root])) {
      const at = all[k].variables.indexOf(leaf);
      if (at < 0) need(leaf);
      else all[k].columns[at].forEach(need);
    }
  };
  const needTerms = ({ ptr, terms, factors }: Terms, s: number): void => {
    for (let t = ptr[s]; t < ptr[s + 1]; t++) {
      if (terms[t] >= 0) need(terms[t]);
      else needValue(~terms[t]);
      if (factors !== undefined && factors[t] !== NO_FACTOR) need(factors[t]);
    }
  };
  roots.forEach(need);
  const nodes: number[] = [];
  for (let id = length - 1; id >= 0; id--) {
    if (wanted[id] === 0) continue;
    nodes.push(id);
    const sums = op[id] === VARIABLE ? elementsOfSum(all, id)?.sums : undefined;
    if (sums !== undefined) needTerms(sums, id - sums.first);
    else if (ARITY[op[id]] > 0) {
      need(left[id]);
      if (ARITY[op[id]] > 1) need(right[id]);
    }
  }
  return { nodes, calls };
};
