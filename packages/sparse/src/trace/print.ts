import { affineText } from './affine-text.js';
import type { Affine, Face, Piece } from './piece.js';

/**
 * A piece as loops that people read, one line each, and the streams' functions within:
 *
 *     for x0 in 0..78
 *       for x1 in max(0, 1 - x0)..2
 *         (3*x0 + x1, x0 + 4, x1)
 */
export const printPiece = (piece: Piece): string => {
  const lines = piece.levels.map(({ lower, upper }, d) => {
    const range = `${bound('max', lower, 'ceil')}..${bound('min', upper, 'floor')}`;
    return `${'  '.repeat(d)}for x${d} in ${range}`;
  });
  return [...lines, `${'  '.repeat(lines.length)}(${piece.access.map(textOf).join(', ')})`].join('\n');
};

const textOf = (f: Affine): string =>
  affineText(
    f,
    f.coefs.map((_, d) => `x${d}`),
    '*',
  );

const bound = (of: string, faces: readonly Face[], round: string): string => {
  const texts = faces.map((f) => (f.divisor === 1 ? textOf(f) : `${round}((${textOf(f)})/${f.divisor})`));
  return texts.length === 1 ? texts[0] : `${of}(${texts.join(', ')})`;
};
