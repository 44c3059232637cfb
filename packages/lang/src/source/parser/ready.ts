import type { Parse } from '../parse.js';
import { byAcorn } from './acorn.js';

/** The parser of kernels, which is there at once. */
export const parseKernel: Parse = byAcorn;

/** Loads the parser of kernels, where it is not there. */
export const loadParser = (): Promise<void> => Promise.resolve();
