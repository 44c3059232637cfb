import { fail } from '@filigree/ir';
import type { Csr } from '../patterns/csr.js';
import { transposePattern } from '../patterns/csc.js';
import { samePattern } from '../patterns/compare.js';
import type { FileKind, Symmetry } from './matrix-file.js';

/** Collects text as bytes in pieces, so that a file may be longer than the longest string. */
export const byteWriter = (): { readonly put: (text: string) => void; readonly finish: () => Uint8Array } => {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let pending = '';
  const flush = (): void => {
    pieces.push(encoder.encode(pending));
    pending = '';
  };
  return {
    put: (text) => {
      pending += text;
      if (pending.length > 1 << 18) flush();
    },
    finish: () => {
      flush();
      const out = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
      let at = 0;
      for (const piece of pieces) {
        out.set(piece, at);
        at += piece.length;
      }
      return out;
    },
  };
};

/** Refuses to write a matrix as something that it is not: half of it would be lost. */
export const requireSymmetry = (
  kind: FileKind,
  m: Csr<Float64Array>,
  imag: Float64Array | undefined,
  symmetry: Symmetry,
): void => {
  if (symmetry === 'general') return;
  const { pattern, from } = transposePattern(m.pattern);
  const reSign = symmetry === 'skew-symmetric' ? -1 : 1;
  const imSign = symmetry === 'symmetric' ? 1 : -1;
  let same = samePattern(m.pattern, pattern);
  for (let e = 0; same && e < from.length; e++) {
    same = m.values[e] === reSign * m.values[from[e]] && (imag === undefined || imag[e] === imSign * imag[from[e]]);
  }
  if (!same) {
    fail(`${kind}/not-symmetric`, `the matrix is not ${symmetry}, so that half of it cannot stand for all`, {
      remedy: "write it with symmetry: 'general'",
    });
  }
};

/** Refuses values that no reader would take back. */
export const requireFinite = (kind: FileKind, values: Float64Array, count: number): void => {
  if (values.length !== count) {
    fail(`${kind}/value`, `${values.length} values stand against ${count} entries`, {
      remedy: 'give one value an entry',
    });
  }
  for (let e = 0; e < count; e++) {
    if (!Number.isFinite(values[e])) {
      fail(`${kind}/value`, `entry ${e} is ${values[e]}, which the file format cannot hold`, {
        remedy: 'find out where the computation went wrong; matrix files hold finite numbers',
      });
    }
  }
};
