import { stemsOf } from '../author-name.js';

/** A name, numeral or operator of a source text; `void 0`, which printers write for it, is the name `undefined`. */
export interface Token {
  /** The name or operator, or `#` and the value: what it is, however it is spelled. */
  readonly key: string;
  readonly start: number;
  readonly text: string;
}

/**
 * The names, numerals and operators of JavaScript or TypeScript, in order, without strings, comments, and the marks that are
 * printed or left out at will. It is no parser: a regular expression
 * with quotes in it may hide what follows in its line.
 */
export const tokensOf = (source: string): readonly Token[] => {
  const found: Token[] = [];
  for (const { 0: text, 1: numeral, 2: other, index: start } of source.matchAll(TOKEN))
    if (numeral !== undefined) found.push({ key: `#${valueOf(numeral)}`, start, text });
    else if (other !== undefined) found.push({ key: /^void\s/.test(other) ? 'undefined' : other, start, text });
  return found;
};

/**
 * The tokens without what a module loader writes in place of an imported name: `(0, __import_1__.range)` for `range`, without
 * what keeps the names of inner functions and classes: `__name(f, "f")`, and without what a printer says twice where it gave a name a number: `{ x: x2 }` for `{ x }`.
 */
export const ownTokens = (source: string): readonly Token[] => {
  const all = tokensOf(
    source.includes('__name(') ? source.replace(NAMING, (found) => ' '.repeat(found.length)) : source,
  );
  const isLoaders = (k: number): boolean => /^(__\w+_import_\d+__|import_\w+)$/.test(all[k]?.key ?? '');
  const begins = (k: number): boolean => all[k]?.text === '0' && all[k + 1]?.text === ',' && isLoaders(k + 2);
  const renames = (k: number): boolean =>
    all[k + 1]?.text === ':' &&
    all[k + 2] !== undefined &&
    isNumbered(all[k + 2]) &&
    stemsOf(all[k + 2].key).includes(all[k].key);
  return all.filter((_, k) => !isLoaders(k) && !begins(k) && !begins(k - 1) && !renames(k) && !renames(k - 1));
};

export const isNumeral = ({ key }: Token): boolean => key.startsWith('#');

/** Whether it is a name that a printer may have given a number at its end, because something around it has its name. */
export const isNumbered = ({ key }: Token): boolean => /^[^#].*\d$/.test(key);

const NAMING =
  /static\s*\{\s*__name\(this,\s*"[^"]*"\);?\s*\}|__name\([\p{ID_Start}$_][\p{ID_Continue}$]*,\s*"[^"]*"\)|__name\(|,\s*"[^"]*"\)/gu;

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(0[xX][\da-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?n?)|(void\s+0(?![\w.])|[\p{ID_Start}$_][\p{ID_Continue}$]*|=>|[-+*/%&|^~<>=!?:,[\]])/gu;

const valueOf = (numeral: string): string => {
  const plain = numeral.replaceAll('_', '');
  return plain.endsWith('n') ? `${BigInt(plain.slice(0, -1))}n` : String(Number(plain));
};
