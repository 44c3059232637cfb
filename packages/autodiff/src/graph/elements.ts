import type { Graph } from '@filigree/ir';
import type { Activity } from './active.js';
import { FormTable, type Form } from './forms.js';
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
export const joinTerms = (graph: Graph, terms: readonly Term[], { active }: Activity): readonly Element[] => {
  const walk = new Walk(graph, active);
  const byVariables = new Map<string, Term[]>();
  for (const term of terms) {
    const variables: number[] = [];
    walk.begin();
    walk.below(term.node, (id) => {
      if (active[id] === 2) variables.push(id);
    });
    const key = variables.sort((a, b) => a - b).join();
    const known = byVariables.get(key);
    if (known) known.push(term);
    else byVariables.set(key, [term]);
  }
  return [...byVariables.values()];
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
    for (const leaf of leaves) group.leaves.push(leaf);
  }
  return [...groups].map(([form, { sums, leaves }]) => ({ form, sums, leaves: Int32Array.from(leaves) }));
};
