import * as parts from './parts.js';

/** The parts of the passes that few targets need, which are there at once. */
export const rare = (): typeof import('./parts.js') => parts;

/** Loads what few targets need of the passes, where it is not there. */
export const loadRarePasses = (): Promise<void> => Promise.resolve();
