import {
  codeFrame,
  DiagnosticError,
  error,
  type Diagnostic,
  type Diagnostics,
  type Loc,
  option,
  type OptionKind,
} from '@filigree/ir';

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
}

/** The position of a site; site 0 is nowhere in particular. */
export const locOf = (source: Source, site: Site): Loc => ({
  file: source.file,
  line: Math.floor(site / COLUMNS),
  column: site % COLUMNS,
});

/** These diagnostics as an exception; each shows its line of `text`, where that is known. */
export const sourceError = (diagnostics: Diagnostics, text: string | undefined): DiagnosticError =>
  new DiagnosticError(diagnostics.map((d) => framed(d, text)));

const framed = (d: Diagnostic, text: string | undefined): Diagnostic =>
  d.loc && text !== undefined ? { ...d, frame: codeFrame(text, d.loc) } : d;

/** Throws an error diagnostic at a site. */
export const failAt = (source: Source, site: Site, code: string, message: string, remedy: string): never => {
  throw sourceError([error(code, message, { loc: site ? locOf(source, site) : undefined, remedy })], source.source);
};

/** The same failure with a place: what has none gets this site; any other exception is left as it is. */
export const placed = (source: Source, site: Site, thrown: unknown): unknown => {
  if (!(thrown instanceof DiagnosticError) || thrown.diagnostics.every((d) => d.loc)) return thrown;
  const loc = locOf(source, site);
  return new DiagnosticError(thrown.diagnostics.map((d) => (d.loc ? d : framed({ ...d, loc }, source.source))));
};

/** A place in a file, as an option. */
export const locOption: OptionKind = option.object('a place: { file, line, column }', 'file', 'line', 'column');
