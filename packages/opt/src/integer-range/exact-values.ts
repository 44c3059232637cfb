import { coreDialects, walk, type Buffers, type Dialect, type Kernel, type Region } from '@filigree/ir';
import { factsOf } from '../support/facts.js';
import { rangesOf } from './analysis.js';

/**
 * Ids of the integer sums, differences, products and left shifts whose results never leave their type, so that a target
 * may compute them without regard to wrapping.
 */
export const exactValues = (
  kernel: Kernel,
  buffers: Buffers,
  dialects: readonly Dialect[] = coreDialects,
): ReadonlySet<number> => {
  const exact = new Set<number>();
  if (!computesIntegers(kernel)) return exact;
  const ranges = rangesOf(kernel, buffers, factsOf(dialects));
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      if (op.results.length === 1 && op.regions.length === 0 && ranges.exact(op)) exact.add(op.results[0]!.id);
      for (const r of op.regions) ranges.within(op, r, () => visit(r));
    }
  };
  visit(kernel.body);
  return exact;
};

const computesIntegers = (kernel: Kernel): boolean => {
  let found = false;
  walk(kernel.body, (op) => {
    const type = op.results[0]?.type;
    found ||= type === 'i32' || type === 'i64';
  });
  return found;
};
