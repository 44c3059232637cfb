import { Graph, Sym, algebraOfGraph, type Arithmetic } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';
import { NONE } from './guarded.js';
import { reverseSweep } from './reverse-sweep.js';
import { ruleOf } from './rule-of.js';
import { instantiator } from './template.js';
import { isZero } from './terms.js';

/** First partial derivatives of an op by its operands, and second ones by pairs of them, as nodes; `NONE` where one is zero. */
export interface Partials {
  readonly first: readonly number[];
  /** By pair: entry `n·j + k` for operands j ≤ k of n. */
  readonly second: readonly number[];
}

/**
 * Second derivatives of ops, by differentiating the rows of the table. Each is derived once, over variables of its own — in a program's graph an expression
 * of the operands may be found to equal a node that is not made of them — and is built anew where the op occurs.
 */
export class SecondOrder {
  private readonly rows = new Map<number, Row>();

  constructor(
    private readonly arithmetic: Arithmetic,
    private readonly table: DerivativeTable,
  ) {}

  /** The partial derivatives of node `id` of `graph`, by those operands that `wanted` names. */
  partials(graph: Graph, id: number, operands: readonly number[], wanted: readonly boolean[]): Partials {
    const code = graph.op[id];
    const row = this.rows.get(code) ?? this.derive(code, operands.length);
    this.rows.set(code, row);
    const n = operands.length;
    const isWanted = (j: number, k: number): boolean => j <= k && wanted[j] && wanted[k];
    const first = row.first.map((x, j) => (wanted[j] ? x : NONE));
    const second = row.second.map((x, at) => (isWanted(Math.floor(at / n), at % n) ? x : NONE));
    const roots = [...first, ...second].filter((x) => x >= 0);
    const built = instantiator(row, roots, graph).build(Int32Array.of(...operands, id));
    const there = new Map(roots.map((root, k) => [root, nonZero(graph, built[k])]));
    const builtOf = (root: number): number => there.get(root) ?? NONE;
    return { first: first.map(builtOf), second: second.map(builtOf) };
  }

  private derive(code: number, arity: number): Row {
    const graph = new Graph({ arithmetic: this.arithmetic });
    const from = graph.variables(arity + 1);
    const leaves = Array.from({ length: arity + 1 }, (_, k) => from + k);
    /* The result is a leaf too, and what is written by it depends on the operands as the op does. */
    const result = leaves[arity];
    const operands = leaves.slice(0, arity);
    const s = algebraOfGraph(graph);
    const sym = (id: number): Sym => new Sym(graph, id);
    const rule = ruleOf(code, this.table);
    const partials = rule.is === 'rule' ? rule.times(s, sym(graph.constant(1)), sym(result), ...operands.map(sym)) : [];
    const first = operands.map((_, k) => nonZero(graph, partials[k]?.id ?? NONE));
    const second = first.flatMap((partial, j) => {
      if (partial < 0) return operands.map(() => NONE);
      const direct = reverseSweep(graph, partial, leaves, this.table);
      return operands.map((_, k) => {
        if (k < j) return NONE;
        const byResult = direct[arity] < 0 || first[k] < 0 ? undefined : s.mul(sym(direct[arity]), sym(first[k]));
        const byOperand = direct[k] < 0 ? undefined : sym(direct[k]);
        const sum = byOperand && byResult ? s.add(byOperand, byResult) : (byOperand ?? byResult);
        return nonZero(graph, sum?.id ?? NONE);
      });
    });
    return { graph, leaves, first, second };
  }
}

interface Row extends Partials {
  readonly graph: Graph;
  /** Operands, then the result. */
  readonly leaves: ArrayLike<number>;
}

const nonZero = (graph: Graph, id: number): number => (id >= 0 && isZero(graph, id) ? NONE : id);
