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
  (dialects) => (module) => (module.kernels.some(updatesInPlace) ? rare().holdElementsOf(module, dialects) : module),
);

/** Whether some serial loop reads and writes memory itself, so that it may read what it has written. */
export const updatesInPlace = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => {
    const does = (name: string): boolean => bodyOf(op.regions[0]!).some((o) => o.name === name);
    found ||= isSerial(op) && does('mem.store') && does('mem.load');
  });
  return found;
};

/** Whether a loop runs its iterations one after the other. */
export const isSerial = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && ['parallel', 'simd', 'independent', 'team'].every((hint) => attrs[hint] !== true);
