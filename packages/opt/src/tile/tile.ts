import { rare } from '#rare';
import { walk, type Kernel, type Op } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { inner, isAnyOrder } from './nest.js';

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
  (dialects) => (module) => (module.kernels.some(mayCross) ? rare().tileNests(module, dialects) : module),
);

/** Whether there is a nest of loops in any order that reaches far from one iteration of the innermost to the next, as few do. */
const mayCross = ({ body }: Kernel): boolean => {
  const constants = new Map<number, number>();
  const isFar = ({ name, operands }: Op): boolean =>
    (name === 'arith.mul' && constants.get(operands[1]!.id)! >= FAR) ||
    (name === 'arith.shl' && 2 ** constants.get(operands[1]!.id)! >= FAR);
  walk(body, ({ name, attrs, results }) => {
    if (name === 'arith.constant') constants.set(results[0]!.id, Number(attrs['value']));
  });
  let found = false;
  walk(body, (op) => {
    const within = isAnyOrder(op) ? inner(op) : undefined;
    found ||= within !== undefined && isAnyOrder(within) && within.regions[0]!.ops.some(isFar);
  });
  return found;
};

/** So many elements of the widest type are a cache line. */
const FAR = 8;
