import * as parts from './parts.js';

/** The parts of the front end that few kernels use, which are there at once. */
export const rare = (): typeof import('./parts.js') => parts;

/** Loads what few kernels use of the front end, where it is not there. */
export const loadRareWords = (): Promise<void> => Promise.resolve();
