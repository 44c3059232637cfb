import type { Graph } from '@filigree/ir';
import { ARITY, ARMS, SELECT } from '../../decompose/codes.js';
import { copyInto } from './copy-into.js';
import type { Dependence } from './dependence.js';
import { valueOf, type Elements } from './elements.js';
import { leavesOf } from './leaves-of.js';

/** Roots in which sums of elements that depend on the variables are nodes of the graph, as if a loop had made them. What is below variables stays. */
export const writtenOut = (graph: Graph, all: readonly Elements[], roots: Int32Array, d: Dependence): Int32Array => {
  const { length } = graph;
  const { op, left, right } = graph;
  const wanted = new Uint8Array(length);
  const values = new Map<number, number>();
  const rewritten = (id: number): boolean => d.depends[id] === 1 && !d.isVariable(id);
  /* From the last to the first: who reads stands behind what is read. */
  const reads = (term: number): void => {
    if (term >= 0) wanted[term] = 1;
    else {
      values.set(~term, -1);
    }
  };
  for (const root of roots) wanted[root] = 1;
  const sumsOf = (id: number): Elements | undefined =>
    all.find((e) => id >= e.sums.first && id < e.sums.first + e.sums.ptr.length - 1);
  const termsOf = (id: number): { readonly terms: Int32Array; readonly negative: Uint8Array } => {
    const { sums } = sumsOf(id)!;
    const [from, to] = [sums.ptr[id - sums.first], sums.ptr[id - sums.first + 1]];
    return { terms: sums.terms.subarray(from, to), negative: sums.negative.subarray(from, to) };
  };
  const nodesOf = ({ of, element, root }: ReturnType<typeof valueOf>): Map<number, number> => {
    const e = all[of];
    return new Map(
      Array.from(leavesOf(graph, e, [e.roots[root]]), (leaf) => {
        const at = e.variables.indexOf(leaf);
        return [leaf, at < 0 ? leaf : e.columns[at][element]];
      }),
    );
  };
  for (let id = length - 1; id >= 0; id--) {
    if (wanted[id] === 0 || !rewritten(id)) continue;
    if (d.isActiveSum(id)) {
      for (const term of termsOf(id).terms) {
        reads(term);
        if (term < 0) for (const node of nodesOf(valueOf(all, ~term)).values()) wanted[node] = 1;
      }
      continue;
    }
    const arity = ARITY[op[id]];
    if (arity > 0) wanted[left[id]] = 1;
    if (arity > 1) wanted[right[id]] = 1;
  }
  const made = new Map<number, number>();
  const at = (id: number): number => made.get(id) ?? id;
  const valueAt = (value: number): number => {
    const known = values.get(value)!;
    if (known >= 0) return known;
    const v = valueOf(all, value);
    const given = new Map([...nodesOf(v)].map(([leaf, node]) => [leaf, at(node)]));
    const [node] = copyInto(graph, graph, [all[v.of].roots[v.root]], given);
    values.set(value, node);
    return node;
  };
  for (let id = 0; id < length; id++) {
    if (wanted[id] === 0 || !rewritten(id) || op[id] === ARMS) continue;
    if (d.isActiveSum(id)) {
      const { terms, negative } = termsOf(id);
      const nodes = Array.from(terms, (t, i) => {
        const node = t >= 0 ? at(t) : valueAt(~t);
        return negative[i] === 1 ? graph.neg(node) : node;
      });
      made.set(id, graph.sum(Int32Array.from(nodes), nodes.length));
    } else if (op[id] === SELECT) made.set(id, graph.select(at(left[id]), at(left[right[id]]), at(right[right[id]])));
    else made.set(id, graph.apply(op[id], at(left[id]), ARITY[op[id]] > 1 ? at(right[id]) : 0));
  }
  return roots.map(at);
};
