/** The rows of C as vectors: where each begins. All have the same number of lanes. */
export interface RowPieces {
  readonly lanes: number;
  readonly starts: readonly number[];
  /** Lanes of each that are rows; fewer than all of a single piece, where the others are masked. */
  readonly filled: number;
  /** The last piece begins before the one before it ends, and computes some rows a second time. */
  readonly overlaps: boolean;
}

/**
 * Cuts `m` rows into vectors of at most `lanes`. A rest that fills no vector is part of one that reaches into the padding where
 * there is some, or back into the rows before, so that it costs no more than any vector; fewer rows than lanes take the next
 * smaller vectors, or are one vector whose other lanes are masked.
 *
 * @param padded rows that may be touched, at least `m`
 * @param masks whether loads and stores under a mask cost no more than plain ones
 */
export const rowPieces = (m: number, lanes: number, padded: number, masks: boolean): RowPieces => {
  const whole = Math.ceil(m / lanes);
  if (whole * lanes <= padded) return { lanes, starts: range(whole, lanes), filled: lanes, overlaps: false };
  if (masks && 2 * m > lanes && m < lanes) return { lanes, starts: [0], filled: m, overlaps: false };
  if (m < lanes) return rowPieces(m, lanes / 2, padded, masks);
  return { lanes, starts: [...range(whole - 1, lanes), m - lanes], filled: lanes, overlaps: true };
};

const range = (count: number, step: number): number[] => Array.from({ length: count }, (_, k) => k * step);
