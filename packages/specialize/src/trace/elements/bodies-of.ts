import type { Body } from '@filigree/autodiff';
import { algebraOfGraph, Graph, Sym } from '@filigree/ir';
import { inARow } from '../../decompose/in-a-row.js';
import { computedAgain, isInput } from './computed-again.js';
import { copyInto } from './copy-into.js';
import { dependenceOn, type Dependence } from './dependence.js';
import type { Elements } from './elements.js';
import { leavesOf } from './leaves-of.js';
import { writtenOut } from './written-out.js';
import { sumsAmong, type Part } from './sums-among.js';

/** What is differentiated: nodes that read no sum of elements that depends on the variables, and bodies. */
export interface Split {
  readonly roots: Int32Array;
  /** The values that are differentiated by: what was asked for, or the same as nodes of the graph. */
  readonly variables: Int32Array;
  readonly bodies: readonly Body[];
}

/**
 * Takes sums of elements out of what is differentiated. Where a root has such a sum as a term, and its elements read the variables themselves, their template is a
 * body; where anything else is done with one, all are written out as nodes of the graph. So they are where elements compute a variable again, or more from it in the iteration that
 * computes it: what is written alike is one value, as it is among nodes.
 */
export const bodiesOf = (graph: Graph, all: readonly Elements[], roots: Int32Array, variables: Int32Array): Split => {
  if (all.length === 0) return { roots, variables, bodies: [] };
  if (computedAgain(graph, all, roots, variables)) return asNodes(graph, all, roots, variables);
  const d = dependenceOn(graph, all, variables);
  if (d.sums.length === 0) return { roots, variables, bodies: [] };
  const parted = sumsAmong(graph, all, roots, d);
  const bodies = parted && groups(graph, all, parted.parts, d)?.map((g) => bodyOf(graph, g));
  return bodies
    ? { roots: parted.roots, variables, bodies }
    : { roots: writtenOut(graph, all, roots, d), variables, bodies: [] };
};

/** All down to the inputs as nodes. */
const asNodes = (graph: Graph, all: readonly Elements[], roots: Int32Array, variables: Int32Array): Split => {
  const inputs = Int32Array.from({ length: graph.length }, (_, id) => id).filter((id) => isInput(graph, all, id));
  const nodes = writtenOut(graph, all, inARow([roots, variables], Int32Array), dependenceOn(graph, all, inputs));
  return { roots: nodes.subarray(0, roots.length), variables: nodes.subarray(roots.length), bodies: [] };
};

/** Elements that are alike but for what stands at their leaves. */
interface Group {
  readonly of: Elements;
  /** Roots of the template that are added up, each times a factor. */
  readonly roots: readonly number[];
  readonly leaves: Int32Array;
  /** For each leaf the first leaf with the same variable there, -1 where it stands for none. */
  readonly variable: readonly number[];
  /** A number by which all have the root multiplied, or undefined where it is a leaf. */
  readonly factor: readonly (number | undefined)[];
  readonly members: number[];
  readonly sums: number[];
  readonly factors: number[][];
}

/** `undefined` where elements read what depends on the variables and is none. */
const groups = (
  graph: Graph,
  all: readonly Elements[],
  parts: readonly Part[],
  d: Dependence,
): readonly Group[] | undefined => {
  const found = new Map<string, Group>();
  const leavesByRoots = new Map<string, Int32Array>();
  for (const member of byMember(all, parts)) {
    const { of: k, element, sum } = member[0];
    const e = all[k];
    const key = `${k} ${member.map((p) => p.root).join()}`;
    let leaves = leavesByRoots.get(key);
    if (leaves === undefined) {
      leaves = leavesOf(
        graph,
        e,
        member.map((p) => e.roots[p.root]),
      );
      leavesByRoots.set(key, leaves);
    }
    const nodes = Array.from(leaves, (leaf) => columnOf(e, leaf)?.[element] ?? leaf);
    if (nodes.some((id) => d.depends[id] === 1 && !d.isVariable(id))) return undefined;
    const variable = nodes.map((id) => (d.isVariable(id) ? nodes.indexOf(id) : -1));
    if (variable.every((at) => at < 0)) continue;
    const factor = member.map((p) => (graph.isConstant(p.factor) ? p.factor : undefined));
    const form = `${key} ${variable.join()} ${factor.join()}`;
    let group = found.get(form);
    if (group === undefined) {
      const roots = member.map((p) => e.roots[p.root]);
      group = { of: e, roots, leaves, variable, factor, members: [], sums: [], factors: member.map(() => []) };
      found.set(form, group);
    }
    group.members.push(element);
    group.sums.push(sum);
    for (const [i, p] of member.entries()) group.factors[i].push(p.factor);
  }
  return [...found.values()];
};

/** What an element adds to a root: its parts meet in one body. */
const byMember = (all: readonly Elements[], parts: readonly Part[]): Iterable<readonly Part[]> => {
  const found = new Map<number, Part[]>();
  const most = all.reduce((n, e) => Math.max(n, e.count), 0);
  for (const p of parts) {
    const at = (p.sum * all.length + p.of) * most + p.element;
    const known = found.get(at);
    if (known) known.push(p);
    else found.set(at, [p]);
  }
  return found.values();
};

const columnOf = (e: Elements, leaf: number): Int32Array | undefined => {
  const at = e.variables.indexOf(leaf);
  return at < 0 ? undefined : e.columns[at];
};

const bodyOf = (from: Graph, { of, roots, leaves, variable, factor, members, sums, factors }: Group): Body => {
  const graph = new Graph({ arithmetic: from.arithmetic });
  const own: number[] = [];
  const columns: Int32Array[] = [];
  const variables: number[] = [];
  const leaf = (column: Int32Array): number => {
    own.push(graph.variable());
    columns.push(column);
    return own[own.length - 1];
  };
  const given = new Map<number, number>();
  leaves.forEach((id, k) => {
    if (variable[k] >= 0 && variable[k] < k) return void given.set(id, given.get(leaves[variable[k]])!);
    if (variable[k] === k) variables.push(own.length);
    const column = columnOf(of, id);
    given.set(id, leaf(Int32Array.from(members, (e) => column?.[e] ?? id)));
  });
  const values = copyInto(from, graph, roots, given);
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  let root = graph.constant(0);
  roots.forEach((_, i) => {
    const number = factor[i];
    const by = number === undefined ? leaf(Int32Array.from(factors[i])) : graph.constant(from.constantValue(number));
    root = s.add(sym(root), s.mul(sym(by), sym(values[i]))).id;
  });
  return {
    template: { graph, leaves: Int32Array.from(own), variables: Int32Array.from(variables), root, parts: [root] },
    columns,
    sums: Int32Array.from(sums),
  };
};
