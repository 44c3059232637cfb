import { fail } from '@filigree/ir';

let loaded: typeof import('./parts.js') | undefined;

/** The parts of the front end that few kernels use: in pages they come when one does. Errors: `lang/words-not-loaded`. */
export const rare = (): typeof import('./parts.js') =>
  loaded ??
  fail('lang/words-not-loaded', 'a kernel uses a part of the language that is to be loaded first', {
    remedy: 'await loadRareWords() of @filigree/lang/kernels before, which program() does by itself',
  });

/** Loads what few kernels use of the front end, where it is not there. */
export const loadRareWords = async (): Promise<void> => {
  loaded = await import('./parts.js');
};
