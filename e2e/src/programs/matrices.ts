import type { Csr } from '@filigree/sparse/formats';
import { randomNumbers } from '../meshes/random.js';
import { assemblyOf } from './assembly.js';

/**
 * A matrix with `perRow` entries at random places of each row, values in [−1, 1) (paper §5.1: six a row). The same seed
 * gives the same matrix.
 */
export const randomMatrix = (rows: number, cols: number, perRow: number, seed: number): Csr<Float64Array> => {
  const random = randomNumbers(seed);
  const width = Math.min(perRow, cols);
  const rowPtr = Int32Array.from({ length: rows + 1 }, (_, i) => i * width);
  const colIdx = new Int32Array(rows * width);
  for (let i = 0; i < rows; i++) {
    const chosen = new Set<number>();
    while (chosen.size < width) chosen.add(Math.floor(random() * cols));
    colIdx.set(
      [...chosen].sort((a, b) => a - b),
      i * width,
    );
  }
  const values = Float64Array.from(colIdx, () => 2 * random() - 1);
  return { pattern: { rows, cols, rowPtr, colIdx }, values };
};

/**
 * The Laplacian of a triangulated m x m grid whose cells have random diagonals and whose edges have random weights: a
 * matrix with the structure of a mesh Laplacian at any size.
 */
export const gridLaplacian = (m: number, seed = 1): Csr<Float64Array> => {
  const random = randomNumbers(seed);
  const rows: number[] = [];
  const cols: number[] = [];
  const triplets: number[] = [];
  const join = (a: number, b: number): void => {
    const w = 0.1 + random();
    rows.push(a, b, a, b);
    cols.push(b, a, a, b);
    triplets.push(-w, -w, w, w);
  };
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++) {
      const at = i * m + j;
      if (i + 1 < m) join(at, at + m);
      if (j + 1 < m) join(at, at + 1);
      if (i + 1 < m && j + 1 < m) {
        if (random() < 0.5) join(at, at + m + 1);
        else join(at + m, at + 1);
      }
    }
  const { pattern, slots } = assemblyOf(m * m, m * m, rows, cols);
  const values = new Float64Array(pattern.colIdx.length);
  slots.forEach((slot, t) => (values[slot] += triplets[t]));
  return { pattern, values };
};

/** A diagonal matrix. */
export const diagonalMatrix = (diagonal: ArrayLike<number>): Csr<Float64Array> => ({
  pattern: {
    rows: diagonal.length,
    cols: diagonal.length,
    rowPtr: Int32Array.from({ length: diagonal.length + 1 }, (_, i) => i),
    colIdx: Int32Array.from({ length: diagonal.length }, (_, i) => i),
  },
  values: Float64Array.from(diagonal),
});

/**
 * The matrix expressions of §5.1, §5.2 and Table 1, in the notation of `filigree expr` (`'` transposes). The paper names
 * `numeric_0` to `numeric_2` without printing them: three expressions in A, B and C, an experiment repeated from EGGS (Tang
 * et al. 2020). These are the three that EGGS publishes for it, in its order; that the paper counts them in that order is
 * our reading, borne out by the work that its Table 3 reports (least, most, between).
 */
export const MATRIX_EXPRESSIONS = {
  'numeric-0': "(3.78*A+B)'*(6.942*B'+C)",
  product: 'A*B',
  'numeric-1': 'A*B*C',
  'numeric-2': '(A+B)*(A+B+C)',
  'ata-plus-a': "A'*A+A",
  'power-2': 'L^2',
  'power-3': 'L^3',
  'power-4': 'L^4',
  'lmlt-plus-k': "L*M*L'+K",
} as const;

export type MatrixExpression = keyof typeof MATRIX_EXPRESSIONS;
