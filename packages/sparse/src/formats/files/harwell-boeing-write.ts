import { fail, pass, type Diagnostics, checkOptions, option, type OptionSpec } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { cscFromCsr } from '../patterns/csc.js';
import type { Csr } from '../patterns/csr.js';
import { fileFields, symmetries, type FileField, type Symmetry } from './matrix-file.js';
import { byteWriter, requireFinite, requireSymmetry } from './write.js';

/** How to write a Harwell-Boeing file; by default Harwell-Boeing, real (complex if `imag` is given), general. */
export interface HarwellBoeingOptions {
  /** The older form, or Rutherford-Boeing, whose header lacks the right-hand sides. */
  readonly form?: 'harwell-boeing' | 'rutherford-boeing';
  /** `integer` is known to Rutherford-Boeing only. */
  readonly field?: FileField;
  /** Writes the lower triangle only; refused unless the matrix has this symmetry. */
  readonly symmetry?: Symmetry;
  /** The imaginary parts of a complex matrix; the matrix holds the real ones. */
  readonly imag?: Float64Array;
  /** Up to 72 printable ASCII characters. */
  readonly title?: string;
  /** Up to 8 printable ASCII characters. */
  readonly key?: string;
}

/**
 * Writes a matrix as a Harwell-Boeing or Rutherford-Boeing file, assembled, in compressed columns. Real numbers have 17
 * significant digits, so that they read back exactly. With a symmetry the lower triangle is written, and only if the
 * matrix truly is so.
 *
 * Codes: `hb/not-symmetric`, `hb/value`, `hb/header` (title, key, or a combination that the format does not know).
 */
export const writeHarwellBoeing = (
  matrix: Csr<Float64Array>,
  options?: HarwellBoeingOptions,
): E.Either<Diagnostics, Uint8Array> =>
  pass('writeHarwellBoeing', (m: Csr<Float64Array>) =>
    write(m, checkOptions('writeHarwellBoeing', options, writeSpec)),
  ).run(matrix);

const write = (m: Csr<Float64Array>, options: HarwellBoeingOptions): Uint8Array => {
  const { form = 'harwell-boeing', symmetry = 'general', imag, title = 'Filigree', key = 'FILIGREE' } = options;
  const field = options.field ?? (imag ? 'complex' : 'real');
  const nnz = m.pattern.colIdx.length;
  requireKnown(form, field, symmetry, imag, title, key);
  if (field !== 'pattern') requireFinite('hb', m.values, nnz);
  if (imag) requireFinite('hb', imag, nnz);
  if (field === 'integer' && !m.values.every((x) => Number.isSafeInteger(x))) {
    fail('hb/value', 'the matrix has values that are not integers', { remedy: "write it with field: 'real'" });
  }
  requireSymmetry('hb', field === 'pattern' ? { ...m, values: new Float64Array(nnz).fill(1) } : m, imag, symmetry);

  const { colPtr, rowIdx, from } = columns(m, symmetry);
  const numbers: string[] = [];
  if (field !== 'pattern') {
    for (const e of from) {
      numbers.push(field === 'integer' ? String(m.values[e] + 0) : fortran(m.values[e]));
      if (imag) numbers.push(fortran(imag[e]));
    }
  }
  const pointers = layout(colPtr.map((p) => p + 1));
  const indices = layout(rowIdx.map((i) => i + 1));
  const values = field === 'integer' ? layout(numbers) : { format: '(3E25.16)', width: 25, repeat: 3, items: numbers };
  const lineCounts = [pointers, indices, values].map((l) => Math.ceil(l.items.length / l.repeat));
  const total = lineCounts.reduce((a, b) => a + b, 0);
  const counts = [total, ...lineCounts, ...(form === 'harwell-boeing' ? [0] : [])];
  const type = `${field.charAt(0)}${SYMMETRY_LETTER[symmetry](m)}A`;
  const { rows, cols } = m.pattern;

  const out = byteWriter();
  out.put(`${title.padEnd(72)}${key.padEnd(8)}\n`);
  out.put(`${counts.map((n) => String(n).padStart(14)).join('')}\n`);
  out.put(`${(form === 'harwell-boeing' ? type.toUpperCase() : type.toLowerCase()).padEnd(14)}`);
  out.put(`${[rows, cols, rowIdx.length, 0].map((n) => String(n).padStart(14)).join('')}\n`);
  out.put(
    `${pointers.format.padEnd(16)}${indices.format.padEnd(16)}${field === 'pattern' ? '' : values.format.padEnd(20)}`,
  );
  out.put('\n');
  for (const l of [pointers, indices, values]) {
    l.items.forEach((item, k) => {
      out.put(String(item).padStart(l.width) + ((k + 1) % l.repeat === 0 || k + 1 === l.items.length ? '\n' : ''));
    });
  }
  return out.finish();
};

