import { rare } from '#rare';
import type { Op, Region } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { accessesIn, inner, isAnyOrder } from './nest.js';

/**
 * Takes loops that go across each other in tiles: `B[j][i] = A[i][j]` reads along rows and writes along columns, of which each element lies on a cache line of its own, and all
 * of those lines lie in the same few sets of the cache where rows are a power of two long. In a tile of 16 by 16 elements every line is used up while it is there. In a tile the outer
 * loop is innermost, so that what is near in it, for which there may be stores, goes on lanes.
 *
 * Taken are nests of loops in any order, around nothing but arithmetic, loads, stores and branches, of which one access is near in the outermost and far in the innermost, and another
 * one is near in the innermost and far in the outermost, and which are known to run for long.
 */
export const tile = corePass(
  'tile',
  {},
  (dialects) => (module) =>
    module.kernels.some(({ body }) => mayCross(body)) ? rare().tileNests(module, dialects) : module,
);

/** Whether there is a nest of loops in any order with two accesses to memory. */
const mayCross = (region: Region): boolean =>
  region.ops.some((op: Op) => {
    const within = inner(op);
    return (
      (isAnyOrder(op) && within !== undefined && isAnyOrder(within) && accessesIn(within.regions[0]!).length > 1) ||
      op.regions.some(mayCross)
    );
  });
