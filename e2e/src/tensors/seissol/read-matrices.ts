import sax from 'sax';
import { fail, type Loc } from '@filigree/ir';
import type { TensorDecl } from '@filigree/tensor/einsum';

/** Matrices by name. Those of `star.xml` have a pattern but no values. */
export type Matrices = Readonly<Record<string, TensorDecl>>;

/**
 * The matrices of a file in SeisSol's XML form: `<matrices>` of `<matrix name rows columns>` of `<entry row column [value]>`,
 * rows and columns from 1. Where no entry of a matrix has a value it is a pattern, whose values are those of a run.
 * Fails with `matrices/xml` where the text is not XML, else with `matrices/element`, `matrices/number`, `matrices/range`,
 * `matrices/repeated` or `matrices/values`, each with its place.
 *
 * @param file what the text is called in diagnostics
 */
export const readMatrices = (file: string, text: string): Matrices => {
  const parser = sax.parser(true, { position: true });
  const found: Record<string, TensorDecl> = Object.create(null) as Record<string, TensorDecl>;
  const open: string[] = [];
  let matrix: Reading | undefined;
  let tagStart: Loc = { file, line: 1, column: 1 };

  parser.onopentagstart = () => (tagStart = { file, line: parser.line + 1, column: startColumn(parser) });
  parser.onerror = (e) => fail('matrices/xml', firstLine(e.message), { loc: here(parser, file), remedy: WELL_FORMED });
  parser.onopentag = ({ name, attributes }) => {
    const parent = open.at(-1) ?? '';
    if (PARENTS[name] !== parent)
      fail('matrices/element', `<${name}> stands ${parent === '' ? 'outermost' : `within <${parent}>`}`, {
        loc: tagStart,
        remedy: 'write <matrices> around <matrix>, and <entry> within <matrix>',
      });
    open.push(name);
    if (name === 'matrix') matrix = matrixOf(attributes as Attributes, tagStart, found);
    if (name === 'entry' && matrix) addEntry(matrix, attributes as Attributes, tagStart);
  };
  parser.onclosetag = (name) => {
    open.pop();
    if (name === 'matrix' && matrix) found[matrix.name] = declOf(matrix);
  };
  parser.ontext = (t) => {
    if (t.trim() !== '')
      fail('matrices/element', `there is text, '${t.trim().slice(0, 20)}'`, {
        loc: here(parser, file),
        remedy: 'put numbers into the attributes row, column and value of <entry>',
      });
  };
  parser.write(text).close();
  if (Object.keys(found).length === 0)
    fail('matrices/element', 'there is no matrix', { loc: tagStart, remedy: 'write at least one <matrix>' });
  return { ...found };
};

type Attributes = Readonly<Record<string, string>>;

interface Reading {
  readonly name: string;
  readonly loc: Loc;
  readonly shape: readonly [rows: number, columns: number];
  readonly bits: Uint8Array;
  readonly values: Float64Array;
  entries: number;
  valued: number;
}

const PARENTS: Readonly<Record<string, string>> = { matrices: '', matrix: 'matrices', entry: 'matrix' };
const WELL_FORMED = 'give a well-formed XML file';
const LARGEST = 1 << 12;

const matrixOf = (attributes: Attributes, loc: Loc, found: Readonly<Record<string, TensorDecl>>): Reading => {
  const name = attribute(attributes, 'name', 'matrix', loc);
  if (name in found)
    fail('matrices/repeated', `there are two matrices '${name}'`, { loc, remedy: 'give each a name of its own' });
  const rows = wholeNumber(attributes, 'rows', 'matrix', LARGEST, loc);
  const columns = wholeNumber(attributes, 'columns', 'matrix', LARGEST, loc);
  const size = rows * columns;
  return {
    name,
    loc,
    shape: [rows, columns],
    bits: new Uint8Array(size),
    values: new Float64Array(size),
    entries: 0,
    valued: 0,
  };
};

const addEntry = (matrix: Reading, attributes: Attributes, loc: Loc): void => {
  const [rows, columns] = matrix.shape;
  const row = wholeNumber(attributes, 'row', 'entry', rows, loc);
  const column = wholeNumber(attributes, 'column', 'entry', columns, loc);
  const at = row - 1 + rows * (column - 1);
  if (matrix.bits[at] !== 0)
    fail('matrices/repeated', `entry ${row}, ${column} of '${matrix.name}' occurs twice`, {
      loc,
      remedy: 'leave one of them out',
    });
  matrix.bits[at] = 1;
  matrix.entries++;
  const text = attributes.value;
  if (text === undefined) return;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    fail('matrices/number', `'${text}' is no number`, { loc, remedy: 'give a finite decimal number' });
  matrix.values[at] = value;
  matrix.valued++;
};

const declOf = ({ name, loc, shape, bits, values, entries, valued }: Reading): TensorDecl => {
  if (valued !== 0 && valued !== entries)
    fail('matrices/values', `${entries - valued} of the ${entries} entries of '${name}' have no value`, {
      loc,
      remedy: 'give all entries a value, or none',
    });
  return { name, shape, pattern: { shape, bits }, ...(valued > 0 && { values }) };
};

const attribute = (attributes: Attributes, key: string, tag: string, loc: Loc): string =>
  attributes[key] ?? fail('matrices/element', `<${tag}> has no ${key}`, { loc, remedy: `write <${tag} … ${key}="…">` });

const wholeNumber = (attributes: Attributes, key: string, tag: string, most: number, loc: Loc): number => {
  const text = attribute(attributes, key, tag, loc);
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value))
    fail('matrices/number', `${key} of <${tag}> is '${text}'`, { loc, remedy: `give a whole number` });
  if (value < 1 || value > most)
    fail('matrices/range', `${key} of <${tag}> is ${value}`, { loc, remedy: `give a number from 1 to ${most}` });
  return value;
};

const here = (parser: sax.SAXParser, file: string): Loc => ({
  file,
  line: parser.line + 1,
  column: Math.max(1, parser.column),
});

/** The parser reports the start of a tag once it has read its name and what follows. */
const startColumn = (parser: sax.SAXParser): number =>
  Math.max(1, parser.column - (parser.position - parser.startTagPosition));

const firstLine = (message: string): string => message.split('\n')[0];
