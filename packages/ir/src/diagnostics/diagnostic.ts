/**
 * A diagnostic is what Filigree says instead of a wrong number: a stable code, what is wrong, where, and what to do.
 * Diagnostics are plain data, so they travel through `Either`, JSON and workers unchanged.
 */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  /** Stable, greppable, `area/what`, for example `mtx/line` or `verify/operand-type`. */
  readonly code: string;
  readonly message: string;
  /** Where: a position in a source text, when there is one. */
  readonly loc?: Loc;
  /** What to do about it, as an instruction to the user. */
  readonly remedy?: string;
  /** The lines around `loc` as `codeFrame` makes them, from reporters that hold the text when others do not. */
  readonly frame?: string;
}

/** A position in a source text; lines and columns count from 1. */
export interface Loc {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What an entry point reports when it fails: at least one error, and whatever else was noticed. */
export type Diagnostics = readonly Diagnostic[];

/** An error diagnostic. */
export const error = (
  code: string,
  message: string,
  at: { loc?: Loc | undefined; remedy?: string | undefined } = {},
): Diagnostic => ({
  severity: 'error',
  code,
  message,
  ...(at.loc ? { loc: at.loc } : {}),
  ...(at.remedy ? { remedy: at.remedy } : {}),
});

/** A warning: something that may not be meant, and does not keep what was asked for from being done. */
export const warning = (...said: Parameters<typeof error>): Diagnostic => ({ ...error(...said), severity: 'warning' });

/** The exception that carries diagnostics where a Promise or a callback cannot carry an `Either`. */
export class DiagnosticError extends Error {
  readonly diagnostics: Diagnostics;
  constructor(diagnostics: Diagnostics) {
    super(diagnostics.map((d) => formatDiagnostic(d)).join('\n'));
    this.name = 'DiagnosticError';
    this.diagnostics = diagnostics;
  }
}

/** Throws one error diagnostic; for code below a package entry point, which turns it into a `Left`. */
export const fail = (
  code: string,
  message: string,
  at: { loc?: Loc | undefined; remedy?: string | undefined } = {},
): never => {
  throw new DiagnosticError([error(code, message, at)]);
};

/** A position as text: `file:line:column`. */
export const locText = ({ file, line, column }: Loc): string => `${file}:${line}:${column}`;

/**
 * A diagnostic as text: `file:line:column: error[code]: message`, a code frame when the source text is given, the remedy.
 */
export const formatDiagnostic = (d: Diagnostic, source?: string): string => {
  const place = d.loc ? `${locText(d.loc)}: ` : '';
  const head = `${place}${d.severity}[${d.code}]: ${d.message}`;
  const lines = d.loc && source !== undefined ? codeFrame(source, d.loc) : d.frame;
  const frame = lines === undefined ? '' : `\n${lines}`;
  return d.remedy ? `${head}${frame}\n  remedy: ${d.remedy}` : head + frame;
};

/** The line of `loc` with its neighbours and a caret below the column; of long lines what is around the column. */
export const codeFrame = (source: string, loc: Loc): string => {
  /* Of a file that is no text, what a terminal would take for commands is not shown. */
  const lines = source.replace(/(?!\r?\n|\t)\p{Cc}/gu, '�').split('\n');
  const first = Math.max(1, loc.line - 1);
  const last = Math.min(lines.length, loc.line + 1);
  const width = String(last).length;
  const out: string[] = [];
  /* Printers put whole programs in one line. */
  const from = loc.column <= (WIDEST * 3) / 4 ? 0 : loc.column - WIDEST / 2;
  const clipped = (line: string): string =>
    `${from > 0 && line.length > from ? '…' : ''}${line.slice(from, from + WIDEST)}${line.length > from + WIDEST ? '…' : ''}`;
  for (let n = first; n <= last; n++) {
    out.push(`${n === loc.line ? '>' : ' '} ${String(n).padStart(width)} | ${clipped(lines[n - 1])}`);
    if (n === loc.line)
      out.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, loc.column - 1 - from + (from > 0 ? 1 : 0)))}^`);
  }
  return out.join('\n');
};

/** Characters of a line that are shown. */
const WIDEST = 120;
