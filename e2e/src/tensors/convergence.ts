import type { Steps } from './steps.js';

/** A wave on one mesh, carried to a time. */
export interface Travelled {
  /** Elements a side. */
  readonly n: number;
  readonly steps: number;
  /** Relative, in L2, of each simulation. */
  readonly errors: readonly number[];
}

/** Carries a wave to time `end` in equal steps of at most `dt`; the number of steps. */
export const travel = ({ step }: Steps, dt: number, end: number): number => {
  const steps = Math.ceil(end / dt);
  for (let k = 0; k < steps; k++) step(end / steps);
  return steps;
};

/** The order at which an error falls from one mesh to a finer one. */
export const observedOrder = (coarse: Travelled, fine: Travelled, simulation = 0): number =>
  Math.log(coarse.errors[simulation] / fine.errors[simulation]) / Math.log(fine.n / coarse.n);
