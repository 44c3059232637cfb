import { rare } from '#rare';
import { updatesInPlace } from '../hold-elements/hold-elements.js';
import { corePass } from '../support/core-pass.js';

/**
 * Carries what a loop has stored to the iterations that read it: in `for i { x[i] = a * x[i - 1] + b * x[i - 2] }` both are values of the two iterations before, and nothing is read but before the first. So no iteration waits for memory to give back what the one before has stored, which takes
 * longer than the arithmetic of most recurrences (some call it predictive commoning).
 *
 * Taken are loads of numbers in a serial loop, at most `most` (default 4) iterations behind a store of the same type, where all other stores to the buffer lie at constant distances from both and are elsewhere. Vectors are read again: those of several lanes do not wait for each other, and registers are for as many of them as there can be. Throws `option/value` when it is not a positive whole number.
 */
export const carryStores = corePass(
  'carry-stores',
  { most: 4 },
  (dialects, { most }) =>
    (module) =>
      module.kernels.some(updatesInPlace) ? rare().carryStoresOf(module, dialects, most) : module,
  { most: 1 },
);
