import type { Program, Token } from 'acorn';
import { failAt, siteOf, type Site, type Source } from './place.js';
import { analyseScopes, type Scopes } from './scope.js';

/** A source text, understood. */
export interface Parsed {
  readonly text: string;
  readonly program: Program;
  readonly scopes: Scopes;
  /** The first token at or after an offset; comments are no tokens. */
  readonly tokenAt: (offset: number) => Token;
  /** The place of an offset, in the text that the user wrote. */
  readonly site: (offset: number) => Site;
  readonly source: Source;
}

/** From line and column of the parsed text, both from 1, to a site of the user's text. */
export type Relocate = (line: number, column: number) => Site;

/** What parses: a parser, or what was parsed before. Throws `SyntaxError`. */
export type Parse = (text: string) => { readonly program: Program; readonly tokens: readonly Token[] };

/** Parses strict-mode JavaScript; `lang/syntax` where it is none. */
export const parseSource = (text: string, source: Source, parse: Parse, relocate: Relocate = siteOf): Parsed => {
  const { program, tokens } = guardSyntax(source, relocate, () => parse(text));
  const lines = lineStarts(text);
  return {
    text,
    program,
    scopes: analyseScopes(program),
    tokenAt: (offset) => tokens[lowerBound(tokens.length, (i) => tokens[i].start >= offset)],
    site: (offset) => {
      const line = lowerBound(lines.length, (i) => lines[i] > offset);
      return relocate(line, offset - lines[line - 1] + 1);
    },
    source,
  };
};

const guardSyntax = <T>(source: Source, relocate: Relocate, f: () => T): T => {
  try {
    return f();
  } catch (e) {
    if (!(e instanceof SyntaxError)) throw e;
    const at = (e as SyntaxError & { loc?: { line: number; column: number } }).loc ?? { line: 1, column: 0 };
    const [, closed] = /^Private field '(#[^']+)'/.exec(e.message) ?? [];
    return failAt(
      source,
      relocate(at.line, at.column + 1),
      'lang/syntax',
      closed
        ? `\`${closed}\` is private to its class, and what is compiled here is one function of that alone`
        : e.message.replace(/ \(\d+:\d+\)$/, ''),
      closed
        ? 'make the object in the kernel, new C(…), where the class is compiled as a whole; or name the member without #, `private` as TypeScript has it'
        : 'the function must be strict-mode JavaScript (no `with`); types are stripped before it gets here',
    );
  }
};

const lineStarts = (text: string): number[] => {
  const starts = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === '\n') starts.push(i + 1);
  return starts;
};

/** The first index in [0, n) for which the monotone test holds, or n. */
const lowerBound = (n: number, test: (i: number) => boolean): number => {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};
