import { arithmeticSpellings } from './arithmetic.js';
import { functionSpellings } from './functions.js';
import { memorySpellings } from './memory.js';
import type { Spellings } from './spelling.js';
import { vectorSpellings } from './vectors.js';

/** The core dialects for compilers that know the builtins of gcc and clang; GPU dialects replace the rows that differ. */
export const gnuSpellings: Spellings = {
  ...arithmeticSpellings,
  ...vectorSpellings,
  ...functionSpellings,
  ...memorySpellings,
};

/** Ops that `gnuSpellings` can write for whole vectors of floats (see `splitVectors`). */
export const gnuVectorOps: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.div',
  'arith.neg',
  ...Object.keys(functionSpellings),
]);

/** Ops that it can write where lanes are words of 32 bits, or truth values beside them. */
export const gnuWordOps: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.add',
  'arith.sub',
  'arith.mul',
  'arith.neg',
  'arith.min',
  'arith.max',
  'arith.and',
  'arith.or',
  'arith.xor',
  'arith.not',
  'arith.shl',
  'arith.shr',
  'arith.cmp',
  'arith.select',
  'arith.cast',
  'arith.bitcast',
  'arith.iota',
]);
