import { rare } from '#rare';
import { walk } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { isNestOfSums } from './sums-of.js';

/**
 * Takes some iterations of a parallel loop at once, and the loops in it together, where each of these adds up and all load the same: in a product of matrices four rows of the result share every row of
 * the second factor while it is in a register, and need not wait for each other's sums. Iterations of a parallel loop do not depend on one another, so that they may as well go through their loops side by side.
 *
 * Taken are nests of loops that compute, load and store, and have the same bounds for all iterations; what an iteration keeps in scratch buffers gets room for each of those that go together. Option `bytes` (default 32): the bytes of a vector register. Throws `option/value` when it is not a positive
 * whole number.
 */
export const jamNests = corePass(
  'jam-nests',
  { bytes: 32 },
  (dialects, { bytes }) =>
    (module) => {
      let found = false;
      for (const { body } of module.kernels)
        walk(body, (op) => {
          found ||= isNestOfSums(op);
        });
      return found ? rare().jamModule(module, dialects, bytes) : module;
    },
  { bytes: 1 },
);
