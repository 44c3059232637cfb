/** What not every page needs that compiles kernels: the parser, the author's spelling, and the words of the language that are functions in it. */
export { byAcorn as parse } from '../../source/by-acorn.js';
export { asWritten, isSettled } from '../../source/spelling/as-written.js';
export { originalOf } from '../../source/spelling/original.js';
export * as library from '../vocabulary/library.js';
