import { fail, pass, type Loc, checkOptions } from '@filigree/ir';
import { MAX_INDEX } from '../patterns/coo.js';
import { parseFortranFormat, type FortranFormat } from './fortran-format.js';
import {
  bytesOfSource,
  expandStored,
  isValue,
  latin1,
  type FileField,
  type MatrixFile,
  type ReadOptions,
  type ReadResult,
  type Symmetry,
  readSpec,
} from './matrix-file.js';
import { readNumber } from './number.js';

/**
 * Reads an assembled matrix in Harwell-Boeing or Rutherford-Boeing form (types RUA, RSA, RZA, RRA, PUA, PSA, CUA, CHA,
 * IUA, …) from its bytes or text. Data stand in fixed Fortran fields, which may touch each other. Symmetric files are
 * expanded to both triangles, duplicates summed in file order, explicit zeros kept; pattern-only files get the value 1
 * (−1 in the triangle that a skew-symmetric file leaves out); right-hand sides are passed over.
 *
 * Codes: `hb/header`, `hb/type`, `hb/elemental`, `hb/format`, `hb/pointer`, `hb/range`, `hb/entry`, `hb/truncated`,
 * `hb/complex`, `hb/diagonal`, `hb/both-triangles`, `hb/too-large`.
 */
export const readHarwellBoeing = (source: Uint8Array | string, options?: ReadOptions): ReadResult =>
  pass('readHarwellBoeing', (s: Uint8Array | string) =>
    read(bytesOfSource(s), checkOptions('readHarwellBoeing', options, readSpec)),
  ).run(source);

const read = (bytes: Uint8Array, options: ReadOptions): MatrixFile => {
  const name = options.name ?? '<input>';
  const lines = lineCursor(bytes, name);
  const header = readHeader(lines);
  const { rows, cols, count, field, symmetry } = header;
  if (field === 'complex' && options.complex === undefined && !options.patternOnly) {
    fail('hb/complex', 'the file holds complex values, where real ones are wanted', {
      loc: { file: name, line: 3, column: 1 },
      remedy:
        "say which real number stands for each value: complex: 'real', 'imag' or 'abs', on the command line --complex",
    });
  }
  const colPtr = readIntegers(lines, header.pointers, cols + 1, 'column pointers', (v, k, last) => {
    const say = (what: string): Problem => ({
      code: 'hb/pointer',
      message: `column pointer ${k + 1} is ${v}, ${what}`,
    });
    if (k === 0 && v !== 1) return say('not 1');
    if (v < last) return say(`below ${last} before it`);
    if (v > count + 1) return say(`beyond the ${count} entries`);
    return k === cols && v !== count + 1 ? say(`the last one, but there are ${count} entries`) : undefined;
  });
  const rowIdx = readIntegers(lines, header.indices, count, 'row indices', (v, k) =>
    v >= 1 && v <= rows
      ? undefined
      : { code: 'hb/range', message: `entry ${k + 1} is in row ${v}, outside the ${rows} × ${cols} matrix` },
  );
  const stored = field === 'pattern' ? 0 : field === 'complex' ? 2 : 1;
  if (options.patternOnly && stored > 0) passOverValues(lines, header.values!, stored * count);
  const parts = options.patternOnly ? 0 : stored;
  const numbers = parts === 0 ? undefined : readValues(lines, header.values!, parts * count);
  const colIdx = new Int32Array(count);
  for (let j = 0; j < cols; j++) colIdx.fill(j, colPtr[j] - 1, colPtr[j + 1] - 1);
  for (let e = 0; e < count; e++) rowIdx[e]--;
  const re =
    parts === 1 ? numbers! : Float64Array.from({ length: count }, (_, e) => (parts === 0 ? 1 : numbers![2 * e]));
  const im = parts === 2 ? { im: Float64Array.from({ length: count }, (_, e) => numbers![2 * e + 1]) } : {};
  const matrix = expandStored('hb', { rows, cols, rowIdx, colIdx, re, ...im }, symmetry, name, options);
  return { ...matrix, field, symmetry, stored: count, comments: header.title === '' ? [] : [header.title] };
};

interface Header {
  readonly title: string;
  readonly rows: number;
  readonly cols: number;
  readonly count: number;
  readonly field: FileField;
  readonly symmetry: Symmetry;
  readonly pointers: FortranFormat;
  readonly indices: FortranFormat;
  /** Absent for a pattern-only file. */
  readonly values: FortranFormat | undefined;
}

