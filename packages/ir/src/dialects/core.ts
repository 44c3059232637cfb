import type { Dialect } from '../kernel/dialect.js';
import { arith } from './arith.js';
import { math } from './math.js';
import { mem } from './mem.js';
import { scf } from './scf.js';

/** The dialects every backend knows. */
export const coreDialects: readonly Dialect[] = [arith, math, scf, mem];
