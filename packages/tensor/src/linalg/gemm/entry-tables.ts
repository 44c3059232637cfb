import type { Buffer, Module } from '@filigree/ir';
import { ConstantTables } from '../constant-tables.js';
import type { GemmPlan } from './gemm-plan.js';

/** The lists, as names of buffers, by which loops find the entries of a sparse B. */
export interface EntryLists {
  /** Where each column's entries begin, and behind the last where they end. */
  readonly starts: string;
  /** Of each entry: where the column of A is that it multiplies, and where the entry lies. */
  readonly lefts: string;
  readonly positions: string;
}

/** The same for the products of two sparse matrices. */
export interface ProductLists {
  /** Where each column's entries of B begin, and behind the last where they end. */
  readonly columns: string;
  /** Of each entry of B: the column of A that it meets, and where the entry lies. */
  readonly steps: string;
  readonly positions: string;
  /** Where each column's entries of A begin and end, in which row of C each is, in elements, and where it lies. */
  readonly lefts: string;
  readonly rows: string;
  readonly leftPositions: string;
}

export interface EntryTables {
  readonly buffers: readonly Buffer[];
  /** For plans that loop over columns, and for those that loop over the entries of both matrices. */
  readonly columns: (plan: GemmPlan) => EntryLists;
  readonly products: (plan: GemmPlan) => ProductLists;
}

/** Lists for all plans that loop over entries; equal lists are one buffer. */
export const entryTables = (module: Module, plans: readonly GemmPlan[]): EntryTables => {
  const all = new Map(module.buffers.map((b) => [b.name, b]));
  const tables = new ConstantTables(all, 'gemm_list');
  const columns = new Map<GemmPlan, EntryLists>();
  const products = new Map<GemmPlan, ProductLists>();
  for (const plan of plans) {
    const { a, b, c, n, k } = plan.spec;
    if (!plan.looped || b.kind === 'dense') continue;
    const starts = tables.add(startsOf(b.columns, n));
    const positions = tables.add(b.positions);
    if (a.kind === 'dense')
      columns.set(plan, { starts, lefts: tables.add(b.rows.map((row) => row * a.columnStride)), positions });
    else
      products.set(plan, {
        ...{ columns: starts, steps: tables.add(b.rows), positions },
        lefts: tables.add(startsOf(a.columns, k)),
        rows: tables.add(a.rows.map((row) => row * c.rowStride)),
        leftPositions: tables.add(a.positions),
      });
  }
  return {
    buffers: [...all.values()].slice(module.buffers.length),
    columns: (plan) => columns.get(plan)!,
    products: (plan) => products.get(plan)!,
  };
};

/** Where the entries of each column begin, which stand by column, and behind the last where they end. */
const startsOf = (columns: Int32Array, count: number): Int32Array => {
  const starts = new Int32Array(count + 1);
  for (const column of columns) starts[column + 1]++;
  for (let j = 0; j < count; j++) starts[j + 1] += starts[j];
  return starts;
};
