import { fail, pass, checkOptions } from '@filigree/ir';
import { MAX_INDEX } from '../patterns/coo.js';
import {
  bytesOfSource,
  expandStored,
  isValue,
  latin1,
  type FileField,
  type MatrixFile,
  type ReadOptions,
  type ReadResult,
  type StoredEntries,
  type Symmetry,
  readSpec,
} from './matrix-file.js';
import { readNumber } from './number.js';

/**
 * Reads a Matrix Market file, coordinate or array, from its bytes or text. Symmetric files are expanded to both
 * triangles; duplicates are summed in file order; explicit zeros stay entries; pattern-only files get the value 1; an
 * array file becomes a matrix with every entry present. Numbers are exactly those `Number` would read; values outside
 * the range of a double, and NaN, are refused.
 *
 * Codes: `mtx/header`, `mtx/size-line`, `mtx/entry`, `mtx/range`, `mtx/truncated`, `mtx/too-many`, `mtx/complex`,
 * `mtx/diagonal`, `mtx/both-triangles`, `mtx/too-large`.
 */
export const readMatrixMarket = (source: Uint8Array | string, options?: ReadOptions): ReadResult =>
  pass('readMatrixMarket', (s: Uint8Array | string) =>
    read(bytesOfSource(s), checkOptions('readMatrixMarket', options, readSpec)),
  ).run(source);

interface Header {
  readonly format: 'coordinate' | 'array';
  readonly field: FileField;
  readonly symmetry: Symmetry;
}

/** The file and the place of its data. */
interface Text {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** First byte of the first line behind the size line, and its number. */
  readonly at: number;
  readonly line: number;
  readonly patternOnly: boolean;
}

interface Size {
  readonly rows: number;
  readonly cols: number;
  readonly count: number;
}

const read = (bytes: Uint8Array, options: ReadOptions): MatrixFile => {
  const name = options.name ?? '<input>';
  const header = readHeader(bytes, name);
  if (header.field === 'complex' && options.complex === undefined && !options.patternOnly) {
    fail('mtx/complex', 'the file holds complex values, where real ones are wanted', {
      loc: { file: name, line: 1, column: 1 },
      remedy:
        "say which real number stands for each value: complex: 'real', 'imag' or 'abs', on the command line --complex",
    });
  }
  const { size, text, comments } = readSize(bytes, name, header, options.patternOnly ?? false);
  const stored = header.format === 'coordinate' ? readCoordinates(text, header, size) : readArray(text, header, size);
  const matrix = expandStored('mtx', stored, header.symmetry, name, options);
  return { ...matrix, field: header.field, symmetry: header.symmetry, stored: stored.rowIdx.length, comments };
};

const HEADER_REMEDY =
  'begin the file with: %%MatrixMarket matrix coordinate|array real|integer|complex|pattern ' +
  'general|symmetric|skew-symmetric|hermitian';

const FIELDS: Readonly<Record<string, FileField>> = {
  real: 'real',
  double: 'real',
  integer: 'integer',
  'unsigned-integer': 'integer',
  complex: 'complex',
  pattern: 'pattern',
};

const SYMMETRIES: Readonly<Record<string, Symmetry>> = {
  general: 'general',
  symmetric: 'symmetric',
  'skew-symmetric': 'skew-symmetric',
  hermitian: 'hermitian',
};

const readHeader = (bytes: Uint8Array, name: string): Header => {
  const refuse = (message: string, column = 1): never =>
    fail('mtx/header', message, { loc: { file: name, line: 1, column }, remedy: HEADER_REMEDY });
  const text = latin1(bytes, 0, Math.min(lineEnd(bytes, 0), 1024));
  const words = wordsOf(text.toLowerCase());
  const word = (n: number): string => words[n]?.text ?? '';
  if (word(0) !== '%%matrixmarket')
    refuse(bytes.length === 0 ? 'the file is empty' : 'the file has no Matrix Market header');
  if (words.length !== 5) refuse(`the header has ${words.length} words, not 5`, words[5]?.column ?? text.length + 1);
  if (word(1) !== 'matrix') refuse(`the file holds a '${word(1)}', not a matrix`, words[1].column);
  const format = word(2);
  if (format !== 'coordinate' && format !== 'array') return refuse(`unknown format '${format}'`, words[2].column);
  const field = Object.hasOwn(FIELDS, word(3)) ? FIELDS[word(3)] : undefined;
  if (field === undefined) return refuse(`unknown field '${word(3)}'`, words[3].column);
  const symmetry = Object.hasOwn(SYMMETRIES, word(4)) ? SYMMETRIES[word(4)] : undefined;
  if (symmetry === undefined) return refuse(`unknown symmetry '${word(4)}'`, words[4].column);
  if (field === 'pattern' && format === 'array') refuse('an array file cannot be pattern-only', words[3].column);
  if (field === 'pattern' && symmetry === 'skew-symmetric') {
    refuse('a pattern-only file cannot be skew-symmetric', words[4].column);
  }
  if (symmetry === 'hermitian' && field !== 'complex') {
    refuse(`a hermitian file is complex, not ${field}`, words[4].column);
  }
  return { format, field, symmetry };
};

