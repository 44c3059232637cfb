import type { Op, Region } from '@filigree/ir';
import { loadStoreOf, type LoadStore } from '../support/load-store.js';

/** Whether the iterations of a loop may run in any order, and hand nothing on. */
export const isAnyOrder = ({ name, attrs, results }: Op): boolean =>
  name === 'scf.for' &&
  results.length === 0 &&
  (attrs['parallel'] === true || attrs['simd'] === true || attrs['independent'] === true) &&
  attrs['team'] !== true;

/** The loop that a loop is around, if there is one alone and beside it nothing that has regions. */
export const inner = ({ name, regions }: Op): Op | undefined => {
  const within = name === 'scf.for' ? regions[0]!.ops.filter((op) => op.regions.length > 0) : [];
  return within.length === 1 && within[0]!.name === 'scf.for' ? within[0] : undefined;
};

/** Single elements that are loaded and stored in a region, in branches too. */
export const accessesIn = ({ ops }: Region): readonly (LoadStore & { readonly op: Op })[] =>
  ops.flatMap((op) => {
    const access = loadStoreOf(op);
    return access ? [{ ...access, op }] : op.regions.flatMap(accessesIn);
  });
