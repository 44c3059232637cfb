/** What not every page needs that compiles kernels: the parser, and the words of the language that are functions in it. */
export { byAcorn as parse } from '../../source/by-acorn.js';
export * as library from '../vocabulary/library.js';
