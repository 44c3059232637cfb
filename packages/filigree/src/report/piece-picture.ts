import { type CsrPattern } from '@filigree/sparse/formats';
import { tracePattern, type PatternReconstruction } from '@filigree/sparse/trace';
import { countText } from '../cli/text.js';
import { escape } from './html.js';

/** Longer side of the picture in cells and in pixels; a smaller matrix has a cell for each of its places. */
const CELLS = 480;
const PIXELS = 600;

/** Colours that stay apart for most eyes (Okabe and Ito), in an order in which neighbours differ. */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#8a8a2b', '#7f6bc8'];

/** What no piece covers. */
const UNCOVERED = '#9aa2aa';

/** The colour of a piece, by its place in the order; pieces that follow one another differ. */
export const pieceColour = (piece: number): string => (piece < 0 ? UNCOVERED : COLOURS[piece % COLOURS.length]);

/** A picture of a pattern, each entry in the colour of its piece; where entries share a cell, that of the piece with most. */
export const pieceFigure = (pattern: CsrPattern, found: PatternReconstruction): string => {
  const extent = Math.max(pattern.rows, pattern.cols, 1);
  const cells = Math.min(CELLS, extent);
  const width = Math.max(1, Math.round((cells * pattern.cols) / extent));
  const height = Math.max(1, Math.round((cells * pattern.rows) / extent));
  const pieces = cellPieces(pattern, found, width, height);
  const paths = new Map<string, string>();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width;) {
      const piece = pieces[y * width + x];
      let end = x + 1;
      while (end < width && pieces[y * width + end] === piece) end++;
      if (piece !== EMPTY) {
        const colour = pieceColour(piece);
        paths.set(colour, `${paths.get(colour) ?? ''}M${x} ${y}h${end - x}v1h${x - end}z`);
      }
      x = end;
    }
  }
  const shapes = [...paths].map(([colour, d]) => `<path fill="${colour}" d="${d}"/>`);
  const scale = PIXELS / cells;
  const caption = `${pattern.rows} × ${pattern.cols}, ${countText(pattern.colIdx.length)} non-zeros in ${countText(found.pieces.length)} pieces, in ${found.order} order`;
  return (
    `<figure><svg xmlns="http://www.w3.org/2000/svg" class="spy" role="img" aria-label="${escape(caption)}" viewBox="0 0 ${width} ${height}" ` +
    `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" shape-rendering="crispEdges">${shapes.join('')}</svg>` +
    `<figcaption>${escape(caption)}</figcaption></figure>`
  );
};

const EMPTY = -2;

/** For each cell the piece that has most of its entries: −1 for none, `EMPTY` where nothing stands. */
const cellPieces = (p: CsrPattern, found: PatternReconstruction, width: number, height: number): Int32Array => {
  const pieceOf = pieceOfEntries(p, found);
  const out = new Int32Array(width * height).fill(EMPTY);
  const counts = new Map<number, number>();
  /* Rows of one line of cells follow one another. */
  for (let first = 0; first < p.rows;) {
    const y = Math.floor((first * height) / p.rows);
    let last = first;
    const most = new Int32Array(width);
    counts.clear();
    for (; last < p.rows && Math.floor((last * height) / p.rows) === y; last++) {
      for (let e = p.rowPtr[last]; e < p.rowPtr[last + 1]; e++) {
        const x = Math.floor((p.colIdx[e] * width) / p.cols);
        const key = (pieceOf[e] + 1) * width + x;
        const n = (counts.get(key) ?? 0) + 1;
        counts.set(key, n);
        if (n <= most[x]) continue;
        most[x] = n;
        out[y * width + x] = pieceOf[e];
      }
    }
    first = last;
  }
  return out;
};

const pieceOfEntries = (pattern: CsrPattern, found: PatternReconstruction): Int32Array => {
  const [position] = tracePattern(pattern, found.order).streams;
  const out = new Int32Array(position.length).fill(-1);
  let t = 0;
  found.pieces.forEach((piece, k) => {
    for (const end = t + piece.count; t < end; t++) out[position[t]] = k;
  });
  return out;
};
