import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { starPattern, type Solution, type Waves } from '../waves.js';
import { dubinerMatrices } from './dubiner-matrices.js';
import { tetElements, type TetElements } from './elements.js';
import { tetModes, type Modes } from './modes.js';
import { periodicTets, type PeriodicTets } from './periodic-tets.js';
import type { Matrices } from './read-matrices.js';

/** Waves on tetrahedra, ready to go. */
export interface TetsSetup {
  readonly order: number;
  /** Initial values that are carried through time at once. */
  readonly simulations: number;
  readonly mesh: PeriodicTets;
  readonly elements: TetElements;
  readonly modes: Modes;
  readonly matrices: Matrices;
  /** Where the transposed Jacobians may be non-zero. */
  readonly star: BooleanTensor;
  /** Coefficients at first, in the order of `Steps`. */
  readonly start: Float64Array;
  /** The longest step in time that SeisSol would take. */
  readonly dt: number;
}

export interface TetsOptions {
  readonly order: number;
  /** Cubes a side; six tetrahedra each. */
  readonly n: number;
  readonly waves: Waves;
  /** Of each simulation at time 0. */
  readonly solutions: readonly Solution[];
  readonly seed?: number;
  /** By default those of Dubiner's basis. */
  readonly matrices?: Matrices;
}

/** A periodic cube of tetrahedra. */
export const tetsSetup = ({ order, n, waves, solutions, seed = 1, matrices }: TetsOptions): TetsSetup => {
  const mesh = periodicTets(n, { seed });
  const elements = tetElements(mesh, waves);
  const modes = tetModes(order, mesh, waves.quantities.length);
  const each = solutions.map((solution) => modes.project(solution, 0));
  return {
    order,
    simulations: solutions.length,
    mesh,
    elements,
    modes,
    matrices: matrices ?? dubinerMatrices(order),
    star: starPattern(waves),
    start: Float64Array.from(
      { length: each.length * each[0].length },
      (_, i) => each[i % each.length][Math.floor(i / each.length)],
    ),
    dt: (0.5 * 2 * elements.inradiusTime) / (2 * order - 1),
  };
};

/** The coefficients of one simulation, without those of the others. */
export const simulation = (coefficients: ArrayLike<number>, which: number, simulations: number): Float64Array =>
  Float64Array.from({ length: coefficients.length / simulations }, (_, i) => coefficients[i * simulations + which]);
