import { fail } from '@filigree/ir';

let loaded: typeof import('./parts.js') | undefined;

/** What only some programs need when they run: in pages it comes with the first that does. Error: `runtime/not-loaded`. */
export const rare = (): typeof import('./parts.js') =>
  loaded ??
  fail('runtime/not-loaded', 'a program needs a part of the runtime that is to be loaded first', {
    remedy: 'make it by program() or loadArtifact(), which load what it needs',
  });

/** Loads it, where it is not there. */
export const loadRare = async (): Promise<void> => {
  loaded = await import('./parts.js');
};
