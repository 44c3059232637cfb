import { activity, derivatives, termsOf, type Term } from '@filigree/autodiff';
import { algebraOfGraph, Sym, type Graph } from '@filigree/ir';
import type { Dependence } from './dependence.js';
import { elementsOfSum, hasSum, valueOf, type Elements } from './elements.js';

/** A value of elements as a term of what is differentiated: value `root` of element `element` of `of`, times the node `factor`, in root number `sum`. */
export interface Part {
  readonly of: number;
  readonly root: number;
  readonly element: number;
  readonly sum: number;
  readonly factor: number;
}

/** Roots without the sums of elements that are their terms, and what these sums have as terms. */
export interface Parted {
  readonly roots: Int32Array;
  readonly parts: readonly Part[];
}

/**
 * Takes sums of elements that depend on the variables out of roots. `undefined` where a root does anything else with such a sum than adding it, times what does not
 * depend on them.
 */
export const sumsAmong = (
  graph: Graph,
  all: readonly Elements[],
  roots: Int32Array,
  d: Dependence,
): Parted | undefined => {
  /* Terms that are products are no elements. */
  if (all.some(({ sums }) => sums.factors !== undefined && d.sums.some((id) => hasSum(sums, id)))) return undefined;
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  const parts: Part[] = [];
  let isApart = true;
  const general = roots.map((root, sum) => {
    const terms: readonly Pick<Term, 'node' | 'factor'>[] =
      roots.length === 1
        ? termsOf(graph, root, activity(graph, roots, d.withSums, derivatives))
        : [{ node: root, factor: graph.constant(1) }];
    if (!terms.some((t) => d.isActiveSum(t.node))) return root;
    /* A factor that is written as what depends on the variables would depend on them as a node. */
    isApart &&= terms.every(({ factor }) => d.depends[factor] !== 1);
    let rest = graph.constant(0);
    for (const waiting = [...terms]; waiting.length > 0;) {
      const { node, factor } = waiting.shift()!;
      if (!d.isActiveSum(node)) {
        rest = s.add(sym(rest), s.mul(sym(factor), sym(node))).id;
        continue;
      }
      const { sums } = elementsOfSum(all, node)!;
      const minus = graph.neg(factor);
      for (let t = sums.ptr[node - sums.first]; t < sums.ptr[node - sums.first + 1]; t++) {
        const [term, by] = [sums.terms[t], sums.negative[t] === 1 ? minus : factor];
        if (term >= 0) waiting.push({ node: term, factor: by });
        else parts.push({ ...valueOf(all, ~term), sum, factor: by });
      }
    }
    return rest;
  });
  return !isApart || (d.sums.length > 0 && activity(graph, general, d.sums, derivatives).depends)
    ? undefined
    : { roots: general, parts };
};
