/** What the paper reports (Rodríguez and Pouchet, IMPACT 2018), to stand beside what is measured here. */
export const PAPER = {
  /** Table 1: pieces of HB/nos1 by the most loops of a piece. */
  nos1: { 2: 312, 3: 159, 4: 81, 5: 4, 6: 3, 7: 2, 8: 1 } as Readonly<Record<number, number>>,
  /** §5: matrices of the collection, and those that take at most 1,000 pieces; seconds a piece. */
  matrices: 292,
  within: 235,
  limit: 1000,
  secondsAPiece: 15,
  /** Table 2: geometric means of loops, non-zeros, pieces and points of a piece, by the number of pieces. */
  categories: [
    { above: 0, to: 5, dims: 2.47, nnz: 699.56, pieces: 1.43, points: 489.42, count: 32 },
    { above: 5, to: 20, dims: 6.39, nnz: 631.72, pieces: 11.42, points: 55.29, count: 22 },
    { above: 20, to: 100, dims: 6.32, nnz: 1524.51, pieces: 49.55, points: 30.77, count: 67 },
    { above: 100, to: 200, dims: 6.29, nnz: 3560.8, pieces: 137.73, points: 25.85, count: 48 },
    { above: 200, to: 400, dims: 6.31, nnz: 7202.05, pieces: 293.9, points: 24.51, count: 45 },
    { above: 400, to: 600, dims: 6.4, nnz: 8865.98, pieces: 477.95, points: 18.55, count: 20 },
    { above: 600, to: 800, dims: 6.16, nnz: 17984.74, pieces: 687.62, points: 26.16, count: 10 },
  ],
  /** §5.1: the affine code against Figure 1a, over the 179 matrices that were compiled. */
  speedup: { compiled: 179, least: 0.1, mean: 1.38, most: 6.17 },
  /** §5.1: matrices that the paper singles out, with the speed-ups that it gives. */
  singled: { nos1: undefined, jagmesh1: undefined, '685_bus': 1.29, bcsstm25: 1.94, bcsstm09: 6.17 } as Readonly<
    Record<string, number | undefined>
  >,
  /**
   * Figure 5: matrices in each quarter (§5.1 counts three of them and has none in the fourth), and for those that are singled
   * out the instructions of a product by Figure 1a (Table 3) and those of the pieces over them, as far as the text has a number.
   */
  figure5: {
    compiled: 179,
    quarters: { fewerFaster: 120, fewerSlower: 19, moreSlower: 40, moreFaster: 0 },
    singled: {
      nos1: { csr: 9424.195, said: 'the most of all' },
      jagmesh1: { csr: 50692.196, ratio: 0.59, said: '30 of 51 M' },
      '685_bus': { csr: 29088.196, ratio: 0.5, said: 'half' },
      bcsstm25: { csr: 308784.201, said: 'fewer' },
      bcsstm09: { csr: 21664.196, ratio: 0.1, said: 'a tenth' },
    } as Readonly<Record<string, { readonly csr: number; readonly ratio?: number; readonly said: string }>>,
  },
} as const;