const FIELDS: Readonly<Record<string, FileField>> = { R: 'real', C: 'complex', P: 'pattern', I: 'integer' };
const SYMMETRIES: Readonly<Record<string, Symmetry>> = {
  U: 'general',
  R: 'general',
  S: 'symmetric',
  Z: 'skew-symmetric',
  H: 'hermitian',
};

const readHeader = (lines: LineCursor): Header => {
  const title = lines.next('the title').slice(0, 72).trim();
  const cards = lines.next('the line counts').trim().split(/\s+/).map(Number);
  const refuse = (code: string, message: string, remedy: string, column = 1): never =>
    fail(code, message, { loc: lines.loc(column), remedy });
  if (cards.length < 4 || cards.length > 5 || !cards.every((n) => Number.isInteger(n) && n >= 0)) {
    refuse(
      'hb/header',
      'line 2 does not hold the four or five line counts',
      'line 2 is: total, pointer, index, value [, right-hand side] lines',
    );
  }
  const third = lines.next('type and size');
  const type = third.slice(0, 3).toUpperCase();
  const field = FIELDS[type.charAt(0)];
  const symmetry = SYMMETRIES[type.charAt(1)];
  if (field === undefined || symmetry === undefined || !'AE'.includes(type.charAt(2)) || type.length < 3) {
    return refuse(
      'hb/type',
      `'${type}' is no matrix type`,
      'types are R, C, P or I; U, S, H, Z or R; A, for example RSA',
    );
  }
  if (type.charAt(2) === 'E') {
    refuse(
      'hb/elemental',
      'the matrix is stored as unassembled elements',
      'assemble it first: only types ending in A are read',
    );
  }
  if (symmetry === 'hermitian' && field !== 'complex') {
    refuse('hb/type', `'${type}': a hermitian matrix is complex`, 'use type RSA or CHA');
  }
  const sizes = third.slice(3).trim().split(/\s+/).map(Number);
  if (sizes.length < 3 || !sizes.slice(0, 3).every((n) => Number.isInteger(n) && n >= 0 && n < MAX_INDEX)) {
    refuse(
      'hb/header',
      'line 3 does not hold rows, columns and entries',
      'line 3 is: type, rows, columns, entries, elements',
      4,
    );
  }
  const [rows, cols, count] = sizes as [number, number, number];
  if (symmetry !== 'general' && rows !== cols) {
    refuse(
      'hb/type',
      `a ${rows} × ${cols} matrix cannot be ${symmetry}`,
      'use a type with U or R for its second letter',
    );
  }
  const hasValues = cards[3] > 0;
  if (!hasValues && field !== 'pattern' && count > 0) {
    refuse(
      'hb/header',
      `type ${type} has values, but line 2 promises no lines of values`,
      'use type P for a matrix without values',
    );
  }
  const fourth = lines.next('the formats');
  const formats = splitFormats(fourth);
  const format = (n: number, what: string, kind: FortranFormat['kind'] | undefined): FortranFormat => {
    const at = formats[n];
    const parsed = at === undefined ? undefined : parseFortranFormat(at.text);
    if (parsed === undefined || (kind !== undefined && parsed.kind !== kind)) {
      return refuse(
        'hb/format',
        at === undefined ? `the format of the ${what} is missing` : `'${at.text}' is no format for ${what}`,
        'formats are like (16I5) for indices and (5E16.8) or (1P,4D20.12) for values',
        at?.column ?? fourth.length + 1,
      );
    }
    return parsed;
  };
  const pointers = format(0, 'column pointers', 'integer');
  const indices = format(1, 'row indices', 'integer');
  const values = field === 'pattern' ? undefined : format(2, 'values', field === 'integer' ? undefined : 'real');
  if (cards.length === 5 && cards[4] > 0) lines.next('the right-hand sides');
  return { title, rows, cols, count, field, symmetry, pointers, indices, values };
};

/** The top-level parenthesised groups of the format line: fields of the header may lie closer than they should. */
const splitFormats = (line: string): readonly { readonly text: string; readonly column: number }[] => {
  const out: { text: string; column: number }[] = [];
  let depth = 0;
  let begin = 0;
  for (let c = 0; c < line.length; c++) {
    if (line[c] === '(' && depth++ === 0) begin = c;
    if (line[c] === ')' && --depth === 0) out.push({ text: line.slice(begin, c + 1), column: begin + 1 });
    if (depth < 0) depth = 0;
  }
  if (depth > 0) out.push({ text: line.slice(begin).trimEnd(), column: begin + 1 });
  return out;
};