/** Skips comments and blank lines, then reads the size line. */
const readSize = (
  bytes: Uint8Array,
  name: string,
  header: Header,
  patternOnly: boolean,
): { readonly size: Size; readonly text: Text; readonly comments: readonly string[] } => {
  const comments: string[] = [];
  let at = lineEnd(bytes, 0) + 1;
  let line = 2;
  for (; at < bytes.length; at = lineEnd(bytes, at) + 1, line++) {
    const end = lineEnd(bytes, at);
    const first = skipBlanks(bytes, at, end);
    if (first === end) continue;
    if (bytes[first] !== PERCENT) break;
    comments.push(decoder.decode(bytes.subarray(first + 1, end)).trimEnd());
  }
  const wanted = header.format === 'coordinate' ? 3 : 2;
  const remedy =
    header.format === 'coordinate'
      ? 'the size line of a coordinate file is: rows columns entries'
      : 'the size line of an array file is: rows columns';
  const refuse = (message: string, column = 1): never =>
    fail('mtx/size-line', message, { loc: { file: name, line, column }, remedy });
  if (at >= bytes.length) refuse('the file ends before its size line');
  const end = lineEnd(bytes, at);
  const words = wordsOf(latin1(bytes, at, Math.min(end, at + 1024)));
  if (words.length !== wanted) refuse(`the size line has ${words.length} numbers, not ${wanted}`);
  const numbers = words.map(({ text, column }) => {
    if (!/^\+?\d+$/.test(text)) refuse(`'${text}' is no size`, column);
    const n = Number(text);
    if (n >= MAX_INDEX) refuse(`${text} is more than 2147483646, the largest size there can be`, column);
    return n;
  });
  const [rows, cols] = numbers as [number, number];
  if (header.symmetry !== 'general' && rows !== cols) refuse(`a ${rows} × ${cols} matrix cannot be ${header.symmetry}`);
  const count = header.format === 'coordinate' ? numbers[2] : storedInArray(header.symmetry, rows, cols);
  if (count > MAX_INDEX) refuse(`an array of ${rows} × ${cols} has more than 2³¹ − 1 entries`);
  return { size: { rows, cols, count }, text: { bytes, name, at: end + 1, line: line + 1, patternOnly }, comments };
};

/** Numbers of each value. */
const partsOf = ({ field }: Header): number => (field === 'pattern' ? 0 : field === 'complex' ? 2 : 1);

const storedInArray = (symmetry: Symmetry, rows: number, cols: number): number => {
  if (symmetry === 'general') return rows * cols;
  return symmetry === 'skew-symmetric' ? (rows * (rows - 1)) / 2 : (rows * (rows + 1)) / 2;
};

