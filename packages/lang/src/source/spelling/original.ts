import { offsetOf, positionOf, type Original } from '../place.js';
import { match, type Hints } from './as-written.js';
import { fileAt, mapped, shortPath, type Frame, type SourceFile } from './files.js';
import { ownTokens, type Token } from './tokens.js';

/**
 * Where a text stands in the file that it was printed from, whatever tools have done to its lines, types and names; it is looked for when
 * somebody asks.
 */
export const originalOf = (
  text: string,
  files: () => Iterable<SourceFile>,
  hints: Hints,
): (() => Original | undefined) => {
  let found: { readonly original: Original | undefined } | undefined;
  return () => (found ??= { original: find(text, files(), hints) }).original;
};

const find = (text: string, files: Iterable<SourceFile>, hints: Hints): Original | undefined => {
  const tokens = ownTokens(text);
  if (tokens.length < FEWEST) return undefined;
  for (const file of files) {
    const found = match(tokens, file, hints);
    if (!found || found.partners.filter((p) => p < 0).length > tokens.length / ALONE) continue;
    const offset = (at: number): number => {
      /* In a token, or at the next one: what is between them is printed at will. */
      const known = (t: Token, n: number): boolean => found.partners[n] >= 0 && t.start + t.text.length > at;
      const k = tokens.findIndex(known);
      const [own, partner] = [tokens[k], file.tokens[found.partners[k]]] as const;
      if (k < 0) return file.tokens[found.partners.findLast((p) => p >= 0)!].start;
      return partner.start + Math.max(0, Math.min(at - own.start, partner.text.length - 1));
    };
    return bySourceMap(file, offset) ?? { file: shortPath(file.path), text: file.text, offset };
  }
  return undefined;
};

/** Where that stands in the file that this one was made of, if its source map says and there is such a file. */
const bySourceMap = (file: SourceFile, offset: (at: number) => number): Original | undefined => {
  const mappedAt = (at: number): Frame => mapped({ path: file.path, ...positionOf(file.text, offset(at)) });
  const { path } = mappedAt(0);
  const source = path === file.path ? undefined : fileAt(path);
  return (
    source && {
      file: shortPath(path),
      text: source.text,
      offset: (at) => offsetOf(source.text, mappedAt(at)),
    }
  );
};

/* A printer says little that the author did not: of so many tokens one may be its own. */
const ALONE = 10;

/** Of fewer tokens there are many alike. */
const FEWEST = 4;