/** What is wrong with a field. */
interface Problem {
  readonly code: string;
  readonly message: string;
}

const entryProblem = (message: string): Problem => ({ code: 'hb/entry', message });

/** Reads `count` integers; `fault` says what is wrong with the k-th, given the one before. */
const readIntegers = (
  lines: LineCursor,
  format: FortranFormat,
  count: number,
  what: string,
  fault: (value: number, k: number, last: number) => Problem | undefined,
): Int32Array => {
  requireData(lines, count, what);
  const out = new Int32Array(count);
  let last = 0;
  readFields(lines, format, count, what, false, (k, from, to) => {
    const { bytes } = lines;
    let p = from;
    const negative = p < to && bytes[p] === 45;
    if (p < to && (negative || bytes[p] === 43)) p++;
    const begin = p;
    let v = 0;
    for (; p < to && bytes[p] >= 48 && bytes[p] <= 57; p++) v = v * 10 + (bytes[p] - 48);
    if (p < to || p === begin) return entryProblem(`'${latin1(bytes, from, to)}' is no whole number`);
    if (negative) v = -v;
    const problem = fault(v, k, last);
    out[k] = v;
    last = v;
    return problem;
  });
  return out;
};

/* A file that ends among its values was cut off, whether or not they matter. */
const passOverValues = (lines: LineCursor, format: FortranFormat, count: number): void => {
  requireData(lines, count, 'values');
  readFields(lines, format, count, 'values', true, (_, from, to) =>
    isValue(lines.bytes, from, to) ? undefined : entryProblem(`'${latin1(lines.bytes, from, to)}' is no number`),
  );
};

const readValues = (lines: LineCursor, format: FortranFormat, count: number): Float64Array => {
  requireData(lines, count, 'values');
  const out = new Float64Array(count);
  readFields(lines, format, count, 'values', true, (k, from, to) => {
    const { bytes } = lines;
    const whole = format.decimals === 0 && format.scale === 0;
    if (!(whole || hasPoint(bytes, from, to)) || readNumber(bytes, from, to, out, k, true) !== to) {
      const text = asWritten(latin1(bytes, from, to), format);
      const x = text === undefined ? NaN : Number(text);
      if (!Number.isFinite(x)) return entryProblem(`'${latin1(bytes, from, to)}' is no finite number`);
      out[k] = x;
      return undefined;
    }
    if (format.scale !== 0 && !hasExponent(bytes, from, to)) {
      out[k] = Number(asWritten(latin1(bytes, from, to), format));
    }
    return Number.isFinite(out[k])
      ? undefined
      : entryProblem(`${latin1(bytes, from, to)} is beyond the largest double`);
  });
  return out;
};

/**
 * A real field by the rules of Fortran input: a field without point has its last `decimals` digits behind one, a field
 * without exponent is divided by ten to the scale factor, blanks may follow a sign or the exponent's letter. Blanks
 * elsewhere, which Fortran passes over, are refused: they are what a misaligned file looks like. Undefined where it is
 * no number.
 */
const asWritten = (text: string, format: FortranFormat): string | undefined => {
  const m = /^([+-]?) *(\d*)(\.?)(\d*)(?:[ED] *([+-]?) *(\d+)|([+-])(\d+))?$/.exec(text.toUpperCase());
  if (!m || m[2] === undefined || m[2] + m[4] === '') return undefined;
  const exponent = m[6] !== undefined ? `${m[5]}${m[6]}` : m[8] !== undefined ? `${m[7]}${m[8]}` : undefined;
  const shift = (m[3] === '' ? format.decimals : 0) + (exponent === undefined ? format.scale : 0);
  return `${m[1]}${m[2]}${m[3]}${m[4]}e${Number(exponent ?? 0) - shift}`;
};

const hasPoint = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let p = from; p < to; p++) if (bytes[p] === 46) return true;
  return false;
};

const hasExponent = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let p = from + 1; p < to; p++) {
    const c = bytes[p] | 32;
    if (c === 100 || c === 101 || bytes[p] === 43 || bytes[p] === 45) return true;
  }
  return false;
};

const TRUNCATED_REMEDY = 'fetch the file again if it was cut off, or correct the sizes in line 3';

