import { rare } from '#rare';
import { mapKernels, rewriteOps } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { factsOf } from '../support/facts.js';
import { scratchOf, usesScratch } from '../support/scratch.js';
import { sumsOf } from './sums-of.js';

/**
 * Takes some iterations of a parallel loop at once, and the loops in it together, where each of these adds up vectors and all load the same: in a product of matrices four rows of the result share every row of
 * the second factor while it is in a register, and need not wait for each other's sums. Iterations of a parallel loop do not depend on one another, so that they may as well go through their loops side by side.
 *
 * Taken are nests in which nothing is written but behind the sums, and whose inner loops have the same bounds for all iterations. Option `bytes` (default 32): the bytes of a vector register. Throws `option/value` when it is not a positive
 * whole number.
 */
export const jamNests = corePass(
  'jam-nests',
  { bytes: 32 },
  (dialects, { bytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const scratch = scratchOf(module.buffers);
      return mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            op.name === 'scf.for' &&
            op.attrs['parallel'] === true &&
            op.results.length === 0 &&
            sumsOf(op.regions[0]!) !== undefined &&
            !usesScratch(op, scratch, facts)
              ? rare().jamLoop(op, ctx, facts, bytes)
              : undefined,
          module.buffers,
        ),
      );
    };
  },
  { bytes: 1 },
);
