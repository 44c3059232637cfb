import { type Loc, fail } from '../diagnostics/diagnostic.js';

export interface Token {
  /** `value` is `%name`, `symbol` is `@name`, `word` may hold dots, `punctuation` is one character. `text` is without the sigil. */
  readonly kind: 'value' | 'symbol' | 'word' | 'number' | 'string' | 'punctuation' | 'end';
  readonly text: string;
  readonly start: number;
}

/** Tokens of `.fil` text, one at a time with one of look-ahead. Blanks and `;` comments are skipped. */
export class Lexer {
  private token: Token;
  private ahead: Token | undefined;
  private position = 0;
  private readonly lines: number[] = [0];

  constructor(
    private readonly text: string,
    private readonly file: string,
    /** Whether a word may hold dashes instead of dots, as names of passes do. */
    private readonly dashes = false,
  ) {
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.lines.push(i + 1);
    this.token = this.read();
  }

  peek(): Token {
    return this.token;
  }

  /** The token after the one at hand. */
  peekNext(): Token {
    return (this.ahead ??= this.read());
  }

  next(): Token {
    const token = this.token;
    this.token = this.ahead ?? this.read();
    this.ahead = undefined;
    return token;
  }

  /** Takes the token if it is this punctuation or word. */
  accept(text: string): boolean {
    if (!this.at(text)) return false;
    this.next();
    return true;
  }

  at(text: string): boolean {
    const { kind } = this.token;
    return this.token.text === text && (kind === 'punctuation' || kind === 'word');
  }

  expect(text: string, remedy = `write '${text}' there`): Token {
    return this.at(text)
      ? this.next()
      : this.fail('parse/syntax', `expected '${text}', found ${describe(this.token)}`, { remedy });
  }

  expectKind(kind: Token['kind'], what: string): Token {
    return this.token.kind === kind
      ? this.next()
      : this.fail('parse/syntax', `expected ${what}, found ${describe(this.token)}`, { remedy: `write ${what}` });
  }

  /** Whether the token at hand stands on the line where `token` does. */
  onLineOf(token: Token): boolean {
    const newline = this.text.indexOf('\n', token.start);
    return newline < 0 || this.token.start < newline;
  }

  loc(token: Token): Loc {
    let [low, high] = [0, this.lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lines[middle] <= token.start) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: token.start - this.lines[low] + 1 };
  }

  fail(code: string, message: string, at: { token?: Token; remedy?: string | undefined } = {}): never {
    return fail(code, message, { loc: this.loc(at.token ?? this.token), remedy: at.remedy });
  }

  private read(): Token {
    const { text } = this;
    blanks.lastIndex = this.position;
    blanks.exec(text);
    const start = blanks.lastIndex;
    if (start >= text.length) return { kind: 'end', text: '', start };
    if (text[start] === '"') return this.quoted('string', start, start);
    if (text.startsWith('@"', start)) return this.quoted('symbol', start, start + 1);
    for (const [kind, pattern, sigil] of this.dashes ? dashed : patterns) {
      pattern.lastIndex = start;
      const match = pattern.exec(text);
      if (match) {
        this.position = pattern.lastIndex;
        return { kind, text: match[0].slice(sigil), start };
      }
    }
    const token: Token = { kind: 'end', text: text[start], start };
    return this.fail(
      'parse/character',
      `unexpected character ${JSON.stringify(String.fromCodePoint(text.codePointAt(start) ?? 0))}`,
      { token, remedy: 'drop it, or quote it: names of letters, digits and _ need no quotes, comments begin with ;' },
    );
  }

  /* By hand rather than by pattern: base64 data may have many megabytes. */
  private quoted(kind: 'string' | 'symbol', start: number, open: number): Token {
    let end = open + 1;
    for (; ; end++) {
      const [quote, newline] = [this.text.indexOf('"', end), this.text.indexOf('\n', end)];
      end = quote;
      if (quote < 0 || (newline >= 0 && newline < quote))
        this.fail('parse/string', 'a string does not end on its line', {
          token: { kind, text: '', start },
          remedy: `close it with "`,
        });
      let slashes = 0;
      while (this.text[quote - 1 - slashes] === '\\') slashes++;
      if (slashes % 2 === 0) break;
    }
    this.position = end + 1;
    const raw = this.text.slice(open, end + 1);
    return { kind, text: raw.includes('\\') ? this.unescape(raw, start) : raw.slice(1, -1), start };
  }

  private unescape(raw: string, start: number): string {
    try {
      return JSON.parse(raw) as string;
    } catch {
      return this.fail('parse/string', `${raw} has a wrong escape`, {
        token: { kind: 'string', text: raw, start },
        remedy: 'escape as in JSON: \\" \\\\ \\n \\u0041',
      });
    }
  }
}

export const describe = (token: Token): string =>
  token.kind === 'end'
    ? 'the end of the text'
    : token.kind === 'value'
      ? `%${token.text}`
      : token.kind === 'symbol'
        ? `@${token.text}`
        : token.kind === 'string'
          ? 'a string'
          : `'${token.text}'`;

const blanks = /(?:[ \t\r\n]+|;[^\n]*)*/y;

const patterns: readonly [Token['kind'], RegExp, number][] = [
  ['value', /%(?:[0-9]+|[A-Za-z_][A-Za-z0-9_]*)/y, 1],
  ['word', /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y, 0],
  ['punctuation', /[{}()[\]<>=:,^!]/y, 0],
  ['symbol', /@[A-Za-z_][A-Za-z0-9_]*/y, 1],
  ['number', /-inf\b|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y, 0],
];

const dashed: typeof patterns = patterns.map(([kind, pattern, sigil]) =>
  kind === 'word' ? [kind, /[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*/y, sigil] : [kind, pattern, sigil],
);