/** A field holds a character at least: refuses counts that the file is too short for before memory is asked for. */
const requireData = (lines: LineCursor, count: number, what: string): void => {
  if (count <= lines.remaining()) return;
  fail('hb/truncated', `what follows is too short for ${count} ${what}`, {
    loc: lines.loc(1),
    remedy: TRUNCATED_REMEDY,
  });
};

/**
 * Calls `take` with every field, blanks trimmed, until `count` are read; what it returns is what is wrong. With `free`,
 * a line that does not fit its format is taken word by word if it has exactly the words it should: some programs write
 * fields narrower than they declare.
 */
const readFields = (
  lines: LineCursor,
  format: FortranFormat,
  count: number,
  what: string,
  free: boolean,
  take: (k: number, from: number, to: number) => Problem | undefined,
): void => {
  for (let k = 0; k < count;) {
    if (!lines.advance()) {
      fail('hb/truncated', `the file ends within its ${what}: ${k} of ${count} are there`, {
        loc: lines.loc(1),
        remedy: TRUNCATED_REMEDY,
      });
    }
    const wanted = Math.min(format.repeat, count - k);
    const problem = readFixed(lines, format, k, wanted, what, take);
    if (problem !== undefined && !(free && readWords(lines, k, wanted, take))) {
      fail(problem.code, problem.message, {
        loc: lines.loc(problem.field * format.width + 1),
        remedy: `the ${what} stand in ${format.repeat} fields of ${format.width} characters a line; rows and columns count from 1`,
      });
    }
    k += wanted;
  }
};

const readFixed = (
  lines: LineCursor,
  format: FortranFormat,
  k: number,
  wanted: number,
  what: string,
  take: (k: number, from: number, to: number) => Problem | undefined,
): (Problem & { readonly field: number }) | undefined => {
  const { bytes } = lines;
  const { begin, end } = lines.line();
  for (let field = 0; field < wanted; field++) {
    let from = begin + field * format.width;
    let to = Math.min(end, from + format.width);
    while (from < to && bytes[from] === 32) from++;
    while (to > from && bytes[to - 1] === 32) to--;
    const problem =
      from < to
        ? take(k + field, from, to)
        : entryProblem(`the line ends or is blank where item ${k + field + 1} of the ${what} should stand`);
    if (problem !== undefined) return { ...problem, field };
  }
  return undefined;
};

/** Whether the current line has exactly the wanted words and `take` takes them all. */
const readWords = (
  lines: LineCursor,
  k: number,
  wanted: number,
  take: (k: number, from: number, to: number) => Problem | undefined,
): boolean => {
  const { begin, end } = lines.line();
  const words = [...latin1(lines.bytes, begin, end).matchAll(/[^ ]+/g)];
  return (
    words.length === wanted &&
    words.every((w, n) => take(k + n, begin + w.index, begin + w.index + w[0].length) === undefined)
  );
};

/** Goes through the lines of a file, and knows where it is. */
interface LineCursor {
  readonly bytes: Uint8Array;
  /** Steps to the next line; false at the end of the file. */
  readonly advance: () => boolean;
  /** The current line, without its end. */
  readonly line: () => { readonly begin: number; readonly end: number };
  /** The next line as text; refuses a file that ends before it. */
  readonly next: (what: string) => string;
  readonly loc: (column: number) => Loc;
  /** Bytes behind the current line. */
  readonly remaining: () => number;
}

const lineCursor = (bytes: Uint8Array, file: string): LineCursor => {
  let begin = 0;
  let end = 0;
  let following = 0;
  let line = 0;
  const advance = (): boolean => {
    if (following >= bytes.length) return false;
    begin = following;
    const feed = bytes.indexOf(10, begin);
    end = feed < 0 ? bytes.length : feed;
    following = end + 1;
    if (end > begin && bytes[end - 1] === 13) end--;
    line++;
    return true;
  };
  const loc = (column: number): Loc => ({ file, line: Math.max(1, line), column });
  return {
    bytes,
    advance,
    line: () => ({ begin, end }),
    next: (what) => {
      if (!advance()) {
        fail('hb/header', `the file ends before ${what}`, {
          loc: loc(1),
          remedy:
            'the header has four lines: title, line counts, type and size, formats; a Matrix Market file begins with %%MatrixMarket',
        });
      }
      return latin1(bytes, begin, Math.min(end, begin + 1024));
    },
    loc,
    remaining: () => Math.max(0, bytes.length - following),
  };
};
