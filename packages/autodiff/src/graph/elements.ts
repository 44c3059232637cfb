import type { Graph } from '@filigree/ir';
import type { Activity } from './active.js';
import { doubled, equal, FormTable, type Form } from './forms.js';
import type { Term } from './terms.js';
import { Walk } from './walk.js';

/** Expressions of one form, which differ by their leaves alone: a body, once, and for each member a column of leaves. */
export interface ElementGroup {
  readonly form: Form;
  /** Which of the given sums each member is. */
  readonly sums: readonly number[];
  /** Nodes in the place of the form's leaves, one member after another. */
  readonly leaves: Int32Array;
}

/** A sum of terms that is differentiated as one. */
export type Element = readonly Term[];

/**
 * Joins terms that depend on exactly the same variables: what an energy says of one face, be it in one statement or in several loops, is one element, in which the
 * derivatives of its parts meet.
 */
export const joinTerms = <T extends Term>(
  graph: Graph,
  terms: readonly T[],
  { active }: Activity,
): readonly (readonly T[])[] => {
  const walk = new Walk(graph, active);
  const joined: { readonly variables: Int32Array; readonly terms: T[] }[] = [];
  const byHash = new Map<number, number[]>();
  let own: Int32Array = new Int32Array(64);
  for (const term of terms) {
    let count = 0;
    walk.begin();
    walk.below(term.node, (id) => {
      if (active[id] !== 2) return;
      if (count === own.length) own = doubled(own);
      own[count++] = id;
    });
    const variables = own.subarray(0, count).sort();
    let hash = count;
    for (let i = 0; i < count; i++) hash = (Math.imul(hash, 0x01000193) + variables[i]) | 0;
    const candidates = byHash.get(hash) ?? [];
    const known = candidates.find((k) => equal(joined[k].variables, variables));
    if (known !== undefined) {
      joined[known].terms.push(term);
      continue;
    }
    candidates.push(joined.length);
    byHash.set(hash, candidates);
    joined.push({ variables: variables.slice(), terms: [term] });
  }
  return joined.map((j) => j.terms);
};

/**
 * Groups elements by form. `undefined` once all elements together have more than `mostNodes` nodes: they then share so much that it is cheaper to differentiate them
 * together.
 */
export const groupByForm = (
  graph: Graph,
  elements: readonly Element[],
  { active }: Activity,
  mostNodes: number,
): readonly ElementGroup[] | undefined => {
  const walk = new Walk(graph, active);
  const forms = new FormTable(graph, active);
  const groups = new Map<Form, { sums: number[]; leaves: number[] }>();
  let nodes = 0;
  for (let e = 0; e < elements.length; e++) {
    const { form, leaves, size } = forms.formOf(elements[e], walk);
    nodes += size;
    if (nodes > mostNodes && elements.length > 1) return undefined;
    const group = groups.get(form) ?? { sums: [], leaves: [] };
    groups.set(form, group);
    group.sums.push(e);
    for (let k = 0; k < leaves.length; k++) group.leaves.push(leaves[k]);
  }
  return [...groups].map(([form, { sums, leaves }]) => ({ form, sums, leaves: Int32Array.from(leaves) }));
};
