import { forEachPoint, type Level, type Piece } from './piece.js';

/** Work that finding needless faces may take: faces times points. */
const MAX_WORK = 100_000;

/**
 * A piece without the faces that bound nothing. Dropping a face can only add iterations, so a face is needless if
 * without it no loop runs more often. (It would not be enough that no point is added: a loop around none may never
 * end.) Pieces of very many points keep their faces.
 */
export const simplifyPiece = (piece: Piece): Piece => {
  const faces = piece.levels.reduce((n, l) => n + l.lower.length + l.upper.length, 0);
  const most = MAX_WORK / faces;
  if (piece.count > most) return piece;
  const runs = piece.levels.map((_, d) => iterations(piece.levels.slice(0, d + 1), most));
  if (runs.some((n) => n > most)) return piece;
  let levels = piece.levels;
  piece.levels.forEach((_, d) => {
    for (const side of ['lower', 'upper'] as const) {
      for (let f = levels[d][side].length - 1; f >= 0 && levels[d][side].length > 1; f--) {
        const fewer = levels.map((l, k): Level => (k === d ? { ...l, [side]: l[side].filter((_, g) => g !== f) } : l));
        if (runs.every((n, k) => k < d || iterations(fewer.slice(0, k + 1), n) === n)) levels = fewer;
      }
    }
  });
  return levels === piece.levels ? piece : { ...piece, levels };
};

/** How often the innermost of these loops runs, counted up to one more than `most`. */
const iterations = (levels: readonly Level[], most: number): number => {
  let n = 0;
  forEachPoint({ levels, access: [], count: 0 }, () => ++n <= most);
  return n;
};
