import { DiagnosticError, describeValue, error, type Diagnostic, type Diagnostics } from '@filigree/ir';
import { MAX_INDEX } from './coo.js';
import type { CsrPattern } from './csr.js';

/**
 * What is wrong with a CSR pattern that came from outside: the first fault found, or nothing. Linear time.
 * Codes: `csr/shape`, `csr/row-pointer`, `csr/column-range`, `csr/column-order`.
 */
export const checkCsr = (p: CsrPattern): Diagnostics => {
  const fault = shapeFault(p) ?? rowPointerFault(p) ?? columnFault(p);
  return fault ? [fault] : [];
};

/** The pattern itself, if it is well-formed. Throws `DiagnosticError` with the codes of `checkCsr`. */
export const checkedPattern = (pattern: CsrPattern): CsrPattern => {
  const faults = checkCsr(pattern);
  if (faults.length > 0) throw new DiagnosticError(faults);
  return pattern;
};

const shapeFault = (p: CsrPattern): Diagnostic | undefined => {
  for (const n of [p.rows, p.cols]) {
    if (!Number.isInteger(n) || n < 0 || n >= MAX_INDEX) {
      return error('csr/shape', `a matrix cannot have the shape ${describeValue(p.rows)} × ${describeValue(p.cols)}`, {
        remedy: 'rows and columns are whole numbers from 0 to 2147483646',
      });
    }
  }
  return undefined;
};

const rowPointerFault = (p: CsrPattern): Diagnostic | undefined => {
  const remedy = 'rowPtr has rows + 1 items, begins with 0, never falls, and ends with the number of entries';
  const say = (message: string): Diagnostic => error('csr/row-pointer', message, { remedy });
  if (p.rowPtr.length !== p.rows + 1) return say(`rowPtr has ${p.rowPtr.length} items for ${p.rows} rows`);
  if (p.rowPtr[0] !== 0) return say(`rowPtr begins with ${p.rowPtr[0]}`);
  for (let i = 0; i < p.rows; i++) {
    if (p.rowPtr[i + 1] < p.rowPtr[i]) {
      return say(`rowPtr falls from ${p.rowPtr[i]} to ${p.rowPtr[i + 1]} at row ${i}`);
    }
  }
  if (p.rowPtr[p.rows] !== p.colIdx.length) {
    return say(`rowPtr ends with ${p.rowPtr[p.rows]}, but there are ${p.colIdx.length} entries`);
  }
  return undefined;
};

const columnFault = (p: CsrPattern): Diagnostic | undefined => {
  for (let i = 0; i < p.rows; i++) {
    let last = -1;
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) {
      const j = p.colIdx[e];
      if (j < 0 || j >= p.cols) {
        return error('csr/column-range', `entry ${e} in row ${i} has column ${j} of ${p.cols}`, {
          remedy: `columns count from 0 to ${p.cols - 1}`,
        });
      }
      if (j <= last) {
        return error('csr/column-order', `in row ${i} column ${j} follows column ${last} at entry ${e}`, {
          remedy: 'columns of a row strictly increase; make the pattern with csrFromTriplets, which sorts and merges',
        });
      }
      last = j;
    }
  }
  return undefined;
};
