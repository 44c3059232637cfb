import type { Graph } from '@filigree/ir';
import { ADD, ARITY, ARMS, MUL, NEG, SELECT } from '../../decompose/codes.js';
import { copyInto } from './copy-into.js';
import type { Dependence } from './dependence.js';
import { elementsOfSum, hasSum, NO_FACTOR, valueOf, type Elements, type Sums } from './elements.js';
import { leavesOf } from './leaves-of.js';

/** Roots in which sums of elements that depend on the variables are nodes of the graph, as if a loop had made them. What is below variables stays. */
export const writtenOut = (graph: Graph, all: readonly Elements[], roots: Int32Array, d: Dependence): Int32Array => {
  const { length } = graph;
  const { op, left, right } = graph;
  const wanted = new Uint8Array(length);
  const values = new Map<number, number>();
  /* By call and element. */
  const valuesOf = new Map<number, Value[]>();
  const rewritten = (id: number): boolean => d.depends[id] === 1 && !d.isVariable(id);
  /* From the last to the first: who reads stands behind what is read. */
  const reads = (term: number): void => {
    if (term >= 0) wanted[term] = 1;
    else if (!values.has(~term)) {
      const value = { ...valueOf(all, ~term), id: ~term };
      const key = value.element * all.length + value.of;
      const known = valuesOf.get(key);
      if (known) known.push(value);
      else valuesOf.set(key, [value]);
      values.set(~term, -1);
    }
  };
  for (const root of roots) wanted[root] = 1;
  const sumsOf = (id: number): Elements | undefined => elementsOfSum(all, id);
  const termsOf = (id: number): Pick<Sums, 'terms' | 'negative' | 'factors'> => {
    const { sums } = sumsOf(id)!;
    const [from, to] = [sums.ptr[id - sums.first], sums.ptr[id - sums.first + 1]];
    return {
      terms: sums.terms.subarray(from, to),
      negative: sums.negative.subarray(from, to),
      ...(sums.factors && { factors: sums.factors.subarray(from, to) }),
    };
  };
  const leavesByRoots = new Map<string, Int32Array>();
  const nodesOf = ({ of, element }: Element, roots: readonly number[]): Map<number, number> => {
    const e = all[of];
    const key = `${of} ${roots.join()}`;
    const leaves = leavesByRoots.get(key) ?? leavesOf(graph, e, roots);
    leavesByRoots.set(key, leaves);
    return new Map(
      Array.from(leaves, (leaf) => {
        const at = e.variables.indexOf(leaf);
        return [leaf, at < 0 ? leaf : e.columns[at][element]];
      }),
    );
  };
  for (let id = length - 1; id >= 0; id--) {
    if (wanted[id] === 0 || !rewritten(id)) continue;
    if (d.isActiveSum(id)) {
      const { terms, factors } = termsOf(id);
      for (const factor of factors ?? []) if (factor !== NO_FACTOR) wanted[factor] = 1;
      for (const term of terms) {
        reads(term);
        if (term >= 0) continue;
        const value = valueOf(all, ~term);
        for (const node of nodesOf(value, [all[value.of].roots[value.root]]).values()) wanted[node] = 1;
      }
      continue;
    }
    const arity = ARITY[op[id]];
    if (arity > 0) wanted[left[id]] = 1;
    if (arity > 1) wanted[right[id]] = 1;
  }
  /* Variables with the residues of what they stand for: what reads one would be found again instead of what is written out. */
  const byResidues = all.some((e) => e.sums.factors !== undefined && d.sums.some((id) => hasSum(e.sums, id)));
  const build = (code: number, a: number, b: number): number =>
    byResidues ? graph.apart(code, a, b) : graph.apply(code, a, b);
  const select = (c: number, a: number, b: number): number =>
    byResidues ? build(SELECT, c, build(ARMS, a, b)) : graph.select(c, a, b);
  const made = new Map<number, number>();
  const at = (id: number): number => made.get(id) ?? id;
  const valueAt = (value: number): number => {
    const known = values.get(value)!;
    if (known >= 0) return known;
    /* All of an element at once, so that the nodes of elements that are alike follow each other alike. */
    const { of, element } = valueOf(all, value);
    const own = valuesOf.get(element * all.length + of)!.sort((a, b) => a.root - b.root);
    const roots = own.map(({ root }) => all[of].roots[root]);
    const given = new Map([...nodesOf({ of, element }, roots)].map(([leaf, node]) => [leaf, at(node)]));
    copyInto(graph, graph, roots, given).forEach((node, k) => values.set(own[k].id, node));
    return values.get(value)!;
  };
  for (let id = 0; id < length; id++) {
    if (wanted[id] === 0 || !rewritten(id) || op[id] === ARMS) continue;
    if (d.isActiveSum(id)) {
      const { terms, negative, factors } = termsOf(id);
      const nodes = Array.from(terms, (t, i) => {
        const first = t >= 0 ? at(t) : valueAt(~t);
        const second = factors?.[i] ?? NO_FACTOR;
        const node = second === NO_FACTOR ? first : build(MUL, first, at(second));
        return negative[i] === 1 ? build(NEG, node, 0) : node;
      });
      made.set(
        id,
        byResidues ? nodes.reduce((a, b) => build(ADD, a, b)) : graph.sum(Int32Array.from(nodes), nodes.length),
      );
    } else if (op[id] === SELECT) made.set(id, select(at(left[id]), at(left[right[id]]), at(right[right[id]])));
    else made.set(id, build(op[id], at(left[id]), ARITY[op[id]] > 1 ? at(right[id]) : 0));
  }
  return roots.map(at);
};

interface Element {
  readonly of: number;
  readonly element: number;
}

/** A value of an element that is wanted, and its number. */
interface Value extends Element {
  readonly root: number;
  readonly id: number;
}
