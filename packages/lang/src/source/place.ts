import { codeFrame, DiagnosticError, error, type Diagnostics, type Loc, option, type OptionKind } from '@filigree/ir';

/**
 * A place in the user's source as one small integer, so that every rewritten operation can carry its place as a literal
 * at no cost: line × 65536 + column, both from 1.
 */
export type Site = number;

const COLUMNS = 65536;

export const siteOf = (line: number, column: number): Site => line * COLUMNS + Math.min(column, COLUMNS - 1);

/** The text that sites point into. `source` is for code frames. */
export interface Source {
  readonly file: string;
  readonly source?: string | undefined;
  /** Where the text stands in the file of its author, if that can be found. */
  readonly original?: (() => Original | undefined) | undefined;
}

/** A file, and where in it a text stands. */
export interface Original {
  readonly file: string;
  readonly text: string;
  /** From an offset in the text to one in the file. */
  readonly offset: (at: number) => number;
}

/** The position of a site; site 0 is nowhere in particular. */
export const locOf = (source: Source, site: Site): Loc => ({
  file: source.file,
  line: Math.floor(site / COLUMNS),
  column: site % COLUMNS,
});

/** These diagnostics as an exception; each shows its line, where that is known. */
export const sourceError = (diagnostics: Diagnostics, source: Source): DiagnosticError =>
  new DiagnosticError(diagnostics.map((d) => (d.loc ? { ...d, ...shown(source, d.loc) } : d)));

/** A place of a text as people look for it, in the file of its author if that is found, and the lines around. */
export const shown = (
  { source: text, original }: Source,
  loc: Loc,
  lines = text,
): { readonly loc: Loc; readonly frame?: string } => {
  const found = text === undefined ? undefined : original?.();
  if (!found || text === undefined) return { loc, ...(lines !== undefined && { frame: codeFrame(lines, loc) }) };
  const at = offsetIn(found, text, loc);
  const place = { file: found.file, ...positionOf(found.text, at) };
  return { loc: place, frame: codeFrame(found.text, place) };
};

/** Where a place of a text stands in the file of its author. */
export const offsetIn = ({ offset }: Original, text: string, loc: Loc): number => offset(offsetOf(text, loc));

/** The line and column, from 1, of an offset in a text. */
export const positionOf = (text: string, offset: number): Pick<Loc, 'line' | 'column'> => {
  const above = text.slice(0, offset).split('\n');
  return { line: above.length, column: above[above.length - 1].length + 1 };
};

/** The offset in a text of a line and column, from 1. */
export const offsetOf = (text: string, { line, column }: Pick<Loc, 'line' | 'column'>): number => {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((all, line) => all + line.length + 1, 0) + column - 1;
};

/** Throws an error diagnostic at a site. */
export const failAt = (source: Source, site: Site, code: string, message: string, remedy: string): never => {
  throw sourceError([error(code, message, { loc: site ? locOf(source, site) : undefined, remedy })], source);
};

/** The same failure with a place: what has none gets this site; any other exception is left as it is. */
export const placed = (source: Source, site: Site, thrown: unknown): unknown => {
  if (!(thrown instanceof DiagnosticError) || thrown.diagnostics.every((d) => d.loc)) return thrown;
  const loc = locOf(source, site);
  return new DiagnosticError(thrown.diagnostics.map((d) => (d.loc ? d : { ...d, ...shown(source, loc) })));
};

/** A place in a file, as an option. */
export const locOption: OptionKind = option.object('a place: { file, line, column }', 'file', 'line', 'column');
