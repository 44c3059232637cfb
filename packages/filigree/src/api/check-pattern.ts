import { DiagnosticError, fail } from '@filigree/ir';
import { checkCsr, type CsrPattern } from '@filigree/sparse';

/** Throws what is wrong with the pattern of the matrix `name`: `program/pattern` for what is none, `csr/…`. */
export const checkPattern = (name: string, pattern: unknown): void => {
  if (!isPattern(pattern))
    return fail('program/pattern', `'${name}' has no sparse pattern`, {
      remedy: 'a pattern is { rows, cols, rowPtr, colIdx }; csrFromTriplets makes one',
    });
  const faults = checkCsr(pattern);
  if (faults.length > 0) throw new DiagnosticError(faults.map((d) => ({ ...d, message: `${name}: ${d.message}` })));
};

const isPattern = (x: unknown): x is CsrPattern =>
  typeof x === 'object' && x !== null && 'rowPtr' in x && 'colIdx' in x;
