import { Graph, Sym, algebraOfGraph, applyWithoutZeros, graphCodes, postOrder } from '@filigree/ir';
import { NONE } from './guarded.js';
import type { Form } from './forms.js';

const { ARITY, ARMS, CONSTANT, SELECT, VARIABLE } = graphCodes;

/** A form as a graph of its own, to be differentiated. */
export interface Template {
  readonly graph: Graph;
  /** Nodes of the leaves. */
  readonly leaves: Int32Array;
  /** Which leaves are variables by which we differentiate. */
  readonly variables: Int32Array;
  /** What is differentiated: the sum of the parts. */
  readonly root: number;
  /** Each term of the form. */
  readonly parts: readonly number[];
}

/** The graph of a form of `from`. */
export const templateOf = (form: Form, from: Graph): Template => {
  const { words, terms } = form;
  const graph = new Graph({ arithmetic: from.arithmetic, capacity: words.length });
  const first = graph.variables(form.leaves);
  const leaves = Int32Array.from({ length: form.leaves }, (_, k) => first + k);
  const variables: number[] = [];
  const there = new Int32Array(words.length / 4);
  let leaf = 0;
  for (let k = 0; k < there.length; k++) {
    const [code, a, b, c] = words.subarray(4 * k, 4 * k + 4);
    if (code === CONSTANT) there[k] = graph.constant(from.constantValue(a));
    else if (code === VARIABLE) {
      if (a === 1) variables.push(leaf);
      there[k] = leaves[leaf++];
    } else if (code === SELECT) there[k] = graph.select(there[a], there[b], there[c]);
    else there[k] = graph.apply(code, there[a], b < 0 ? 0 : there[b]);
  }
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  const zero = graph.constant(0);
  const parts = Array.from({ length: terms.length / 3 }, (_, t) => {
    const [node, factor, condition] = terms.subarray(3 * t, 3 * t + 3);
    const value = s.mul(sym(there[node]), sym(there[factor])).id;
    return condition < 0 ? value : graph.select(there[condition], value, zero);
  });
  const root = parts.reduce((sum, part) => s.add(sym(sum), sym(part)).id, zero);
  return { graph, leaves, variables: Int32Array.from(variables), root, parts };
};

/**
 * Builds nodes of a small graph in another: `build` makes `roots` with what it is given in the place of the leaves, by at most `size` new nodes, in the order
 * of the roots. Its result is
 * overwritten by the next call.
 */
export const instantiator = (
  { graph: template, leaves }: Pick<Template, 'graph'> & { readonly leaves: ArrayLike<number> },
  roots: ArrayLike<number>,
  graph: Graph,
): { readonly build: (given: Int32Array) => Int32Array; readonly size: number } => {
  const { op, left, right } = template;
  const there = new Int32Array(template.length).fill(NONE);
  const steps: number[] = [];
  const done = new Uint8Array(template.length);
  for (let r = 0; r < roots.length; r++)
    postOrder(
      template,
      roots[r],
      (id) => {
        if (done[id] === 1) return;
        done[id] = 1;
        if (op[id] === CONSTANT) there[id] = graph.constant(template.constantValue(id));
        else if (op[id] !== ARMS && op[id] !== VARIABLE) steps.push(id);
      },
      (id) => done[id] === 0,
    );
  const out = new Int32Array(roots.length);
  const build = (given: Int32Array): Int32Array => {
    for (let k = 0; k < leaves.length; k++) there[leaves[k]] = given[k];
    for (const id of steps)
      there[id] =
        op[id] === SELECT
          ? graph.select(there[left[id]], there[left[right[id]]], there[right[right[id]]])
          : applyWithoutZeros(graph, op[id], there[left[id]], ARITY[op[id]] === 2 ? there[right[id]] : 0);
    for (let r = 0; r < roots.length; r++) out[r] = there[roots[r]];
    return out;
  };
  return { build, size: steps.length };
};
