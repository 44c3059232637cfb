import * as parts from './parts.js';

/** What only some programs need when they run, which is there at once. */
export const rare = (): typeof import('./parts.js') => parts;

/** Loads it, where it is not there. */
export const loadRare = (): Promise<void> => Promise.resolve();
