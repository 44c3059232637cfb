import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchCase, type BenchCase } from './cases.js';

/** The cases of the ablation table: names of experiments. */
export const TABLE_CASES = ['numeric-0', 'ata-plus-a', 'power-3', 'cotan', 'dual-laplacian', 'arap'] as const;

/** Those of the compile table: the same, and one as large as a graph gets. */
export const COMPILE_CASES = [...TABLE_CASES, 'product'] as const;

export type TableCase = (typeof COMPILE_CASES)[number];

const SIZES: Readonly<Record<TableCase, number>> = {
  'numeric-0': 20_000,
  'ata-plus-a': 224 * 224,
  'power-3': 224 * 224,
  cotan: 46_850,
  'dual-laplacian': 13 ** 3,
  arap: 11_718,
  product: 1_000_000,
};

/** The case at the size of the tables; `cotan` on the paper's own cloth mesh where the test data has it. */
export const tableCase = (name: TableCase, dtype: 'f32' | 'f64' = 'f64', n = SIZES[name]): BenchCase => {
  const cloth = dataFile(join('meshes', 'cloth-and-tets', 'cloth4.off'));
  return benchCase(name, {
    dtype,
    ...(name === 'cotan' && n === SIZES.cotan && cloth !== undefined ? { mesh: cloth } : { n }),
  });
};

/** A file of the data that is not part of the repository: under `$FILIGREE_DATA`, else beside the clone. */
const dataFile = (path: string): string | undefined => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const file = join(resolve(root, process.env.FILIGREE_DATA ?? join('..', 'shared', 'data')), path);
  return existsSync(file) ? file : undefined;
};
