import type { Solution, Waves } from '../waves.js';
import { cellCoefficients, nodalValues, type CellCoefficients } from './cells.js';
import { nodalBasis, type NodalBasis } from './nodal-matrices.js';

/** Waves on a periodic square or cube of equal cells, ready to go. */
export interface CellsSetup {
  readonly basis: NodalBasis;
  readonly waves: Waves;
  /** Cells a side. */
  readonly n: number;
  readonly coefficients: CellCoefficients;
  /** Values at first, in the order of `Steps`. */
  readonly start: Float64Array;
  /** A stable step in time. */
  readonly dt: number;
}

export interface CellsOptions {
  readonly order: number;
  readonly n: number;
  readonly waves: Waves;
  readonly solution: Solution;
}

export const cellsSetup = ({ order, n, waves, solution }: CellsOptions): CellsSetup => {
  const basis = nodalBasis(order);
  return {
    basis,
    waves,
    n,
    coefficients: cellCoefficients(waves, n),
    start: nodalValues(basis, waves, n, solution, 0),
    // What is stable falls faster than 1/(2N + 1) for high orders.
    dt: 0.8 / (order * order * waves.dimensions * n * waves.speed),
  };
};
