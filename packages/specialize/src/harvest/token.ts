/**
 * One word of a unit's canonical form. An operation carries its code and number of operands, a leaf the buffer it reads
 * (0 for intermediates, k + 1 for input k), a back reference the number of an operation written before.
 */
export const token = {
  operation: (code: number, operands: number): number => (operands << 8) | code,
  leaf: (kind: number): number => LEAF | kind,
  constant: 1 << 29,
  back: (index: number): number => BACK | index,
} as const;

const LEAF = 1 << 28;
const BACK = 1 << 30;

export type Token =
  | { readonly is: 'operation'; readonly code: number; readonly operands: number }
  | { readonly is: 'leaf'; readonly kind: number }
  | { readonly is: 'constant' }
  | { readonly is: 'back'; readonly index: number };

export const readToken = (t: number): Token => {
  if (t & BACK) return { is: 'back', index: t & ~BACK };
  if (t & token.constant) return { is: 'constant' };
  if (t & LEAF) return { is: 'leaf', kind: t & ~LEAF };
  return { is: 'operation', code: t & 0xff, operands: t >>> 8 };
};
