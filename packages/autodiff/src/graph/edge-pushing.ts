import { Sym, algebraOfGraph, type Graph } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';
import { activity } from './active.js';
import { Edges } from './edges.js';
import { Guarded, NONE } from './guarded.js';
import { operandsOf, ruleOf } from './rule-of.js';
import type { SecondOrder } from './second-order.js';

/** The second derivatives of one node that are not zero: by the variables `rows[e]` and `cols[e]`, as counted in those given, `rows[e] ≥ cols[e]`. */
export interface SecondDerivatives {
  readonly rows: readonly number[];
  readonly cols: readonly number[];
  readonly nodes: readonly number[];
  /** First derivatives, which are a by-product; `NONE` where zero. */
  readonly gradient: Int32Array;
}

/**
 * Edge-pushing (Gower, Mello 2012): one sweep down from `root` keeps the second derivatives by the nodes that are not yet passed, and at each node replaces
 * those by it by those by its operands. Symmetry is used throughout, and zeros are never made.
 */
export const edgePushing = (
  graph: Graph,
  root: number,
  variables: ArrayLike<number>,
  table: DerivativeTable,
  secondOrder: SecondOrder,
): SecondDerivatives => {
  const { active } = activity(graph, [root], variables, table);
  const s = algebraOfGraph(graph);
  const mul = (a: number, b: number): number => s.mul(new Sym(graph, a), new Sym(graph, b)).id;
  const two = graph.constant(2);
  const adjoints = new Guarded(graph, s, root + 1);
  const edges = new Edges(graph, s, root + 1);
  const { weights } = edges;
  adjoints.add(root, graph.constant(1), NONE);

  /** Replaces node `id` by `d`·(an operand `a`), under a condition, in every edge; `others` are the operands after it, with theirs. */
  const push = (id: number, from: readonly Part[]): void =>
    edges.forEach(id, (other, edge) => {
      const weight = weights.valueAt(edge);
      const condition = weights.conditionAt(edge);
      from.forEach(({ operand, partial, taken }, k) => {
        const pushed = mul(weight, partial);
        const both = weights.both(condition, taken);
        if (other !== id) {
          edges.add(operand, other, operand === other ? mul(two, pushed) : pushed, both);
          return;
        }
        edges.add(operand, operand, mul(pushed, partial), both);
        /* Two arms of one choice are never taken both. */
        if (taken < 0)
          for (const later of from.slice(k + 1)) edges.add(operand, later.operand, mul(pushed, later.partial), both);
      });
    });

  for (let id = root; id >= 0; id--) {
    if (active[id] !== 1 || adjoints.valueAt(id) < 0) continue;
    const rule = ruleOf(graph.op[id], table);
    if (rule.is !== 'rule') continue;
    const operands = operandsOf(graph, id);
    const value = adjoints.valueAt(id);
    const condition = adjoints.conditionAt(id);
    if (rule.choice) {
      const { arms, first } = rule.choice;
      const isFirst = first(s, ...operands.map((o) => new Sym(graph, o)));
      const parts = arms.flatMap((k, arm): Part[] =>
        active[operands[k]] === 0
          ? []
          : [{ operand: operands[k], partial: graph.constant(1), taken: (arm === 0 ? isFirst : s.not(isFirst)).id }],
      );
      push(id, parts);
      for (const { operand, taken } of parts) adjoints.add(operand, value, adjoints.both(condition, taken));
      continue;
    }
    const n = operands.length;
    const { first, second } = secondOrder.partials(
      graph,
      id,
      operands,
      operands.map((o) => active[o] !== 0),
    );
    push(id, parts(s, graph, operands, first));
    second.forEach((partial, at) => {
      if (partial < 0) return;
      const [a, b] = [operands[Math.floor(at / n)], operands[at % n]];
      const created = mul(value, partial);
      /* ∂²/∂j∂k counts for both orders, which for operands that are one node is twice. */
      const twice = a === b && Math.floor(at / n) !== at % n;
      edges.add(a, b, twice ? mul(two, created) : created, condition);
    });
    first.forEach((partial, k) => {
      if (partial >= 0) adjoints.add(operands[k], mul(value, partial), condition);
    });
  }

  const place = new Map<number, number>();
  for (let i = 0; i < variables.length; i++) place.set(variables[i], i);
  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  for (let i = 0; i < variables.length; i++) {
    if (variables[i] > root || active[variables[i]] !== 2) continue;
    edges.forEach(variables[i], (other, edge) => {
      const j = place.get(other)!;
      rows.push(Math.max(i, j));
      cols.push(Math.min(i, j));
      nodes.push(weights.total(edge));
    });
  }
  const gradient = Int32Array.from({ length: variables.length }, (_, i) =>
    variables[i] <= root && active[variables[i]] === 2 ? adjoints.total(variables[i]) : NONE,
  );
  return { rows, cols, nodes, gradient };
};

/** An operand that a node depends on by the factor `partial`, where the condition `taken` holds. */
interface Part {
  readonly operand: number;
  readonly partial: number;
  readonly taken: number;
}

/** Operands with their partial derivatives; one that stands twice has the sum of both. */
const parts = (
  s: ReturnType<typeof algebraOfGraph>,
  graph: Graph,
  operands: readonly number[],
  first: readonly number[],
): Part[] => {
  const found = new Map<number, number>();
  operands.forEach((operand, k) => {
    if (first[k] < 0) return;
    const known = found.get(operand);
    found.set(operand, known === undefined ? first[k] : s.add(new Sym(graph, known), new Sym(graph, first[k])).id);
  });
  return [...found].map(([operand, partial]) => ({ operand, partial, taken: NONE }));
};
