import { option, type OptionSpec, type Diagnostics } from '@filigree/ir';
import { fail } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { assemble } from '../algebra/structure.js';
import { numberRing } from '../algebra/number-ring.js';
import { MAX_INDEX } from '../patterns/coo.js';
import type { Csr } from '../patterns/csr.js';
import { findEntry } from '../patterns/special.js';
import { csrFromCheckedTriplets } from '../patterns/triplets.js';
import { readNumber } from './number.js';

/** The kind of number a file declares. */
export type FileField = (typeof fileFields)[number];
export const fileFields = ['real', 'integer', 'complex', 'pattern'] as const;

/** How a file stores only part of its entries: the lower triangle, unless `general`. */
export type Symmetry = (typeof symmetries)[number];
export const symmetries = ['general', 'symmetric', 'skew-symmetric', 'hermitian'] as const;

/**
 * A matrix read from a file: its full pattern (both triangles), its values, and what the file said about itself.
 * Values of a pattern-only file are 1, mirrored as its symmetry says.
 */
export interface MatrixFile extends Csr<Float64Array> {
  readonly field: FileField;
  readonly symmetry: Symmetry;
  /** Entries as written in the file: one triangle of a symmetric matrix, duplicates counted. */
  readonly stored: number;
  /** Comment lines or title, without their marks. */
  readonly comments: readonly string[];
}

/** How to read a file. */
export interface ReadOptions {
  /** What diagnostics call the file; default `<input>`. */
  readonly name?: string;
  /** What to keep of complex values: the real part, the imaginary part or the absolute value. Without it they are refused. */
  readonly complex?: 'real' | 'imag' | 'abs';
  /** Passes over the values, which may then be NaN, infinite or too large: each entry stands for 1. Default false. */
  readonly patternOnly?: boolean;
}

export const readSpec: OptionSpec<ReadOptions> = {
  name: option.text,
  complex: option.choice('real', 'imag', 'abs'),
  patternOnly: option.truth,
};

/** What a reader gives: the matrix, or the first thing that is wrong with the file, with its line. */
export type ReadResult = E.Either<Diagnostics, MatrixFile>;

/** The entries as a file stores them, 0-based and in file order. `im` is there for complex values. */
export interface StoredEntries {
  readonly rows: number;
  readonly cols: number;
  readonly rowIdx: Int32Array;
  readonly colIdx: Int32Array;
  readonly re: Float64Array;
  readonly im?: Float64Array;
}

/** Prefix of the reader's diagnostic codes: `mtx` or `hb`. */
export type FileKind = 'mtx' | 'hb';

/**
 * The full matrix of stored entries: mirrored as the symmetry says, duplicates summed in file order (complex ones before
 * their absolute value is taken).
 */
export const expandStored = (
  kind: FileKind,
  stored: StoredEntries,
  declared: Symmetry,
  name: string,
  { complex, patternOnly = false }: ReadOptions,
): Csr<Float64Array> => {
  /* Signs and what a diagonal may hold are about values. */
  const symmetry = patternOnly && declared !== 'general' ? 'symmetric' : declared;
  const tooLarge = (): never =>
    fail(`${kind}/too-large`, `a ${stored.rows} × ${stored.cols} matrix does not fit in memory`, {
      loc: { file: name, line: 1, column: 1 },
      remedy: 'check the sizes in the file, or leave out rows and columns that hold nothing',
    });
  if (Math.max(stored.rows, stored.cols) > MAX_ROWS) tooLarge();
  try {
    const full = symmetry === 'general' ? stored : mirrored(kind, stored, symmetry, name);
    const assembly = csrFromCheckedTriplets(full.rows, full.cols, full.rowIdx, full.colIdx);
    const re = () => assemble(numberRing, assembly, full.re);
    if (full.im === undefined || complex === 'real') return re();
    const im = assemble(numberRing, assembly, full.im);
    if (complex === 'imag') return im;
    return { pattern: assembly.pattern, values: re().values.map((x, e) => Math.hypot(x, im.values[e])) };
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return tooLarge();
  }
};

/** Compressed rows keep a number for each row, whether it holds anything or not: a gigabyte at this size. */
const MAX_ROWS = 2 ** 28;

