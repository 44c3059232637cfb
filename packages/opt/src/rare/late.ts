import { fail } from '@filigree/ir';

let loaded: typeof import('./parts.js') | undefined;

/** The parts of the passes that few targets need: in pages they come when one does. Errors: `opt/not-loaded`. */
export const rare = (): typeof import('./parts.js') =>
  loaded ??
  fail('opt/not-loaded', 'a target needs a part of the passes that is to be loaded first', {
    remedy: 'await loadRarePasses() of @filigree/opt before, which program() does by itself',
  });

/** Loads what few targets need of the passes, where it is not there. */
export const loadRarePasses = async (): Promise<void> => {
  loaded = await import('./parts.js');
};
