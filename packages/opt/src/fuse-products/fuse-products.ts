import { rare } from '#rare';
import { mapKernels } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Computes a product that several sums share anew in each of them, with `math.fma`, for targets that multiply and add
 * in one instruction: there the product is free and occupies no register. A region is rewritten only if more of its
 * products and sums of products are shared than there are registers; a few can well be kept, and a product that only
 * one sum uses is left to the target. Runs after every pass that looks for products and sums.
 *
 * Sums are associated differently, so results change by rounding.
 *
 * Option `registers` (default 16): how many values a target can keep. Throws `option/value` when it is negative or
 * not a whole number.
 */
export const fuseProducts = corePass('fuse-products', { registers: 16 }, (_, { registers }) => {
  const { fuseKernel } = rare();
  return (module) => mapKernels(module, (k) => fuseKernel(k, registers));
});
