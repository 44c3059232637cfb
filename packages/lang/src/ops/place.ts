import { DiagnosticError, error, formatDiagnostic, type Diagnostic, type Diagnostics, type Loc } from '@filigree/ir';

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

/** Diagnostics about a source text: the message shows the offending line. */
export class SourceDiagnosticError extends DiagnosticError {
  constructor(
    diagnostics: Diagnostics,
    readonly source: string | undefined,
  ) {
    super(diagnostics);
    this.message = diagnostics.map((d) => formatDiagnostic(d, source)).join('\n');
  }
}

/** Throws an error diagnostic at a site. */
export const failAt = (source: Source, site: Site, code: string, message: string, remedy: string): never => {
  throw new SourceDiagnosticError(
    [error(code, message, { loc: site ? locOf(source, site) : undefined, remedy })],
    source.source,
  );
};

/** The same failure with a place: diagnostics that have none get this site; any other exception is left as it is. */
export const placed = (source: Source, site: Site, thrown: unknown): unknown => {
  if (!(thrown instanceof DiagnosticError) || thrown instanceof SourceDiagnosticError) return thrown;
  const loc = locOf(source, site);
  return new SourceDiagnosticError(
    thrown.diagnostics.map((d): Diagnostic => (d.loc ? d : { ...d, loc })),
    source.source,
  );
};
