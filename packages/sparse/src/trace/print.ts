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
  return [...lines, `${'  '.repeat(lines.length)}(${piece.access.map(affineText).join(', ')})`].join('\n');
};

/** constant + Σ coefs · x, terms first. */
const affineText = (f: Affine): string => {
  let text = '';
  f.coefs.forEach((c, d) => {
    if (c === 0) return;
    const term = Math.abs(c) === 1 ? `x${d}` : `${Math.abs(c)}*x${d}`;
    text += text === '' ? (c < 0 ? `-${term}` : term) : c < 0 ? ` - ${term}` : ` + ${term}`;
  });
  if (text === '') return String(f.constant);
  return f.constant === 0 ? text : f.constant < 0 ? `${text} - ${-f.constant}` : `${text} + ${f.constant}`;
};

const bound = (of: string, faces: readonly Face[], round: string): string => {
  const texts = faces.map((f) => (f.divisor === 1 ? affineText(f) : `${round}((${affineText(f)})/${f.divisor})`));
  return texts.length === 1 ? texts[0] : `${of}(${texts.join(', ')})`;
};
