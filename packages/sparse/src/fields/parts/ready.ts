import * as parts from './parts.js';

/** The parts of the lowering that not every kernel needs, which are there at once. */
export const rare = (): typeof import('./parts.js') => parts;

/** Loads what kernels may need of the lowering, where it is not there. */
export const loadLowering = (): Promise<void> => Promise.resolve();
