/** What not every page needs that compiles kernels: the parser, and the author's spelling. */
export { byAcorn as parse } from '../../source/by-acorn.js';
export { asWritten, isSettled } from '../../source/spelling/as-written.js';
export { originalOf } from '../../source/spelling/original.js';
