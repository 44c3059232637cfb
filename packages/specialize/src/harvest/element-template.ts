import { Graph, type Arithmetic } from '@filigree/ir';
import { ARITY, CONSTANT } from '../decompose/codes.js';
import type { Slot, Template } from './template.js';

/**
 * What elements compute, copied out of the trace's graph: `roots` in terms of `leaves`, of which leaf i is what `slots[i]` says.
 *
 * @param variables the number of columns
 */
export const elementTemplate = (
  trace: Graph,
  leaves: Int32Array,
  slots: readonly Slot[],
  variables: number,
  roots: readonly number[],
): Template => {
  const { op, left, right } = trace;
  const graph = new Graph({ arithmetic: trace.arithmetic });
  const first = graph.variables(variables);
  const made = new Map<number, number>();
  leaves.forEach((leaf, i) => made.set(leaf, nodeOf(graph, first, slots[i])));
  const needed = new Set<number>();
  for (const rest = [...roots]; rest.length > 0;) {
    const id = rest.pop()!;
    if (needed.has(id)) continue;
    needed.add(id);
    const arity = made.has(id) ? 0 : ARITY[op[id]];
    if (arity > 0) rest.push(left[id]);
    if (arity > 1) rest.push(right[id]);
  }
  for (const id of [...needed].sort((a, b) => a - b)) {
    if (made.has(id)) continue;
    const code = op[id];
    if (code === CONSTANT) made.set(id, graph.constant(trace.constantValue(id)));
    else made.set(id, graph.apply(code, made.get(left[id])!, ARITY[code] > 1 ? made.get(right[id])! : 0));
  }
  return { graph, roots: roots.map((id) => made.get(id)!) };
};

/** The sum of terms, each with its sign, in order. */
export const termTemplate = (
  arithmetic: Arithmetic,
  variables: number,
  terms: readonly { readonly slot: Slot; readonly negative: boolean }[],
): Template => {
  const graph = new Graph({ arithmetic });
  const first = graph.variables(variables);
  const values = terms.map(({ slot, negative }) => {
    const id = nodeOf(graph, first, slot);
    return negative ? graph.neg(id) : id;
  });
  return { graph, roots: [values.length === 0 ? graph.constant(0) : values.reduce((a, b) => graph.add(a, b))] };
};

const nodeOf = (graph: Graph, first: number, slot: Slot): number =>
  'variable' in slot ? first + slot.variable : graph.constant(slot.value);
