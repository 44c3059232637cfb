import { ValueReader } from '../trace/elements/elements.js';
import type { Grouping } from '../group/group.js';
import { leafColumns, membersByKinds } from './leaf-columns.js';

/** Terms that are values of elements which nobody stores (`decompose/in-sums`), so that their sums evaluate them. Their kinds lie behind those of leaves. */
export interface EvaluatedTerms {
  /** All kinds lie below. */
  readonly kinds: number;
  /** The kind of a value of such elements; undefined for other values. */
  readonly kindOf: (value: number) => number | undefined;
  /** What terms of a kind are; undefined for leaves. */
  readonly ofKind: ((kind: number) => EvaluatedKind | undefined) | undefined;
}

/** Terms that one node of a template says how to compute, from leaves of the same kinds. */
export interface EvaluatedKind {
  /** Equal for the nodes of one template that have the same leaves. */
  readonly columns: readonly Int32Array[];
  readonly kinds: readonly number[];
  readonly root: number;
  /** Leaf c of the template is that of column c. */
  readonly leaves: Int32Array;
  /** The number of the value of the first element. */
  readonly firstValue: number;
}

/** @param first kinds of leaves lie below this */
export const evaluatedTerms = (d: Grouping, kindOf: (id: number) => number, first: number): EvaluatedTerms => {
  const all: EvaluatedKind[] = [];
  const calls = d.needs.elements.map((e) => {
    if (e.mostTerms === 0) return undefined;
    const columns = leafColumns(e);
    const parts = membersByKinds(e.count, columns, kindOf);
    const partOf = new Int32Array(e.count);
    for (const [p, { members }] of parts.entries()) for (const i of members) partOf[i] = p;
    const from = first + all.length;
    for (const [r, root] of e.roots.entries())
      for (const { kinds } of parts)
        all.push({ columns, kinds, root, leaves: e.leaves, firstValue: e.firstValue + r * e.count });
    return { from, partOf, parts: parts.length };
  });
  const reader = new ValueReader(d.needs.elements);
  return {
    kinds: first + all.length,
    kindOf: (value) => {
      if (all.length === 0) return undefined;
      const call = calls[reader.callOf(value)];
      if (call === undefined) return undefined;
      const root = reader.rootOf(value);
      return call.from + root * call.parts + call.partOf[reader.elementOf(value, root)];
    },
    ofKind: all.length === 0 ? undefined : (kind) => all[kind - first],
  };
};
