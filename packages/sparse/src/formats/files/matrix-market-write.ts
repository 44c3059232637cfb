import { fail, pass, type Diagnostics, checkOptions, exactText, option, type OptionSpec } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import type { Csr } from '../patterns/csr.js';
import { findEntry } from '../patterns/special.js';
import { fileFields, symmetries, type FileField, type Symmetry } from './matrix-file.js';
import { byteWriter, requireFinite, requireSymmetry } from './write.js';

/** How to write a Matrix Market file; by default coordinate, real (complex if `imag` is given), general. */
export interface MatrixMarketOptions {
  /** `coordinate` lists the entries, `array` all numbers of a dense matrix. */
  readonly format?: 'coordinate' | 'array';
  /** The kind of number that the file declares. */
  readonly field?: FileField;
  /** Writes the lower triangle only; refused unless the matrix has this symmetry. */
  readonly symmetry?: Symmetry;
  /** The imaginary parts of a complex matrix; the matrix holds the real ones. */
  readonly imag?: Float64Array;
  /** Lines of comment, without `%`. */
  readonly comments?: readonly string[];
}

/**
 * Writes a matrix as a Matrix Market file. Numbers are written so that they read back exactly. With a symmetry, one
 * triangle is written, and only if the matrix truly is so.
 *
 * Codes: `mtx/not-symmetric`, `mtx/value` (not finite, not an integer, a wrong number of values), `mtx/header` (a
 * combination that the format does not know).
 */
export const writeMatrixMarket = (
  matrix: Csr<Float64Array>,
  options?: MatrixMarketOptions,
): E.Either<Diagnostics, Uint8Array> =>
  pass('writeMatrixMarket', (m: Csr<Float64Array>) =>
    write(m, checkOptions('writeMatrixMarket', options, writeSpec)),
  ).run(matrix);

const write = (m: Csr<Float64Array>, options: MatrixMarketOptions): Uint8Array => {
  const { format = 'coordinate', symmetry = 'general', imag, comments = [] } = options;
  const field = options.field ?? (imag ? 'complex' : 'real');
  const n = m.pattern.colIdx.length;
  requireKnown(format, field, symmetry, imag);
  if (field !== 'pattern') requireFinite('mtx', m.values, n);
  if (imag) requireFinite('mtx', imag, n);
  if (field === 'integer') requireIntegers(m.values);
  requireSymmetry('mtx', field === 'pattern' ? { ...m, values: new Float64Array(n).fill(1) } : m, imag, symmetry);
  const out = byteWriter();
  out.put(`%%MatrixMarket matrix ${format} ${field} ${symmetry}\n`);
  for (const comment of comments) for (const line of comment.split(/\r?\n/)) out.put(`%${line}\n`);
  const value = (e: number): string =>
    field === 'pattern' ? '' : imag ? `${exactText(m.values[e])} ${exactText(imag[e])}` : exactText(m.values[e]);
  if (format === 'coordinate') writeCoordinates(out.put, m, symmetry, value);
  else writeArray(out.put, m, symmetry, value, imag ? '0 0' : '0');
  return out.finish();
};

const writeCoordinates = (
  put: (text: string) => void,
  { pattern }: Csr<Float64Array>,
  symmetry: Symmetry,
  value: (e: number) => string,
): void => {
  // A diagonal entry of a skew-symmetric matrix is an explicit zero here; it stays, for it is part of the pattern.
  const kept = (i: number, j: number): boolean => symmetry === 'general' || j <= i;
  let count = 0;
  for (let i = 0; i < pattern.rows; i++) {
    for (let e = pattern.rowPtr[i]; e < pattern.rowPtr[i + 1]; e++) if (kept(i, pattern.colIdx[e])) count++;
  }
  put(`${pattern.rows} ${pattern.cols} ${count}\n`);
  for (let i = 0; i < pattern.rows; i++) {
    for (let e = pattern.rowPtr[i]; e < pattern.rowPtr[i + 1]; e++) {
      const j = pattern.colIdx[e];
      const v = value(e);
      if (kept(i, j)) put(v === '' ? `${i + 1} ${j + 1}\n` : `${i + 1} ${j + 1} ${v}\n`);
    }
  }
};

const writeArray = (
  put: (text: string) => void,
  { pattern }: Csr<Float64Array>,
  symmetry: Symmetry,
  value: (e: number) => string,
  zero: string,
): void => {
  put(`${pattern.rows} ${pattern.cols}\n`);
  for (let j = 0; j < pattern.cols; j++) {
    for (let i = symmetry === 'general' ? 0 : symmetry === 'skew-symmetric' ? j + 1 : j; i < pattern.rows; i++) {
      const e = findEntry(pattern, i, j);
      put(`${e < 0 ? zero : value(e)}\n`);
    }
  }
};

const requireKnown = (
  format: 'coordinate' | 'array',
  field: FileField,
  symmetry: Symmetry,
  imag: Float64Array | undefined,
): void => {
  const refuse = (message: string, remedy: string): never => fail('mtx/header', message, { remedy });
  if ((field === 'complex') !== (imag !== undefined)) {
    refuse(`a ${field} file ${imag ? 'has no' : 'needs'} imaginary parts`, "give imag together with field 'complex'");
  }
  if (symmetry === 'hermitian' && field !== 'complex') refuse('a hermitian file is complex', "use 'symmetric'");
  if (field === 'pattern' && format === 'array') refuse('an array file cannot be pattern-only', "use 'coordinate'");
  if (field === 'pattern' && symmetry === 'skew-symmetric') {
    refuse('a pattern-only file cannot be skew-symmetric', "use 'symmetric' or 'general'");
  }
};

const requireIntegers = (values: Float64Array): void => {
  for (let e = 0; e < values.length; e++) {
    if (!Number.isSafeInteger(values[e])) {
      fail('mtx/value', `entry ${e} is ${values[e]}, not an integer that a double holds exactly`, {
        remedy: "write the matrix with field: 'real'",
      });
    }
  }
};

const writeSpec: OptionSpec<MatrixMarketOptions> = {
  format: option.choice('coordinate', 'array'),
  field: option.choice(...fileFields),
  symmetry: option.choice(...symmetries),
  imag: option.array('a Float64Array'),
  comments: option.list(option.text),
};
