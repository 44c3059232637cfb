/** Thrown where text is none of WebAssembly; `assemble` makes a diagnostic of it. */
export class TextProblem extends Error {}

/** Reads WebAssembly text word by word: `(`, `)`, a string in its quotes, or a name, keyword or number. */
export class Tokens {
  /** The word at which the reader stands; empty at the end. */
  word = '';
  private at = 0;
  private start = 0;

  constructor(private readonly text: string) {
    this.next();
  }

  /** Goes on, and returns the word that was left. */
  next(): string {
    const left = this.word;
    this.skip();
    this.start = this.at;
    const c = this.text.charCodeAt(this.at);
    if (this.at >= this.text.length) this.word = '';
    else if (c === OPEN || c === CLOSE) this.word = this.text[this.at++]!;
    else {
      const end = c === QUOTE ? this.endOfString() : this.endOfWord();
      this.word = this.text.slice(this.at, end);
      this.at = end;
    }
    return left;
  }

  /** Whether the reader stands at this word, which it then leaves. */
  take(word: string): boolean {
    if (this.word !== word) return false;
    this.next();
    return true;
  }

  /** Whether `(head` is next; leaves both. */
  opens(head: string): boolean {
    if (this.word !== '(' || this.ahead() !== head) return false;
    this.next();
    this.next();
    return true;
  }

  expect(word: string): void {
    if (!this.take(word)) this.refuse(`expected ${word}`);
  }

  refuse(what: string): never {
    const line = this.text.slice(0, this.start).split('\n').length;
    throw new TextProblem(`line ${line}: ${what}, found ${this.word === '' ? 'the end' : this.word}`);
  }

  private ahead(): string {
    const [at, start, word] = [this.at, this.start, this.word];
    this.next();
    const found = this.word;
    [this.at, this.start, this.word] = [at, start, word];
    return found;
  }

  /* Spaces and comments, to the end of a line or between (; and ;). */
  private skip(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) this.at++;
      else if (c === SEMICOLON && this.text.charCodeAt(this.at + 1) === SEMICOLON) {
        const end = this.text.indexOf('\n', this.at);
        this.at = end < 0 ? this.text.length : end;
      } else if (c === OPEN && this.text.charCodeAt(this.at + 1) === SEMICOLON) {
        const end = this.text.indexOf(';)', this.at);
        if (end < 0) this.refuse('a comment does not end');
        this.at = end + 2;
      } else return;
    }
  }

  private endOfWord(): number {
    let end = this.at;
    for (; end < this.text.length; end++) {
      const c = this.text.charCodeAt(end);
      if (c <= 0x20 || c === OPEN || c === CLOSE || c === SEMICOLON || c === QUOTE) break;
    }
    return end === this.at ? end + 1 : end;
  }

  private endOfString(): number {
    let end = this.at + 1;
    while (end < this.text.length && this.text.charCodeAt(end) !== QUOTE)
      end += this.text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    if (end >= this.text.length) this.refuse('a string does not end');
    return end + 1;
  }
}

const [OPEN, CLOSE, QUOTE, SEMICOLON, BACKSLASH] = [0x28, 0x29, 0x22, 0x3b, 0x5c];
