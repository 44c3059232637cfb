import { expr } from '../c-family/expr.js';
import type { Spelling, Spellings } from '../c-family/spellings/spelling.js';

/* Threads by the hundred hide the way to memory, and compilers for them keep to the order of loads. */
const nothing: Spelling = { effect: 'fixed', write: () => expr('(void)0') };

/** Hints of `mem`, which have no meaning, for languages that do not take them. */
export const unhinted: Spellings = { 'mem.prefetch': nothing, 'mem.reload': nothing };
