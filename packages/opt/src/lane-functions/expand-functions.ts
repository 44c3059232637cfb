import { rare } from '#rare';
import { mapKernels } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Makes arithmetic of elementary functions of vectors of f32, in kernels with the attribute `approximate`: for targets that have vectors but no such functions for them, and would put each lane
 * through a call. Results are within four units in the last place, the sign of zero aside; NaN and infinity are what they are to be. Sines and their kin of
 * more than 8,192 are still computed one by one, where a lane has such a number. The ways are those of W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980); the
 * polynomials are fitted for the least relative error.
 */
export const expandFunctions = corePass(
  'expand-functions',
  {},
  (dialects) => (module) =>
    mapKernels(module, (k) => (k.attrs['approximate'] === true ? rare().expandKernel(k, dialects, module.buffers) : k)),
);