const readCoordinates = (text: Text, header: Header, size: Size): StoredEntries => {
  const { bytes, name, patternOnly } = text;
  const { rows, cols, count } = size;
  const end = bytes.length;
  // An entry needs four bytes at least, so that a false count cannot ask for much more memory than the file is long.
  const room = Math.min(count, Math.floor((end - text.at) / 4) + 1);
  const rowIdx = new Int32Array(room);
  const colIdx = new Int32Array(room);
  const re = new Float64Array(room);
  const im = header.field === 'complex' && !patternOnly ? new Float64Array(room) : undefined;
  const parts = partsOf(header);
  const integer = header.field === 'integer';
  if (parts === 0 || patternOnly) re.fill(1);
  let n = 0;
  let line = text.line;
  let p = text.at;
  for (; p < end; p++, line++) {
    const lineBegin = p;
    while (p < end && isBlank(bytes[p])) p++;
    if (p >= end || bytes[p] === NEWLINE) continue;
    if (bytes[p] === PERCENT) {
      p = lineEnd(bytes, p);
      continue;
    }
    if (n >= count) {
      fail('mtx/too-many', `the file has more than the ${count} entries its size line promises`, {
        loc: { file: name, line, column: p - lineBegin + 1 },
        remedy: 'correct the number of entries in the size line, or remove what follows the last entry',
      });
    }
    let good = true;
    let i = 0;
    let begin = p;
    for (; p < end && isDigit(bytes[p]); p++) i = i * 10 + (bytes[p] - 48);
    good = p > begin && p < end && isBlank(bytes[p]);
    while (p < end && isBlank(bytes[p])) p++;
    let j = 0;
    begin = p;
    for (; p < end && isDigit(bytes[p]); p++) j = j * 10 + (bytes[p] - 48);
    good &&= p > begin && i >= 1 && i <= rows && j >= 1 && j <= cols;
    if (good && parts > 0) {
      good = p < end && isBlank(bytes[p]);
      while (p < end && isBlank(bytes[p])) p++;
      const q = patternOnly ? behindValues(bytes, p, end, parts) : readNumber(bytes, p, end, re, n, false);
      good &&= q > 0 && Number.isFinite(re[n]) && (!integer || Number.isSafeInteger(re[n]));
      p = Math.max(p, q);
      if (good && im !== undefined) {
        good = p < end && isBlank(bytes[p]);
        while (p < end && isBlank(bytes[p])) p++;
        const r = readNumber(bytes, p, end, im, n, false);
        good &&= r > 0 && Number.isFinite(im[n]);
        p = Math.max(p, r);
      }
    }
    while (p < end && isBlank(bytes[p])) p++;
    if (!good || (p < end && bytes[p] !== NEWLINE)) refuseEntry(text, line, lineBegin, header, size);
    rowIdx[n] = i - 1;
    colIdx[n] = j - 1;
    n++;
  }
  if (n < count) refuseTruncated(name, line, n, count);
  return { rows, cols, rowIdx, colIdx, re, ...(im ? { im } : {}) };
};

/** One value a line, column by column; the lower triangle of a symmetric matrix, without diagonal if skew-symmetric. */
const readArray = (text: Text, header: Header, size: Size): StoredEntries => {
  const { bytes, name, patternOnly } = text;
  const { rows, cols, count } = size;
  const end = bytes.length;
  if (count > Math.floor((end - text.at) / 2) + 1) {
    refuseTruncated(name, text.line, countLines(bytes, text.at), count);
  }
  const rowIdx = new Int32Array(count);
  const colIdx = new Int32Array(count);
  const re = new Float64Array(count);
  const im = header.field === 'complex' && !patternOnly ? new Float64Array(count) : undefined;
  if (patternOnly) re.fill(1);
  const firstRow = (j: number): number =>
    header.symmetry === 'general' ? 0 : header.symmetry === 'skew-symmetric' ? j + 1 : j;
  let n = 0;
  let j = 0;
  let i = firstRow(0);
  let line = text.line;
  let p = text.at;
  for (; p < end; p++, line++) {
    const lineBegin = p;
    while (p < end && isBlank(bytes[p])) p++;
    if (p >= end || bytes[p] === NEWLINE) continue;
    if (bytes[p] === PERCENT) {
      p = lineEnd(bytes, p);
      continue;
    }
    if (n >= count) {
      fail('mtx/too-many', `the file has more than the ${count} values of a ${rows} × ${cols} array`, {
        loc: { file: name, line, column: p - lineBegin + 1 },
        remedy: 'correct the size line, or remove what follows the last value',
      });
    }
    const q = patternOnly ? behindValues(bytes, p, end, partsOf(header)) : readNumber(bytes, p, end, re, n, false);
    let good = q > 0 && Number.isFinite(re[n]) && (header.field !== 'integer' || Number.isSafeInteger(re[n]));
    p = Math.max(p, q);
    if (good && im !== undefined) {
      good = p < end && isBlank(bytes[p]);
      while (p < end && isBlank(bytes[p])) p++;
      const r = readNumber(bytes, p, end, im, n, false);
      good &&= r > 0 && Number.isFinite(im[n]);
      p = Math.max(p, r);
    }
    while (p < end && isBlank(bytes[p])) p++;
    if (!good || (p < end && bytes[p] !== NEWLINE)) refuseEntry(text, line, lineBegin, header, size);
    while (i >= rows) i = firstRow(++j);
    rowIdx[n] = i++;
    colIdx[n] = j;
    n++;
  }
  if (n < count) refuseTruncated(name, line, n, count);
  return { rows, cols, rowIdx, colIdx, re, ...(im ? { im } : {}) };
};

