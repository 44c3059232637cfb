import { benchCase, type BenchCase } from './cases.js';

/** The cases of the ablation table: names of experiments. */
export const TABLE_CASES = ['numeric-0', 'ata-plus-a', 'power-3', 'cotan', 'dual-laplacian', 'arap'] as const;

/** Those of the compile table: the same, one whose faces compute much, and one as large as a graph gets. */
export const COMPILE_CASES = [...TABLE_CASES, 'cloth-hessian', 'product'] as const;

/** Those of the table of levels: all programs that are traced. */
export const LEVEL_CASES = [
  ...TABLE_CASES,
  'numeric-1',
  'numeric-2',
  'power-2',
  'power-4',
  'lmlt-plus-k',
  'cloth-hessian',
] as const;

export type TableCase = (typeof COMPILE_CASES)[number] | (typeof LEVEL_CASES)[number];

/** Where it is not the size of the experiment. */
const SIZES: Readonly<Partial<Record<TableCase, number>>> = {
  'numeric-0': 20_000,
  'ata-plus-a': 224 * 224,
  'power-3': 224 * 224,
  'numeric-1': 20_000,
  'numeric-2': 20_000,
  'dual-laplacian': 13 ** 3,
  arap: 11_718,
  product: 1_000_000,
};

/** The case at the size of the tables. */
export const tableCase = (name: TableCase, dtype: 'f32' | 'f64' = 'f64', n = SIZES[name]): BenchCase =>
  benchCase(name, { dtype, ...(n === undefined ? {} : { n }) });
