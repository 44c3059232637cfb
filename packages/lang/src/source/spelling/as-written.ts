import { align, isSame, type Alignment } from './align.js';
import type { SourceFile } from './files.js';
import { withMembers } from './enum-members.js';
import { isNumbered, isNumeral, ownTokens, tokensOf, type Token } from './tokens.js';

/** A function's text with its numerals as their author wrote them. */
export interface Written {
  readonly text: string;
  /** Whether they are: else the text may have been printed anew, where 1.0 is `1`, and 1000 is `1e3`. */
  readonly sure: boolean;
  /** Whether it was found in a file, or needs none: then the same text and files always give the same. */
  readonly found: boolean;
  /** What its author called what has a number at the end of its name here, where that was found. */
  readonly names?: Readonly<Record<string, string>>;
}

/** What is known of where a function stands. */
export interface Hints {
  readonly name: string;
  /** 0 where only the file is known. */
  readonly line: number | undefined;
  /** Where it begins in that line, or what it is given to does. */
  readonly column?: number | undefined;
}

/**
 * The numerals of a text as they stand in one of these files. Loaders and bundlers print functions anew, and say 1 for 1.0; types
 * and imported names make the rest of the text differ too, so that names and numerals are paired in order.
 */
export const asWritten = (text: string, files: Iterable<SourceFile>, hints: Hints): Written => {
  const tokens = ownTokens(text);
  if (areSettled(tokens)) return { text, sure: true, found: true };
  for (const file of files) {
    if (file.text.includes(text)) return { text, sure: haveNumerals(tokens) || !isPrinted(file), found: true };
    const found = match(tokens, file, hints);
    if (found)
      return {
        text: respelled(text, tokens, found, file.tokens),
        sure: true,
        found: true,
        ...namesOf(tokens, found, file.tokens),
      };
  }
  return { text, sure: haveNumerals(tokens), found: false };
};

/** What names with a number at their end are in another text, where that is something else. */
const namesOf = (
  tokens: readonly Token[],
  { partners }: Alignment,
  written: readonly Token[],
): Pick<Written, 'names'> => {
  const names = tokens.flatMap((t, k): readonly (readonly [string, string])[] =>
    isNumbered(t) && partners[k] >= 0 && written[partners[k]].key !== t.key ? [[t.key, written[partners[k]].key]] : [],
  );
  return names.length > 0 ? { names: Object.fromEntries(names) } : {};
};

/** Whether a text is as its author wrote it, wherever it stands, in its numerals and in what it calls what it is given. */
export const isSettled = (text: string): boolean => areSettled(ownTokens(text));

const areSettled = (tokens: readonly Token[]): boolean =>
  haveNumerals(tokens) && !tokens.slice(0, HEAD).some(isNumbered);

/** Whether the numerals among these are as their author wrote them. */
const haveNumerals = (tokens: readonly Token[]): boolean => !tokens.some(isOpen) || tokens.some(isUnprinted);

/** The numerals of a text as they stand in the source that it was printed from. */
export const asWrittenIn = (text: string, source: string, hints: Hints): Written =>
  asWritten(text, [{ path: '', text: source, tokens: tokensOf(source) }], hints);

/** Whether a numeral might have been written otherwise, and would then be of another type. */
const isOpen = (t: Token): boolean => isNumeral(t) && Number.isInteger(Number(t.key.slice(1)));

/** Whether nothing that prints numerals prints them so. */
const isUnprinted = (t: Token): boolean => isOpen(t) && /^\d[\d_]*\.|_|000$/.test(t.text) && !/^0[xob]/i.test(t.text);

/** Whether a file was made of another by a tool. */
const isPrinted = (file: SourceFile): boolean => file.text.includes('//# sourceMappingURL=');

/* Heads of functions are compared first; of those that are alike enough, this many are compared as a whole. */
const HEAD = 24;
const COMPARED = 6;
/* How many tokens may be alone, beside half of the others: where a function has its types, for each further parameter, and anywhere within. */
const HEAD_SLACK = 16;
const TYPE_SLACK = 8;
const SLACK = 48;

