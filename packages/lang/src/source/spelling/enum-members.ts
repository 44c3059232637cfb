import type { Alignment } from './align.js';
import type { SourceFile } from './files.js';
import { isNumeral, type Token } from './tokens.js';

/**
 * Pairs numerals that are alone with the names of enums, whose members compilers of TypeScript write as the numbers that they
 * are: `8` with `Side` of `Side.Up`.
 */
export const withMembers = (tokens: readonly Token[], file: SourceFile, found: Alignment): Alignment => {
  const partners = Int32Array.from(found.partners);
  tokens.forEach((t, k) => {
    if (partners[k] >= 0 || !isNumeral(t)) return;
    const before = partners.subarray(0, k).findLast((p) => p >= 0);
    if (before === undefined) return;
    const after = partners.subarray(k + 1).find((p) => p >= 0) ?? Math.min(before + FARTHEST, file.tokens.length);
    for (let p = before + 1; p < after && partners[k] < 0; p++) if (isMember(file, file.tokens[p])) partners[k] = p;
  });
  return { ...found, partners };
};

/* Names and brackets up to the last numeral of a text. */
const FARTHEST = 8;

/** Whether a member follows, by its name or by a text, and the file has an enum of this name or imports it. */
const isMember = ({ text }: SourceFile, { key, start }: Token): boolean => {
  if (!/^[\p{ID_Start}$_]/u.test(key)) return false;
  const member = /\s*(?:\.\s*[\p{ID_Start}$_]|\[\s*['"`])/uy;
  member.lastIndex = start + key.length;
  if (!member.test(text)) return false;
  return new RegExp(`\\b(?:enum\\s+|import\\b[^;'"]*)${key.replaceAll('$', '\\$&')}(?![\\w$])`).test(text);
};
