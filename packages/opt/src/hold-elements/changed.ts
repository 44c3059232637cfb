import { bufferName, type Op } from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import { bodyOf, definedIn } from '../support/values.js';

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
