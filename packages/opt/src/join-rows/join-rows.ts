import { rare } from '#rare';
import { walk, type Kernel, type Op } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Makes one loop of two that go through what lies in a row: in `for j { for (c < 3) { a[i][j][c] = … } }` the inner loop is too short for lanes, and the outer one, whose neighbours lie three elements apart, gathers and scatters. Where every
 * access goes on by three times as much with `j` as with `c`, both are one loop that counts `3 · j + c`, whose iterations are neighbours.
 *
 * Taken are loops of independent iterations around nothing but a loop from zero to a small number, in which what is counted is for places in memory alone, and where no iteration of the inner loop touches what another one of it writes.
 */
export const joinRows = corePass(
  'join-rows',
  {},
  (dialects) => (module) => (module.kernels.some(mayJoin) ? rare().rowsJoined(module, dialects) : module),
);

/** The most iterations of the inner loop: longer ones fill lanes by themselves. */
export const MOST = 15;

const mayJoin = ({ body }: Kernel): boolean => {
  const constants = new Map<number, number>();
  let found = false;
  walk(body, (op) => {
    if (op.name === 'arith.constant') constants.set(op.results[0]!.id, Number(op.attrs['value']));
  });
  walk(body, (op) => void (found ||= (constants.get(shortWithin(op)?.operands[1]!.id ?? -1) ?? Infinity) <= MOST));
  return found;
};

/** The only loop within a loop of independent iterations, which holds no other. */
export const shortWithin = ({ name, attrs, results, regions }: Op): Op | undefined => {
  if (name !== 'scf.for' || results.length > 0 || !['independent', 'parallel', 'simd'].some((a) => attrs[a] === true))
    return undefined;
  const [inner, ...others] = regions[0]!.ops.filter((op) => op.regions.length > 0);
  const isOne = inner?.name === 'scf.for' && others.length === 0 && inner.results.length === 0;
  return isOne && inner.regions[0]!.ops.every((op) => op.regions.length === 0) ? inner : undefined;
};
