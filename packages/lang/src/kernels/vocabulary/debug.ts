/* oxlint-disable no-console -- what kernels print is printed */
import { fail } from '@filigree/ir';
import { isMat, isVec } from './vec.js';
import type { Mat, Vec } from './vec-types.js';

/** What can be printed: texts, numbers, truth values, vectors and matrices. */
export type Printed = string | number | boolean | Vec | Mat;

/**
 * Prints its arguments in one line, as `console.log` does. In a kernel it does so where the program was made with `debug`, after the launch; else it
 * is nothing. Lines of different iterations come in any order.
 */
export const print = (...values: readonly Printed[]): void => {
  console.log(...values.map((v) => (isMat(v) ? [...v].map((row) => [...row]) : isVec(v) ? [...v] : v)));
};

/**
 * Throws `launch/assert` where the condition does not hold. In a kernel it is tested where the program was made with `debug`: the launch runs to its end, and then
 * throws what failed first, with its place and the indices of the iteration; else it is nothing.
 */
export const assert = (condition: boolean | number, message = 'a condition does not hold'): void => {
  if (!condition) fail('launch/assert', message, { remedy: 'look at what led here in a debugger' });
};
