import { rare } from '#rare';
import { walk, type Kernel, type Value } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { handsOn } from '../support/hands-on.js';
import { bodyOf, terminatorOf } from '../support/values.js';

/**
 * Carries what a loop reads at an index that it carries: in `if (a[j] > a[best]) best = j` the element at `best` was read when `best` was chosen, at `j`,
 * and is chosen along with it. No iteration then waits for a load whose place the one before has told.
 *
 * Taken are loads of a serial loop that writes nothing of their buffer, at places that are sums of multiples of carried integers and of what the loop does not change,
 * where each choice of new indices is between the ones carried and ones at which the body reads as well.
 */
export const carryLoads = corePass(
  'carry-loads',
  {},
  (dialects) => (module) => (module.kernels.some(choosesIndices) ? rare().carryLoadsOf(module, dialects) : module),
);

/** Whether a serial loop carries an integer that it chooses, as most kernels do not. */
const choosesIndices = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => {
    if (found || !handsOn(op)) return;
    const next = new Set(terminatorOf(op.regions[0]!).operands.map((v) => v.id));
    found = bodyOf(op.regions[0]!).some(
      ({ name, results }) => name === 'arith.select' && next.has(results[0]!.id) && isIndex(results[0]!),
    );
  });
  return found;
};

/** Whether a value may be an index. */
export const isIndex = ({ type }: Value): boolean =>
  type === 'i32' || type === 'i64' || type === 'u32' || type === 'u64';