/** Finds out what is wrong with an entry that the fast path did not take, and says it. */
const refuseEntry = (text: Text, line: number, at: number, header: Header, size: Size): never => {
  const { bytes, name, patternOnly } = text;
  const words = wordsOf(latin1(bytes, at, Math.min(lineEnd(bytes, at), at + 1024)));
  const indices = header.format === 'coordinate' ? 2 : 0;
  const parts = partsOf(header);
  const shape =
    (indices === 2 ? 'row column' : '') + (parts === 2 ? ' real-part imaginary-part' : parts === 1 ? ' value' : '');
  const refuse = (code: string, message: string, column: number, remedy: string): never =>
    fail(code, message, { loc: { file: name, line, column }, remedy });
  const rule = `a line of this ${header.field} ${header.format} file is: ${shape.trim()}`;
  for (let w = 0; w < Math.min(indices, words.length); w++) {
    const { text, column } = words[w];
    const what = w === 0 ? 'row' : 'column';
    const limit = w === 0 ? size.rows : size.cols;
    if (!/^[+-]?\d+$/.test(text)) refuse('mtx/entry', `'${text}' is no ${what} number`, column, rule);
    const n = Number(text);
    if (n < 1 || n > limit) {
      refuse(
        'mtx/range',
        `${what} ${text} is outside the ${size.rows} × ${size.cols} matrix`,
        column,
        `${what}s count from 1 to ${limit}`,
      );
    }
    if (text.startsWith('+')) refuse('mtx/entry', `'${text}' is no ${what} number`, column, 'write it without a sign');
  }
  const out = new Float64Array(1);
  for (const { text, column } of words.slice(indices, indices + parts)) {
    const word = new TextEncoder().encode(text);
    if (patternOnly && isValue(word, 0, word.length)) continue;
    const whole = readNumber(word, 0, word.length, out, 0, false) === word.length;
    if (!whole) refuse('mtx/entry', `'${text}' is no finite number`, column, rule);
    if (!Number.isFinite(out[0])) {
      refuse('mtx/entry', `${text} is beyond the largest double`, column, 'scale the matrix before writing it');
    }
    if (header.field === 'integer' && !Number.isSafeInteger(out[0])) {
      refuse(
        'mtx/entry',
        `${text} is no integer that a double holds exactly`,
        column,
        'declare the field real in the header',
      );
    }
  }
  const column = words[indices + parts]?.column ?? lineEnd(bytes, at) - at + 1;
  return refuse('mtx/entry', `the entry has ${words.length} numbers, not ${indices + parts}`, column, rule);
};

const refuseTruncated = (name: string, line: number, found: number, count: number): never =>
  fail('mtx/truncated', `the file ends after ${found} of ${count} entries`, {
    loc: { file: name, line, column: 1 },
    remedy: 'fetch the file again if it was cut off, or correct the size line',
  });

const PERCENT = 37;
const NEWLINE = 10;
const decoder = new TextDecoder();

const isDigit = (c: number): boolean => c >= 48 && c <= 57;

/** Space, tab, and the carriage return before a line feed. */
const isBlank = (c: number): boolean => c === 32 || c === 9 || c === 13;

/** Position of the line feed that ends the line of `at`, or the end of the file. */
const lineEnd = (bytes: Uint8Array, at: number): number => {
  const end = bytes.indexOf(NEWLINE, at);
  return end < 0 ? bytes.length : end;
};

/** Position behind so many values of a line, or −1 where there are fewer. */
const behindValues = (bytes: Uint8Array, at: number, end: number, values: number): number => {
  let p = at;
  for (let w = 0; w < values; w++) {
    const first = skipBlanks(bytes, p, end);
    for (p = first; p < end && bytes[p] !== NEWLINE && !isBlank(bytes[p]); p++);
    if (p === first || !isValue(bytes, first, p)) return -1;
  }
  return p;
};

const skipBlanks = (bytes: Uint8Array, at: number, end: number): number => {
  let p = at;
  while (p < end && isBlank(bytes[p])) p++;
  return p;
};

/** Lines from `at` that hold something other than a comment. */
const countLines = (bytes: Uint8Array, at: number): number => {
  let n = 0;
  for (let p = at; p < bytes.length; p = lineEnd(bytes, p) + 1) {
    const end = lineEnd(bytes, p);
    const first = skipBlanks(bytes, p, end);
    if (first < end && bytes[first] !== PERCENT) n++;
  }
  return n;
};

const wordsOf = (line: string): readonly { readonly text: string; readonly column: number }[] =>
  [...line.matchAll(/[^ \t\r]+/g)].map((m) => ({ text: m[0], column: m.index + 1 }));
