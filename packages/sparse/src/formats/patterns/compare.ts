import { error, type Diagnostic } from '@filigree/ir';
import type { CsrPattern } from './csr.js';

/** Whether two patterns have the same shape and the same entries. */
export const samePattern = (a: CsrPattern, b: CsrPattern): boolean => comparePatterns(a, b) === undefined;

/**
 * The first difference of `actual` from `expected`, both valid, in row order: code `pattern/mismatch`; nothing where
 * they are equal. `name` is what messages call the matrix.
 */
export const comparePatterns = (
  expected: CsrPattern,
  actual: CsrPattern,
  name = 'the matrix',
): Diagnostic | undefined => {
  if (expected === actual) return undefined;
  if (expected.rows !== actual.rows || expected.cols !== actual.cols) {
    return mismatch(`${name} is ${shape(actual)}, but ${shape(expected)} was expected`);
  }
  for (let i = 0; i < expected.rows; i++) {
    let e = expected.rowPtr[i];
    let f = actual.rowPtr[i];
    const eEnd = expected.rowPtr[i + 1];
    const fEnd = actual.rowPtr[i + 1];
    for (; e < eEnd && f < fEnd && expected.colIdx[e] === actual.colIdx[f]; e++, f++);
    if (e === eEnd && f === fEnd) continue;
    if (f === fEnd || (e < eEnd && expected.colIdx[e] < actual.colIdx[f])) {
      return mismatch(`${name} lacks the entry (${i}, ${expected.colIdx[e]}), which was expected`);
    }
    return mismatch(`${name} has the entry (${i}, ${actual.colIdx[f]}), which was not expected`);
  }
  return undefined;
};

const shape = (p: CsrPattern): string => `${p.rows} × ${p.cols}`;

const mismatch = (message: string): Diagnostic =>
  error('pattern/mismatch', `${message} (rows and columns count from 0)`, {
    remedy: 'use a matrix with exactly the expected entries, storing zeros where needed, or compile again for this one',
  });