/** The tokens of a file that those of a text are, where it is clear which. */
export const match = (tokens: readonly Token[], file: SourceFile, hints: Hints): Alignment | undefined => {
  const head = tokens.slice(0, HEAD);
  const types = TYPE_SLACK * separatorsIn(head);
  const starts = file.tokens
    .flatMap((t, at) => (isSame(tokens[0], t) && isNear(file.tokens, at, tokens[1]) ? [at] : []))
    .flatMap((at) => {
      const begun = align(head, file.tokens, at, HEAD_SLACK + types);
      return begun ? [{ at, distance: begun.distance, far: farness(file, at, hints) }] : [];
    })
    .sort((a, b) => a.distance - b.distance || a.far - b.far)
    .slice(0, COMPARED);
  const found = starts.flatMap(({ at, far }) => {
    const aligned = align(tokens, file.tokens, at, SLACK + types);
    const whole = aligned && withMembers(tokens, file, aligned);
    return whole && tokens.every((t, k) => !isOpen(t) || whole.partners[k] >= 0) ? [{ ...whole, far }] : [];
  });
  const [best, next] = found.sort((a, b) => a.distance - b.distance || a.far - b.far);
  if (!best) return undefined;
  const doubtful = next && next.distance === best.distance && next.far === best.far && differ(best, next, file.tokens);
  return doubtful ? undefined : best;
};

/** How many commas stand before the arrow, if there is one: as many as there are parameters after the first, or more. */
const separatorsIn = (head: readonly Token[]): number => {
  const arrow = head.findIndex((t) => t.key === '=>');
  return head.slice(0, arrow < 0 ? head.length : arrow).filter((t) => t.key === ',').length;
};

/** Whether a token soon follows another, or there is none to follow. */
const isNear = (tokens: readonly Token[], at: number, next: Token | undefined): boolean =>
  next === undefined || tokens.slice(at + 1, at + HEAD_SLACK).some((t) => isSame(next, t));

const isAround = (tokens: readonly Token[], at: number, name: string): boolean =>
  tokens.slice(Math.max(0, at - 3), at + 2).some((t) => t.key === name);

/** Whether a name is given what begins here behind a type: of `f = (): readonly number[] => …` the text begins at the arrow. */
const isDeclaredBy = (tokens: readonly Token[], at: number, name: string): boolean => {
  let k = at - 1;
  while (k > at - HEAD_SLACK && !/^(?:=>?|,)$/.test(tokens[k]?.key ?? ',')) k--;
  return tokens[tokens[k]?.key === '=' ? k - 1 : k + 1]?.key === name;
};

/** How far a place is from where the function should stand: by whether its name stands before it, by lines, and of those in one line by columns. */
const farness = ({ text, tokens }: SourceFile, at: number, { name, line, column = 1 }: Hints): number => {
  if (name !== '' && (isAround(tokens, at, name) || isDeclaredBy(tokens, at, name))) return -1;
  if (!line) return 0;
  const before = text.slice(0, tokens[at].start).split('\n');
  if (before.length !== line) return Math.abs(before.length - line);
  const columns = before[line - 1].length + 1 - column;
  return columns < 0 ? 0.5 : columns / (columns + 1) / 2;
};

const differ = (a: Alignment, b: Alignment, tokens: readonly Token[]): boolean =>
  a.partners.some((at, k) => at >= 0 && isOpen(tokens[at]) && tokens[at].text !== tokens[b.partners[k]]?.text);

const respelled = (
  text: string,
  tokens: readonly Token[],
  { partners }: Alignment,
  written: readonly Token[],
): string => {
  let [out, end] = ['', 0];
  tokens.forEach((t, k) => {
    if (!isOpen(t) || partners[k] < 0 || !isNumeral(written[partners[k]])) return;
    out += text.slice(end, t.start) + written[partners[k]].text;
    end = t.start + t.text.length;
  });
  return out + text.slice(end);
};
