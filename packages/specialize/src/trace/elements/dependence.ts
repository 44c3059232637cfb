import type { Graph } from '@filigree/ir';
import { ARITY } from '../../decompose/codes.js';
import { IntList } from '../../decompose/int-list.js';
import { NO_FACTOR, valueOf, type Elements } from './elements.js';
import { leavesOf } from './leaves-of.js';

/** What depends on some variables, through elements too. */
export interface Dependence {
  /** 1 for nodes that do. Of elements it is said of all of a kind, if it holds for one. */
  readonly depends: Uint8Array;
  readonly isVariable: (id: number) => boolean;
  /** Sums of elements that depend on the variables and are none of them. */
  readonly sums: Int32Array;
  readonly isActiveSum: (id: number) => boolean;
  /** Variables, then sums. */
  readonly withSums: Int32Array;
}

export const dependenceOn = (graph: Graph, all: readonly Elements[], variables: Int32Array): Dependence => {
  const { op, left, right, length } = graph;
  const depends = new Uint8Array(length);
  const own = new Uint8Array(length);
  const active = new Uint8Array(length);
  for (const id of variables) own[id] = depends[id] = 1;
  const found = new IntList();
  let id = 0;
  const sweep = (to: number): void => {
    for (; id < to; id++) {
      const arity = ARITY[op[id]];
      if (arity > 0 && own[id] === 0) depends[id] = depends[left[id]] | (arity > 1 ? depends[right[id]] : 0);
    }
  };
  const values: Uint8Array[] = [];
  for (const e of all) {
    const { sums } = e;
    sweep(sums.first);
    values.push(Uint8Array.from(e.roots, (root) => (readsAny(graph, e, root, depends) ? 1 : 0)));
    for (let s = 0; s + 1 < sums.ptr.length; s++) {
      const sum = sums.first + s;
      if (own[sum] === 1) continue;
      let any = false;
      for (let t = sums.ptr[s]; t < sums.ptr[s + 1] && !any; t++) {
        const term = sums.terms[t];
        const factor = sums.factors?.[t] ?? NO_FACTOR;
        if (term >= 0) any = depends[term] === 1 || (factor !== NO_FACTOR && depends[factor] === 1);
        else {
          const { of, root } = valueOf(all, ~term);
          any = values[of][root] === 1;
        }
      }
      if (!any) continue;
      depends[sum] = active[sum] = 1;
      found.push(sum);
    }
  }
  sweep(length);
  const sums = found.values().slice();
  return {
    ...{ depends, sums },
    isVariable: (node) => own[node] === 1,
    isActiveSum: (node) => active[node] === 1,
    withSums: Int32Array.from([...variables, ...sums]),
  };
};

const readsAny = (graph: Graph, e: Elements, root: number, depends: Uint8Array): boolean =>
  leavesOf(graph, e, [root]).some((leaf) => {
    const at = e.variables.indexOf(leaf);
    return at < 0 ? depends[leaf] === 1 : e.columns[at].some((node) => depends[node] === 1);
  });
