import type { Affine } from './piece.js';

/**
 * An affine function for people: `i + 2·j - 1`, what is added first; `1 - i`.
 *
 * @param names of the iterators, outermost first
 * @param times stands between a coefficient and its iterator
 */
export const affineText = ({ constant, coefs }: Affine, names: readonly string[], times = '·'): string => {
  const terms = coefs
    .map((c, d) => ({ sign: Math.sign(c), text: Math.abs(c) === 1 ? names[d] : `${Math.abs(c)}${times}${names[d]}` }))
    .filter(({ sign }) => sign !== 0)
    .sort((a, b) => b.sign - a.sign);
  const number = { sign: Math.sign(constant), text: String(Math.abs(constant)) };
  if (terms.length === 0) return String(constant);
  if (constant > 0 && terms[0].sign < 0) terms.unshift(number);
  else if (constant !== 0) terms.push(number);
  return terms
    .map(({ sign, text }, k) => (k === 0 ? (sign < 0 ? `-${text}` : text) : `${sign < 0 ? ' - ' : ' + '}${text}`))
    .join('');
};