const SYMMETRY_LETTER: Readonly<Record<Symmetry, (m: Csr<Float64Array>) => string>> = {
  general: (m) => (m.pattern.rows === m.pattern.cols ? 'U' : 'R'),
  symmetric: () => 'S',
  'skew-symmetric': () => 'Z',
  hermitian: () => 'H',
};

/** Entries by column, the lower triangle only unless general; `from` is the entry of the matrix. */
const columns = (
  m: Csr<Float64Array>,
  symmetry: Symmetry,
): { readonly colPtr: readonly number[]; readonly rowIdx: readonly number[]; readonly from: readonly number[] } => {
  const { pattern, from } = cscFromCsr(m.pattern);
  const colPtr = [0];
  const rowIdx: number[] = [];
  const kept: number[] = [];
  for (let j = 0; j < pattern.cols; j++) {
    for (let e = pattern.colPtr[j]; e < pattern.colPtr[j + 1]; e++) {
      if (symmetry !== 'general' && pattern.rowIdx[e] < j) continue;
      rowIdx.push(pattern.rowIdx[e]);
      kept.push(from[e]);
    }
    colPtr.push(rowIdx.length);
  }
  return { colPtr, rowIdx, from: kept };
};

interface Layout {
  readonly format: string;
  readonly width: number;
  readonly repeat: number;
  readonly items: readonly (number | string)[];
}

/** The widest item and a blank make a field; as many fields as fit stand in 80 characters. */
const layout = (items: readonly (number | string)[]): Layout => {
  let width = 2;
  for (const item of items) width = Math.max(width, String(item).length + 1);
  const repeat = Math.max(1, Math.floor(80 / width));
  return { format: `(${repeat}I${width})`, width, repeat, items };
};

/** 17 significant digits with the exponent as Fortran writes it. */
const fortran = (x: number): string => {
  const [mantissa, exponent] = (Object.is(x, -0) ? '-0.0000000000000000e+0' : x.toExponential(16)).split('e');
  const e = Number(exponent);
  return `${mantissa}E${e < 0 ? '-' : '+'}${String(Math.abs(e)).padStart(2, '0')}`;
};

const requireKnown = (
  form: 'harwell-boeing' | 'rutherford-boeing',
  field: FileField,
  symmetry: Symmetry,
  imag: Float64Array | undefined,
  title: string,
  key: string,
): void => {
  const refuse = (message: string, remedy: string): never => fail('hb/header', message, { remedy });
  if (!/^[ -~]{0,72}$/.test(title)) refuse('the title does not fit', 'use up to 72 printable ASCII characters');
  if (!/^[ -~]{0,8}$/.test(key)) refuse('the key does not fit', 'use up to 8 printable ASCII characters');
  if ((field === 'complex') !== (imag !== undefined)) {
    refuse(`a ${field} file ${imag ? 'has no' : 'needs'} imaginary parts`, "give imag together with field 'complex'");
  }
  if (symmetry === 'hermitian' && field !== 'complex') refuse('a hermitian file is complex', "use 'symmetric'");
  if (field === 'integer' && form === 'harwell-boeing') {
    refuse('a Harwell-Boeing file holds no integers', "use form: 'rutherford-boeing' or field: 'real'");
  }
};

const writeSpec: OptionSpec<HarwellBoeingOptions> = {
  form: option.choice('harwell-boeing', 'rutherford-boeing'),
  field: option.choice(...fileFields),
  symmetry: option.choice(...symmetries),
  imag: option.array('a Float64Array'),
  title: option.text,
  key: option.text,
};
