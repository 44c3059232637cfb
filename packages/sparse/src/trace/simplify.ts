import { forEachPoint, type Level, type Piece } from './piece.js';

/** Work that finding needless faces may take: faces times points. */
const MAX_WORK = 100_000;

/**
 * A piece without faces that bound nothing. Leaving a face out can only add points, so it is needless if their number
 * stays. Pieces of very many points keep their faces.
 */
export const simplifyPiece = (piece: Piece): Piece => {
  const faces = piece.levels.reduce((n, l) => n + l.lower.length + l.upper.length, 0);
  if (faces * piece.count > MAX_WORK) return piece;
  let levels = piece.levels;
  piece.levels.forEach((_, d) => {
    for (const side of ['lower', 'upper'] as const) {
      for (let f = levels[d][side].length - 1; f >= 0 && levels[d][side].length > 1; f--) {
        const fewer = levels.map((l, k): Level => (k === d ? { ...l, [side]: l[side].filter((_, g) => g !== f) } : l));
        if (hasCount(fewer, piece.count)) levels = fewer;
      }
    }
  });
  return levels === piece.levels ? piece : { ...piece, levels };
};

const hasCount = (levels: readonly Level[], count: number): boolean => {
  let n = 0;
  forEachPoint({ levels, access: [], count }, () => ++n <= count);
  return n === count;
};
