import { DiagnosticError, fail } from '@filigree/ir';
import { checkCsr, type CsrPattern } from '@filigree/sparse/formats';

/** Throws what is wrong with the pattern of the matrix `name`: `program/pattern` for what is none, `csr/…`. */
export const checkPattern = (name: string, pattern: unknown): void => {
  const faults = checkCsr(requirePattern(name, pattern));
  if (faults.length > 0) throw new DiagnosticError(faults.map((d) => ({ ...d, message: `${name}: ${d.message}` })));
};

/** What has the form of a pattern, whatever it holds; else `program/pattern`. */
export const requirePattern = (name: string, pattern: unknown): CsrPattern =>
  isPattern(pattern)
    ? pattern
    : fail('program/pattern', `'${name}' has no sparse pattern`, {
        remedy: 'a pattern is { rows, cols, rowPtr, colIdx }; csrFromTriplets makes one',
      });

const isPattern = (x: unknown): x is CsrPattern =>
  typeof x === 'object' && x !== null && 'rowPtr' in x && 'colIdx' in x;
