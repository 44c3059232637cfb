import { fail } from '@filigree/ir';

/** A box of integer points; a point's code is its position in it, row by row. */
export interface Box {
  readonly lower: readonly number[];
  readonly extent: readonly number[];
  readonly strides: readonly number[];
  /** Points in all. */
  readonly size: number;
}

/** Throws `DiagnosticError` `equations/too-large` for more points than codes are exact for. */
export const boxOf = (lower: readonly number[], extent: readonly number[]): Box => {
  const strides = extent.map((_, k) => extent.slice(k + 1).reduce((n, x) => n * x, 1));
  const size = extent.reduce((n, x) => n * x, 1);
  if (size > Number.MAX_SAFE_INTEGER)
    fail('equations/too-large', `a set of points within ${extent.join(' × ')} cannot be numbered`, {
      remedy: 'take smaller sizes',
    });
  return { lower, extent, strides, size };
};
