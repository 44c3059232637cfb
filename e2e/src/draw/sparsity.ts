import { encode } from 'fast-png';
import type { CsrPattern } from '@filigree/sparse/formats';

export interface SparsityOptions {
  /** Longer side of the picture in pixels; a smaller matrix gets several pixels an entry. Default 512. */
  readonly size?: number;
  /** A class for each entry, for instance the kernel that computes it; entries are coloured by it. */
  readonly classes?: ArrayLike<number>;
}

/**
 * The sparsity of a matrix as a PNG: each pixel is as dark as the cells of the matrix below it are full. Faint entries
 * stay visible: darkness grows with the logarithm of the density.
 */
export const sparsityPng = (pattern: CsrPattern, options: SparsityOptions = {}): Uint8Array => {
  const size = options.size ?? 512;
  const longest = Math.max(pattern.rows, pattern.cols, 1);
  const cells = Math.min(size, longest);
  const zoom = Math.max(1, Math.floor(size / cells));
  const height = Math.max(1, Math.ceil((pattern.rows / longest) * cells));
  const width = Math.max(1, Math.ceil((pattern.cols / longest) * cells));
  const { counts, shades } = densityRaster(pattern, width, height, options.classes);

  const fullest = counts.reduce((a, b) => Math.max(a, b), 1);
  const data = new Uint8Array(3 * width * zoom * height * zoom).fill(255);
  for (let y = 0; y < height * zoom; y++)
    for (let x = 0; x < width * zoom; x++) {
      const cell = Math.floor(y / zoom) * width + Math.floor(x / zoom);
      if (counts[cell] === 0) continue;
      const dark = 0.45 + 0.55 * (fullest > 1 ? Math.log1p(counts[cell]) / Math.log1p(fullest) : 1);
      const at = 3 * (y * width * zoom + x);
      for (let c = 0; c < 3; c++) data[at + c] = Math.round(255 - dark * (255 - shades[3 * cell + c]));
    }
  return encode({ width: width * zoom, height: height * zoom, data, channels: 3, depth: 8 });
};

/** Entries below each of `width` x `height` cells, and the colour of each cell: the mean of its entries' class colours. */
export const densityRaster = (
  pattern: CsrPattern,
  width: number,
  height: number,
  classes?: ArrayLike<number>,
): { counts: Float64Array; shades: Float64Array } => {
  const counts = new Float64Array(width * height);
  const shades = new Float64Array(3 * width * height);
  for (let i = 0; i < pattern.rows; i++) {
    const y = Math.floor((i / pattern.rows) * height);
    for (let k = pattern.rowPtr[i]; k < pattern.rowPtr[i + 1]; k++) {
      const cell = y * width + Math.floor((pattern.colIdx[k] / pattern.cols) * width);
      const colour = classes ? PALETTE[classes[k] % PALETTE.length] : INK;
      counts[cell]++;
      for (let c = 0; c < 3; c++) shades[3 * cell + c] += colour[c];
    }
  }
  for (let cell = 0; cell < counts.length; cell++)
    for (let c = 0; c < 3; c++) if (counts[cell] > 0) shades[3 * cell + c] /= counts[cell];
  return { counts, shades };
};

const INK = [16, 42, 84];

/** Colours that stay apart for most eyes (Okabe and Ito), then darker ones of the same hues. */
const PALETTE: readonly (readonly number[])[] = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [230, 159, 0],
  [86, 180, 233],
  [90, 90, 90],
  [0, 60, 110],
  [140, 50, 0],
  [0, 95, 70],
  [130, 60, 100],
  [150, 100, 0],
];
