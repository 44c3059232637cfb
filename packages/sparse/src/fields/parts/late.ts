import { fail } from '@filigree/ir';

let loaded: typeof import('./parts.js') | undefined;

/** The parts of the lowering that not every kernel needs: in pages they come when one does. Errors: `fields/not-loaded`. */
export const rare = (): typeof import('./parts.js') =>
  loaded ??
  fail('fields/not-loaded', 'a kernel needs a part of the lowering that is to be loaded first', {
    remedy: 'await loadLowering() of @filigree/sparse/fields before, which program() does by itself',
  });

/** Loads what kernels may need of the lowering, where it is not there. */
export const loadLowering = async (): Promise<void> => {
  loaded = await import('./parts.js');
};
