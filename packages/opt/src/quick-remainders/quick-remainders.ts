import { rare } from '#rare';
import { isFloat, walk, type Kernel } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';

/**
 * Remainders of floats by constant powers of two from 1 on, `x % 1` and `n % 2`, without a division: `x - c · trunc(x / c)` is exact, as the quotient by such a number is, and goes on lanes, where
 * others are a function that subtracts bit by bit. A range is told of a remainder, not of what this becomes: whatever asks for ranges comes before.
 *
 * Option `fastMath` (default false): what is left of a negative number may be 0 where it is -0.
 */
export const quickRemainders = corePass(
  'quick-remainders',
  { fastMath: false as boolean },
  (dialects, { fastMath }) =>
    (module) =>
      module.kernels.some(dividesFloats) ? rare().restsOfQuotients(module, dialects, fastMath) : module,
);

/** Whether there is a remainder of floats, as in few kernels. */
const dividesFloats = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, ({ name, results }) => void (found ||= name === 'arith.rem' && isFloat(results[0]!.type)));
  return found;
};
