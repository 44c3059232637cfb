import { rare } from '#rare';
import { bufferName, walk, type Kernel, type Op } from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { loadStoreOf } from '../support/load-store.js';
import { bodyOf, definedIn } from '../support/values.js';

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

/** Whether some serial loop may change one element again and again, as in few kernels. */
const changesOne = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => void (found ||= isSerial(op) && changedBy(op).length > 0));
  return found;
};

/** Whether a loop runs its iterations one after the other. */
export const isSerial = ({ name, attrs }: Op): boolean =>
  name === 'scf.for' && ['parallel', 'simd', 'independent', 'team'].every((hint) => attrs[hint] !== true);

/** A load and a store of one element, at the top of the body of a loop. */
export interface Changed {
  readonly load: Op;
  readonly store: Op;
}

/** What a loop reads and writes at an index from around it. */
export const changedBy = (loop: Op): readonly Changed[] => {
  const body = bodyOf(loop.regions[0]!);
  const stores = body.filter((op) => loadStoreOf(op)?.kind === 'store');
  if (stores.length === 0) return [];
  const inside = definedIn(loop.regions[0]!);
  return stores.flatMap((store, k) => {
    const { index } = loadStoreOf(store)!;
    const isHere = (op: Op): boolean => bufferName(op) === bufferName(store) && loadStoreOf(op)!.index.id === index.id;
    if (inside.has(index.id) || typeof index.type !== 'string' || stores.slice(0, k).some(isHere)) return [];
    const load = body.find((op) => loadStoreOf(op)?.kind === 'load' && isHere(op));
    return load && typeof load.results[0]!.type === 'string' ? [{ load, store }] : [];
  });
};
