import { fail } from '@filigree/ir';
import { forEachPoint, type Affine, type Face, type Level, type Piece } from '../piece.js';

/** Σ coefs[k] · stream k + constant ≥ 0; streams without a coefficient do not count. */
export type Constraint = Affine;

/**
 * The points of pieces that lie in the domain of a dense program (§4): constraints on the streams, say j ≤ i for the
 * streams position, row and column, become faces of the pieces through their access functions, so nothing is tested at a point.
 * Pieces without such points are left out. Linear in the number of points. Fails with `trace/streams` where a constraint
 * names a stream that a piece does not have, and with `trace/constraint` where its numbers are not whole.
 */
export const restrictPieces = (pieces: readonly Piece[], domain: readonly Constraint[]): Piece[] => {
  for (const c of domain) {
    if ([...c.coefs, c.constant].every(Number.isSafeInteger)) continue;
    fail('trace/constraint', 'a constraint has a number that is not whole', { remedy: 'multiply it by a denominator' });
  }
  return pieces.flatMap((p) => {
    const levels = domain.reduce<readonly Level[] | undefined>((l, c) => l && constrained(p, l, c), p.levels);
    if (levels === undefined) return [];
    const within = { ...p, levels };
    const count = countOf(within);
    return count > 0 ? [{ ...within, count }] : [];
  });
};

/** The levels with one more face; undefined where no point is left. */
const constrained = (p: Piece, levels: readonly Level[], c: Constraint): readonly Level[] | undefined => {
  if (c.coefs.length > p.access.length) {
    fail('trace/streams', `a constraint is on ${c.coefs.length} streams, a piece has ${p.access.length}`, {
      remedy: 'give at most one coefficient a stream',
    });
  }
  const coefs = levels.map((_, d) => c.coefs.reduce((sum, f, k) => sum + f * (p.access[k].coefs[d] ?? 0), 0));
  const constant = c.coefs.reduce((sum, f, k) => sum + f * p.access[k].constant, c.constant);
  const last = coefs.findLastIndex((f) => f !== 0);
  if (last < 0) return constant < 0 ? undefined : levels;
  /* Solved for the innermost iterator that counts: the others are known where its range is. */
  const sign = coefs[last] > 0 ? -1 : 1;
  const face: Face = {
    coefs: coefs.slice(0, last).map((f) => sign * f || 0),
    constant: sign * constant || 0,
    divisor: Math.abs(coefs[last]),
  };
  const tighter = (l: Level): Level =>
    sign < 0 ? { ...l, lower: [...l.lower, face] } : { ...l, upper: [...l.upper, face] };
  return levels.map((l, d) => (d === last ? tighter(l) : l));
};

const countOf = (p: Piece): number => {
  let count = 0;
  forEachPoint(p, () => void count++);
  return count;
};
