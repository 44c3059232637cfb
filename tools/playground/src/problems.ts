import type { Problem } from './messages.js';
import { FILE, type Stripped } from './strip.js';

/** What a diagnostic looks like, whoever throws it. */
interface Diagnostic {
  readonly severity: Problem['severity'] | 'note';
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number };
}

/** What was thrown, as problems at places of the text. @param program none where the text could not be read at all */
export const problemsOf = (thrown: unknown, program: Stripped | undefined): readonly Problem[] => {
  const { diagnostics } = (thrown ?? {}) as { readonly diagnostics?: readonly Diagnostic[] };
  if (diagnostics) return diagnostics.map((d) => problemOf(d, program));
  const { message = String(thrown), stack = '', loc } = (thrown ?? {}) as Partial<Error> & { loc?: Place };
  /* What sucrase says of a text that it cannot read. */
  if (loc) return [{ severity: 'error', message: message.replace(/ \(\d+:\d+\)$/, ''), ...loc }];
  const place = program && placeIn(stack, program);
  return [{ severity: 'error', message, ...place }];
};

/** A diagnostic as a problem. */
export const problemOf = ({ severity, code, message, remedy, loc }: Diagnostic, program?: Stripped): Problem => ({
  severity: severity === 'error' ? 'error' : 'warning',
  message: `${message} [${code}]${remedy === undefined ? '' : `\n${remedy}`}`,
  ...(loc?.file === FILE && program ? program.original(loc.line, loc.column) : {}),
});

interface Place {
  readonly line: number;
  readonly column: number;
}

/* A function that is made of text has two lines before its body. */
const placeIn = (stack: string, program: Stripped): Place | undefined => {
  const found = new RegExp(`${FILE}:(\\d+):(\\d+)`).exec(stack);
  return found ? program.original(Number(found[1]) - 2, Number(found[2])) : undefined;
};
