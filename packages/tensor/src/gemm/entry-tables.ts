import type { Buffer, Module } from '@filigree/ir';
import { ConstantTables } from '../constant-tables.js';
import type { GemmPlan } from './plan-gemm.js';

/** The lists, as names of buffers, by which loops find the entries of a sparse B. */
export interface EntryLists {
  /** Where each column's entries begin, and behind the last where they end. */
  readonly starts: string;
  /** Of each entry: where the column of A is that it multiplies, and where the entry lies. */
  readonly lefts: string;
  readonly positions: string;
}

export interface EntryTables {
  readonly buffers: readonly Buffer[];
  readonly of: (plan: GemmPlan) => EntryLists;
}

/** Lists for all plans that loop over entries; equal lists are one buffer. */
export const entryTables = (module: Module, plans: readonly GemmPlan[]): EntryTables => {
  const all = new Map(module.buffers.map((b) => [b.name, b]));
  const tables = new ConstantTables(all, 'gemm_list');
  const lists = new Map<GemmPlan, EntryLists>();
  for (const plan of plans) {
    const { a, b, n } = plan.spec;
    if (!plan.looped || lists.has(plan) || a.kind !== 'dense' || b.kind !== 'sparse') continue;
    const starts = new Int32Array(n + 1);
    for (const column of b.columns) starts[column + 1]++;
    for (let j = 0; j < n; j++) starts[j + 1] += starts[j];
    const lefts = b.rows.map((row) => row * a.columnStride);
    lists.set(plan, { starts: tables.add(starts), lefts: tables.add(lefts), positions: tables.add(b.positions) });
  }
  return { buffers: [...all.values()].slice(module.buffers.length), of: (plan) => lists.get(plan)! };
};
