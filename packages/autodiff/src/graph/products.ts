import { Graph, Sym, algebraOfGraph } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import { assembled } from './assemble.js';
import { assembledBodies, repeats, type Derived, type SumsOfBodies } from './bodies.js';
import { doubled } from './forms.js';
import { NONE } from './guarded.js';
import type { Guards } from './guards.js';

/**
 * Products of nodes that are added up at entries of a matrix. One with a factor that has a condition is 0 where that does not hold, whatever its other factors are:
 * 0·∞ is NaN.
 */
export class Products {
  private readonly kinds = new Map<string, Kind>();

  constructor(
    private readonly graph: Graph,
    private readonly guards: Guards,
  ) {}

  add(row: number, col: number, ...factors: readonly number[]): void {
    let condition = NONE;
    const values = factors.map((node) => {
      const { value, condition: own } = this.guards.of(node);
      condition = this.guards.both(condition, own);
      return value;
    });
    const key = `${factors.length} ${condition < 0}`;
    let kind = this.kinds.get(key);
    if (kind === undefined) this.kinds.set(key, (kind = new Kind(factors.length, condition >= 0)));
    kind.push(row, col, condition < 0 ? values : [...values, condition]);
  }

  /** The matrix of all sums, whose pattern is what occurs; made by `sums`, where it is given and there are many. */
  matrix(rows: number, cols: number, sums: SumsOfBodies | undefined): Csr<Int32Array> {
    const kinds = [...this.kinds.values()];
    const total = kinds.reduce((n, kind) => n + kind.count, 0);
    if (sums && repeats(total, kinds.length)) {
      const bodies = kinds.map((kind) => kind.body(this.graph));
      return assembledBodies(bodies, [rows, cols], sums);
    }
    const all = kinds.map((kind) => kind.triplets(this.graph));
    return assembled(this.graph, rows, cols, {
      rows: all.flatMap((t) => t.rows),
      cols: all.flatMap((t) => t.cols),
      nodes: all.flatMap((t) => t.nodes),
    });
  }
}

/** Products of as many factors, all with a condition, which comes last, or all without. */
class Kind {
  count = 0;
  private rows: Int32Array = new Int32Array(64);
  private cols: Int32Array = new Int32Array(64);
  private readonly columns: Int32Array[];

  constructor(
    private readonly factors: number,
    private readonly hasCondition: boolean,
  ) {
    this.columns = Array.from({ length: factors + (hasCondition ? 1 : 0) }, () => new Int32Array(64));
  }

  push(row: number, col: number, leaves: readonly number[]): void {
    const at = this.count++;
    if (at === this.rows.length) {
      this.rows = doubled(this.rows);
      this.cols = doubled(this.cols);
      this.columns.forEach((column, k) => (this.columns[k] = doubled(column)));
    }
    this.rows[at] = row;
    this.cols[at] = col;
    leaves.forEach((node, k) => (this.columns[k][at] = node));
  }

  body(of: Graph): Derived {
    const { count } = this;
    const graph = new Graph({ arithmetic: of.arithmetic });
    const first = graph.variables(this.columns.length);
    const leaves = Int32Array.from(this.columns, (_, k) => first + k);
    return {
      template: { graph, leaves },
      columns: this.columns.map((column) => column.subarray(0, count)),
      count,
      roots: Int32Array.of(this.product(graph, [...leaves])),
      rows: [this.rows.subarray(0, count)],
      cols: [this.cols.subarray(0, count)],
    };
  }

  triplets(graph: Graph): { readonly rows: number[]; readonly cols: number[]; readonly nodes: number[] } {
    const { count } = this;
    return {
      rows: [...this.rows.subarray(0, count)],
      cols: [...this.cols.subarray(0, count)],
      nodes: Array.from({ length: count }, (_, e) =>
        this.product(
          graph,
          this.columns.map((column) => column[e]),
        ),
      ),
    };
  }

  private product(graph: Graph, leaves: readonly number[]): number {
    const s = algebraOfGraph(graph);
    const value = leaves.slice(0, this.factors).reduce((a, b) => s.mul(new Sym(graph, a), new Sym(graph, b)).id);
    return this.hasCondition ? graph.select(leaves[this.factors], value, graph.constant(0)) : value;
  }
}