const mirrored = (kind: FileKind, s: StoredEntries, symmetry: Symmetry, name: string): StoredEntries => {
  const n = s.rowIdx.length;
  let offDiagonal = 0;
  let lower = 0;
  for (let t = 0; t < n; t++) {
    const i = s.rowIdx[t];
    const j = s.colIdx[t];
    if (i !== j) offDiagonal++;
    if (i > j) lower++;
  }
  const loc = { file: name, line: 1, column: 1 };
  if (n + offDiagonal > MAX_INDEX) {
    fail(`${kind}/too-large`, `the matrix has ${n + offDiagonal} entries`, { loc, remedy: 'split it into blocks' });
  }
  if (lower > 0 && lower < offDiagonal) refuseDoubled(kind, s, symmetry, name);
  const rowIdx = new Int32Array(n + offDiagonal);
  const colIdx = new Int32Array(n + offDiagonal);
  const re = new Float64Array(n + offDiagonal);
  const im = s.im && new Float64Array(n + offDiagonal);
  rowIdx.set(s.rowIdx);
  colIdx.set(s.colIdx);
  re.set(s.re);
  if (im) im.set(s.im!);
  const reSign = symmetry === 'skew-symmetric' ? -1 : 1;
  const imSign = symmetry === 'symmetric' ? 1 : -1;
  let at = n;
  for (let t = 0; t < n; t++) {
    const i = s.rowIdx[t];
    const j = s.colIdx[t];
    if (i === j) {
      const bad =
        (symmetry === 'skew-symmetric' && (s.re[t] !== 0 || (s.im !== undefined && s.im[t] !== 0))) ||
        (symmetry === 'hermitian' && s.im !== undefined && s.im[t] !== 0);
      if (bad) {
        fail(`${kind}/diagonal`, `the ${symmetry} matrix has an impossible value at (${i + 1}, ${j + 1})`, {
          loc,
          remedy:
            symmetry === 'hermitian'
              ? 'diagonal values of a hermitian matrix are real; declare the matrix general otherwise'
              : 'diagonal values of a skew-symmetric matrix are zero; declare the matrix general otherwise',
        });
      }
      continue;
    }
    rowIdx[at] = j;
    colIdx[at] = i;
    re[at] = reSign * s.re[t];
    if (im) im[at] = imSign * s.im![t];
    at++;
  }
  return { rows: s.rows, cols: s.cols, rowIdx, colIdx, re, ...(im ? { im } : {}) };
};

/** A file that stores (i, j) and (j, i) of a symmetric matrix would count both twice: which one is meant is unknown. */
const refuseDoubled = (kind: FileKind, s: StoredEntries, symmetry: Symmetry, name: string): void => {
  const { pattern } = csrFromCheckedTriplets(s.rows, s.cols, s.rowIdx, s.colIdx);
  for (let i = 0; i < s.rows; i++) {
    for (let e = pattern.rowPtr[i]; e < pattern.rowPtr[i + 1]; e++) {
      const j = pattern.colIdx[e];
      if (j < i && findEntry(pattern, j, i) >= 0) {
        fail(
          `${kind}/both-triangles`,
          `the ${symmetry} file stores both (${i + 1}, ${j + 1}) and (${j + 1}, ${i + 1})`,
          {
            loc: { file: name, line: 1, column: 1 },
            remedy: 'store the lower triangle only, or declare the matrix general',
          },
        );
      }
    }
  }
};

/** The bytes of a source, without a byte-order mark. */
export const bytesOfSource = (source: Uint8Array | string): Uint8Array => {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
};

/** Whether these bytes stand for a value, as one or as what programs write for NaN, infinities, and numbers that a field is too narrow for. */
export const isValue = (bytes: Uint8Array, from: number, to: number): boolean =>
  readNumber(bytes, from, to, passedOver, 0, true) === to ||
  /^[+-]?(nan|inf|infinity)$|^\*+$/i.test(latin1(bytes, from, to));

const passedOver = new Float64Array(1);

/** Bytes as text, one character a byte, good for headers and messages. */
export const latin1 = (bytes: Uint8Array, from: number, to: number): string => {
  let text = '';
  for (let p = from; p < to; p++) text += String.fromCharCode(bytes[p]);
  return text;
};
