import { Graph, type Arithmetic } from '@filigree/ir';
import { ARITY, CONSTANT } from '../decompose/codes.js';
import { copyInto } from '../trace/elements/copy-into.js';
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

/** What a node of a trace computes of what stands at its leaves. */
export interface Expression {
  readonly trace: Graph;
  readonly root: number;
  readonly leaves: Int32Array;
  readonly slots: readonly Slot[];
}

/** A term of a sum: a leaf or number, the product of two, or an expression, with a sign, and the stretch in which it stands. */
export interface TermSlot {
  readonly slot: Slot | Expression;
  readonly factor: Slot | undefined;
  readonly negative: boolean;
  readonly stretch: number;
}

/**
 * The sum of terms, in order; or of several lists the sums that begin with the first, which may be empty, and go on with one of the others each. The terms of a stretch are added up and
 * scaled before they are added to what stands before them, but for those of a first one that is not scaled.
 */
export const termTemplate = (
  arithmetic: Arithmetic,
  variables: number,
  [head, ...more]: readonly (readonly TermSlot[])[],
  scales: readonly number[],
): Template => {
  const graph = new Graph({ arithmetic });
  const first = graph.variables(variables);
  const scaled = (values: readonly number[], scale: number): number => {
    const sum = values.reduce((a, b) => graph.add(a, b));
    return scale === 1 ? sum : scale === -1 ? graph.neg(sum) : graph.mul(graph.constant(scale), sum);
  };
  const valueOf = ({ slot, factor, negative }: TermSlot): number => {
    const leaf = nodeOf(graph, first, slot);
    const id = factor === undefined ? leaf : graph.mul(leaf, nodeOf(graph, first, factor));
    return negative ? graph.neg(id) : id;
  };
  const sum = (terms: readonly TermSlot[], before: number | undefined): number => {
    const values = terms.map(valueOf);
    let all = before;
    for (let t = 0; t < terms.length;) {
      const { stretch } = terms[t];
      const from = t;
      while (t < terms.length && terms[t].stretch === stretch) t++;
      const scale = scales[stretch];
      const added = stretch === 0 && scale === 1 ? values.slice(from, t) : [scaled(values.slice(from, t), scale)];
      all = (all === undefined ? added : [all, ...added]).reduce((a, b) => graph.add(a, b));
    }
    return all ?? graph.constant(0);
  };
  if (head.length === 0 && more.some((terms) => terms.some(({ slot }) => 'trace' in slot)))
    return {
      graph,
      roots: together(
        graph,
        more.map((terms) => terms.map((term) => () => valueOf(term))),
      ),
    };
  const value = head.length === 0 && more.length > 0 ? undefined : sum(head, undefined);
  return { graph, roots: value !== undefined && more.length === 0 ? [value] : more.map((terms) => sum(terms, value)) };
};

/** Sums of which the t-th terms are evaluated one after the other, since they read the same: so what these have in common is needed for a short while. */
const together = (graph: Graph, sums: readonly (readonly (() => number)[])[]): readonly number[] => {
  const values = new Array<number | undefined>(sums.length).fill(undefined);
  for (let t = 0; sums.some((terms) => t < terms.length); t++)
    sums.forEach((terms, k) => {
      if (t >= terms.length) return;
      const before = values[k];
      const added = terms[t]();
      values[k] = before === undefined ? added : graph.add(before, added);
    });
  return values.map((value) => value ?? graph.constant(0));
};

const nodeOf = (graph: Graph, first: number, slot: Slot | Expression): number => {
  if ('variable' in slot) return first + slot.variable;
  if ('value' in slot) return graph.constant(slot.value);
  const { trace, root, leaves, slots } = slot;
  const given = new Map(slots.map((s, i) => [leaves[i], nodeOf(graph, first, s)]));
  return copyInto(trace, graph, [root], given)[0];
};
