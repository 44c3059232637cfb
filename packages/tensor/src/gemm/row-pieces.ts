/** The rows of C as vectors: where each begins. All have the same number of lanes. */
export interface RowPieces {
  readonly lanes: number;
  readonly starts: readonly number[];
  /** The last piece begins before the one before it ends, and computes some rows a second time. */
  readonly overlaps: boolean;
}

/**
 * Cuts `m` rows into vectors of at most `lanes`. A rest that fills no vector is part of one that reaches into the padding where
 * there is some, or back into the rows before, so that it costs no more than any vector; fewer rows than lanes take the next
 * smaller vectors.
 *
 * @param padded rows that may be touched, at least `m`
 */
export const rowPieces = (m: number, lanes: number, padded: number): RowPieces => {
  const whole = Math.ceil(m / lanes);
  if (whole * lanes <= padded) return { lanes, starts: range(whole, lanes), overlaps: false };
  if (m < lanes) return rowPieces(m, lanes / 2, padded);
  return { lanes, starts: [...range(whole - 1, lanes), m - lanes], overlaps: true };
};

const range = (count: number, step: number): number[] => Array.from({ length: count }, (_, k) => k * step);
