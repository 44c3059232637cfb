import { fail } from '@filigree/ir';

/**
 * Reads words and numbers from the text of a mesh file, knowing the line, so that a diagnostic can name it. `#` starts a
 * comment.
 */
export class Scanner {
  private at = 0;
  private lineNumber = 1;
  private wordLine = 1;
  private wordStart = 0;
  private lineStart = 0;
  private wordColumn = 1;

  constructor(
    private readonly file: string,
    private readonly text: string,
  ) {}

  /** The line, counted from 1, of the word read last. */
  get line(): number {
    return this.wordLine;
  }

  /** The next word, across lines; undefined at the end. */
  word(): string | undefined {
    if (!this.skip(true)) return undefined;
    return this.take();
  }

  /** The next word on the current line; undefined where the line ends. */
  wordOnLine(): string | undefined {
    if (!this.skip(false)) return undefined;
    return this.take();
  }

  /** Leaves the rest of the current line unread. */
  skipLine(): void {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) !== NEWLINE) this.at++;
  }

  /** A finite number. */
  real(what: string): number {
    const word = this.word();
    if (word === undefined) return this.ended(what);
    return this.asReal(word, what);
  }

  /** A whole number from `least` on. */
  integer(what: string, least = 0): number {
    const word = this.word();
    if (word === undefined) return this.ended(what);
    return this.asInteger(word, what, least);
  }

  asReal(word: string, what: string): number {
    const value = Number(word);
    if (Number.isFinite(value)) return value;
    if (/^[+-]?(nan|inf|infinity)$/i.test(word)) return this.fail('mesh/non-finite', `${what} is ${word}`);
    return this.fail('mesh/number', `expected ${what}, a number, found '${word}'`);
  }

  asInteger(word: string, what: string, least = 0): number {
    const value = Number(word);
    if (Number.isInteger(value) && value >= least && value <= 0x7fffffff) return value;
    return this.fail(
      'mesh/number',
      `expected ${what}, a whole number${least === 0 ? '' : ` from ${least} on`}, found '${word}'`,
    );
  }

  fail(
    code: string,
    message: string,
    remedy = 'compare the line with the format that the name of the file stands for',
  ): never {
    return fail(code, message, { loc: { file: this.file, line: this.wordLine, column: this.wordColumn }, remedy });
  }

  private ended(what: string): never {
    this.wordLine = this.lineNumber;
    this.wordColumn = this.at - this.lineStart + 1;
    return this.fail(
      'mesh/truncated',
      `the file ends where ${what} should be`,
      'check that the file was copied as a whole',
    );
  }

  private skip(acrossLines: boolean): boolean {
    const { text } = this;
    while (this.at < text.length) {
      const c = text.charCodeAt(this.at);
      if (c === NEWLINE) {
        if (!acrossLines) return false;
        this.at++;
        this.lineNumber++;
        this.lineStart = this.at;
      } else if (c <= SPACE) this.at++;
      else if (c === HASH) this.skipLine();
      else {
        this.wordLine = this.lineNumber;
        this.wordStart = this.at;
        this.wordColumn = this.at - this.lineStart + 1;
        return true;
      }
    }
    return false;
  }

  private take(): string {
    const { text } = this;
    while (this.at < text.length && text.charCodeAt(this.at) > SPACE) this.at++;
    return text.slice(this.wordStart, this.at);
  }
}

const NEWLINE = 10;
const SPACE = 32;
const HASH = 35;
