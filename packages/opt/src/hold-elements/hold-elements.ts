import { rare } from '#rare';
import { walk, type Kernel, type Op } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { bodyOf } from '../support/values.js';

/**
 * Holds in a register an element that a loop changes in each iteration, `for k { a[i][j] -= a[i][k] * a[k][j] }`: it is read before the loop and written
 * after it, where there is an iteration. No iteration then waits for what the one before has stored.
 *
 * Taken are elements that a serial loop reads and writes in each iteration at an index that it does not change, where nothing else in it touches the element: all other
 * accesses to the buffer are at indices that the bounds of loops tell apart.
 */
export const holdElements = corePass(
  'hold-elements',
  {},
  (dialects) => (module) => (module.kernels.some(changesOne) ? rare().holdElementsOf(module, dialects) : module),
);

const isStore = ({ name }: Op): boolean => name === 'mem.store';
const isLoad = ({ name }: Op): boolean => name === 'mem.load';

/** Whether some serial loop may change one element again and again: it reads and writes. */
const changesOne = ({ body }: Kernel): boolean => {
  let found = false;
  walk(
    body,
    (op) =>
      void (found ||= isSerial(op) && bodyOf(op.regions[0]!).some(isStore) && bodyOf(op.regions[0]!).some(isLoad)),
  );
  return found;
};

/** Whether a loop runs its iterations one after the other. */
export const isSerial = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && ['parallel', 'simd', 'independent', 'team'].every((hint) => attrs[hint] !== true);
