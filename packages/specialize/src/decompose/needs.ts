import { fail } from '@filigree/ir';
import type { Trace } from '../trace/trace.js';
import { matricesOf } from '../trace/products/sum-of-products.js';
import { ValueReader, type Elements } from '../trace/elements/elements.js';
import { leavesOf } from '../trace/elements/leaves-of.js';
import { ARITY, CONSTANT, VARIABLE } from './codes.js';
import { termsInSums } from './in-sums.js';

/** What of the elements of a trace is computed, and what they read. */
export interface Needs {
  /** Elements whose sums something reads, or whose values such sums have as terms, in the order of the program. */
  readonly elements: readonly NeededElements[];
  /** 1 for nodes whose value elements or their sums read. */
  readonly read: Uint8Array;
  /** 1 for the variables that stand for sums of elements. */
  readonly isSum: (id: number) => boolean;
}

export interface NeededElements extends Elements {
  /** Whether any sum is needed. */
  readonly summed: boolean;
  /** Values of the template that are needed and stored, of its roots. */
  readonly needed: readonly number[];
  /** Terms that a unit of sums may have that evaluates what is needed itself, so that nothing is stored; else 0. */
  readonly mostTerms: number;
  /** The template's leaves of which these are computed: its own, and nodes that are the same for all elements. */
  readonly leaves: Int32Array;
}

/** What outputs need of what elements compute, from the last to the first: who reads stands behind what is read. */
export const needs = ({ graph, inputs, outputs, elements }: Trace): Needs => {
  const { op, left, right, length } = graph;
  const read = new Uint8Array(length);
  const last = inputs[inputs.length - 1];
  const firstNode = last === undefined ? 0 : last.firstNode + last.length;
  const isSum = (id: number): boolean => op[id] === VARIABLE && id >= firstNode;
  if (elements.length === 0 && outputs.every(({ product }) => product === undefined))
    return { elements: [], read, isSum };
  const live = new Uint8Array(length);
  for (const { nodes } of outputs) for (let i = 0; i < nodes.length; i++) live[nodes[i]] = 1;
  const reader = new ValueReader(elements);
  const valueLive = elements.map((e) => new Uint8Array(e.roots.length));
  const found: NeededElements[] = [];
  let id = length - 1;
  /* Nodes down to a given one. */
  const sweep = (to: number, isResult: (id: number) => boolean): void => {
    for (; id >= to; id--) {
      if (live[id] === 0) continue;
      if (isSum(id) && !isResult(id)) leaked();
      const arity = ARITY[op[id]];
      if (arity > 0) live[left[id]] = 1;
      if (arity > 1) live[right[id]] = 1;
    }
  };
  const needNode = (node: number): void => {
    live[node] = 1;
    if (op[node] !== CONSTANT) read[node] = 1;
  };
  const needNodes = (nodes: Int32Array): void => {
    for (let i = 0; i < nodes.length; i++) if (nodes[i] >= 0) needNode(nodes[i]);
  };
  const needValues = (terms: Int32Array): void => {
    for (let t = 0; t < terms.length; t++)
      if (terms[t] < 0) valueLive[reader.callOf(~terms[t])][reader.rootOf(~terms[t])] = 1;
  };
  for (const { product } of outputs) for (const factor of matricesOf(product)) needNodes(factor.values);
  for (let k = elements.length - 1; k >= 0; k--) {
    const { sums, roots, variables, columns } = elements[k];
    const end = sums.first + sums.ptr.length - 1;
    sweep(end, () => false);
    let summed = false;
    for (let s = sums.first; s < end; s++) summed ||= live[s] === 1;
    if (summed)
      for (const { terms, factors } of sums.heads ? [sums, sums.heads] : [sums]) {
        needNodes(terms);
        needValues(terms);
        if (factors !== undefined) needNodes(factors);
      }
    sweep(sums.first, () => true);
    const needed = [...roots.keys()].filter((r) => valueLive[k][r] === 1);
    const leaves =
      needed.length === 0
        ? NONE
        : leavesOf(
            graph,
            elements[k],
            needed.map((r) => roots[r]),
          );
    for (const leaf of leaves) {
      const at = variables.indexOf(leaf);
      if (at < 0) needNode(leaf);
      else needNodes(columns[at]);
    }
    if (summed || needed.length > 0) found.push({ ...elements[k], summed, needed, mostTerms: 0, leaves });
  }
  sweep(0, (v) => v < firstNode);
  found.reverse();
  const mostTerms = termsInSums(graph, found, (sum) => live[sum] === 1);
  return {
    elements: found.map((e, k) => (mostTerms[k] === 0 ? e : { ...e, needed: [], mostTerms: mostTerms[k] })),
    read,
    isSum,
  };
};

const NONE = new Int32Array(0);

const leaked = (): never =>
  fail('elements/leak', 'a value that an element computes is used outside of its body', {
    remedy: 'write it to an array that is among the tables, and read that',
  });
