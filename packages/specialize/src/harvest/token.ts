/**
 * One word of a unit's form. An operation carries its code and number of operands, a leaf the buffer it reads (0 for
 * intermediates, k + 1 for input k), a back reference the number of an operation written before. `again` is a leaf met before,
 * at a place of the form; canonical forms write it as a leaf like any other.
 */
export const token = {
  operation: (code: number, operands: number): number => (operands << 8) | code,
  again: (place: number): number => AGAIN | place,
  leaf: (kind: number): number => LEAF | kind,
  constant: 1 << 29,
  back: (index: number): number => BACK | index,
} as const;

const AGAIN = 1 << 27;
const LEAF = 1 << 28;
const BACK = 1 << 30;

export type Token =
  | { readonly is: 'operation'; readonly code: number; readonly operands: number }
  | { readonly is: 'leaf'; readonly kind: number }
  | { readonly is: 'constant' }
  | { readonly is: 'back'; readonly index: number };

/** A word of a canonical form. */
export const readToken = (t: number): Token => {
  if (t & BACK) return { is: 'back', index: t & ~BACK };
  if (t & token.constant) return { is: 'constant' };
  if (t & LEAF) return { is: 'leaf', kind: t & ~LEAF };
  return { is: 'operation', code: t & 0xff, operands: t >>> 8 };
};

/** A word of a form as it is written. */
export type WrittenToken = Token | { readonly is: 'again'; readonly place: number };

export const readWritten = (t: number): WrittenToken =>
  (t & (BACK | token.constant | LEAF)) === 0 && t & AGAIN ? { is: 'again', place: t & ~AGAIN } : readToken(t);
