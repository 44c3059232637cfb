import { stemsOf } from '../author-name.js';
import { isNumbered, type Token } from './tokens.js';

/** Tokens of one text and what they are in another. */
export interface Alignment {
  /** For each token of the first text the position of its partner, or -1. */
  readonly partners: Int32Array;
  /** How many tokens have none: those of the other text between partners, and thrice those of the first. */
  readonly distance: number;
}

/* What the other text says more, as types, is expected; what it says less is not. */
const MISSING = 3;

/**
 * Pairs the tokens of a text with those of another from a position on, in order, so that the distance is least (after Myers, An
 * O(ND) difference algorithm, 1986). Where the other text ends is free. Undefined if the texts are not alike: where `slack` tokens
 * more are alone than half of those compared so far.
 */
export const align = (
  text: readonly Token[],
  other: readonly Token[],
  from: number,
  slack: number,
): Alignment | undefined => {
  const { length } = text;
  /* At distance d, `reach[d][k + d]` is how far into the text the best path on diagonal k comes. */
  const reach: Int32Array[] = [];
  let farthest = 0;
  for (let d = 0; d <= slack + farthest / 2; d++) {
    const now = new Int32Array(2 * d + 1).fill(-1);
    reach.push(now);
    for (let k = -d; MISSING * k <= d; k++) {
      let x = d === 0 ? 0 : entry(reach, d, k);
      if (x < 0 || x > length) continue;
      for (let y = from + x - k; x < length && y < other.length && isSame(text[x], other[y]); y++) x++;
      now[k + d] = x;
      farthest = Math.max(farthest, x);
      if (x === length) return { partners: walk(reach, length, k, from), distance: d };
    }
  }
  return undefined;
};

/* Printers give a name that is taken already a number at its end. */
export const isSame = (token: Token, other: Token): boolean =>
  token.key === other.key || (isNumbered(token) && stemsOf(token.key).includes(other.key));

/** Where diagonal k is entered at distance d: after a token of the other text alone, or after one of this text alone. */
const entry = (reach: readonly Int32Array[], d: number, k: number): number =>
  Math.max(at(reach, d - 1, k + 1), missing(reach, d, k));

const missing = (reach: readonly Int32Array[], d: number, k: number): number => {
  const x = at(reach, d - MISSING, k - 1);
  return x < 0 ? -1 : x + 1;
};

const at = (reach: readonly Int32Array[], d: number, k: number): number => reach[d]?.[k + d] ?? -1;

/** The pairs on the way to the end. */
const walk = (reach: readonly Int32Array[], length: number, last: number, from: number): Int32Array => {
  const partners = new Int32Array(length).fill(-1);
  let [x, k, d] = [length, last, reach.length - 1];
  while (d >= 0) {
    const entered = d === 0 ? 0 : entry(reach, d, k);
    for (; x > entered; x--) partners[x - 1] = from + x - 1 - k;
    if (at(reach, d - 1, k + 1) === entered && d > 0) [k, d] = [k + 1, d - 1];
    else [x, k, d] = [x - 1, k - 1, d - MISSING];
  }
  return partners;
};
