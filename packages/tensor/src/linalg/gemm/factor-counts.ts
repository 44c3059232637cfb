import type { GemmSpec } from '../gemm-spec.js';
import type { RowPieces } from './row-pieces.js';

/** Where a product has factors, as far as zeros are known. */
export interface FactorCounts {
  /** The steps at which each vector of A has an entry, and each column of B; absent: all. */
  readonly vectors?: readonly (readonly number[])[];
  readonly numbers?: readonly (readonly number[])[];
  /** Elements and zeros that vectors of A are put together from. */
  readonly gathered: number;
}

export const countFactors = ({ n, k, a, b }: GemmSpec, { starts, lanes }: RowPieces): FactorCounts => {
  const numbers = b.kind === 'dense' ? undefined : Array.from({ length: n }, (): number[] => []);
  if (b.kind === 'sparse') b.columns.forEach((j, e) => numbers![j].push(b.rows[e]));
  if (a.kind === 'dense') return { ...(numbers && { numbers }), gathered: starts.length * lanes * k };
  const vectors = starts.map((): number[] => []);
  a.rows.forEach((i, e) => {
    /* The last vector may begin within the one before. */
    for (const p of new Set([Math.floor(i / lanes), starts.length - 1]))
      if (i >= starts[p] && i < starts[p] + lanes && vectors[p].at(-1) !== a.columns[e]) vectors[p].push(a.columns[e]);
  });
  return {
    vectors,
    ...(numbers && { numbers }),
    gathered: 2 * vectors.reduce((sum, v) => sum + v.length, 0) + a.positions.length,
  };
};
