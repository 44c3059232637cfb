import type { TensorProgram } from 'filigree';
import type { Flops } from '@filigree/tensor/einsum';
import type { Steps } from './steps.js';

/** A solver on compiled kernels, whose steps have parts that can be run alone. */
export interface Solver<Part extends string> extends Steps {
  readonly parts: readonly Part[];
  /** Runs one part of a step for all elements. */
  readonly part: (part: Part, dt: number) => void;
  /** Operations of each part for all elements. */
  readonly flops: () => Readonly<Record<Part, Flops>>;
}

/** The kernels of an order, compiled, with memory for up to so many elements. */
export interface SolverProgram<Setup, Part extends string> {
  readonly program: TensorProgram;
  /** Milliseconds that planning all kernels took. */
  readonly planMs: number;
  /** Puts a mesh into the memory, in place of the one before. What kernels were made for must be the same. */
  readonly start: (setup: Setup) => Solver<Part>;
  readonly close: () => void;
}

/** The sum of operations of all parts. */
export const flopsOfStep = <Part extends string>({ parts, flops }: Solver<Part>): Flops => {
  const each = flops();
  return flopsOf(parts.map((p) => [1, each[p]]));
};

/** The sum of operations, each so many times. */
export const flopsOf = (all: readonly (readonly [times: number, flops: Flops])[]): Flops => ({
  nonzero: all.reduce((sum, [n, f]) => sum + n * f.nonzero, 0),
  hardware: all.reduce((sum, [n, f]) => sum + n * f.hardware, 0),
  naive: all.reduce((sum, [n, f]) => sum + n * f.naive, 0),
});

/** The coefficients of all elements, one behind the other. */
export const gathered = ({ tensors }: TensorProgram, elements: number, length: number): Float64Array => {
  const all = new Float64Array(length);
  for (let e = 0; e < elements; e++) all.set(tensors.Q.get(e), (e * length) / elements);
  return all;
};

/** Scalars `power0`, `power1`, … of the Taylor sum over a step in time: Δt^(d+1)/(d+1)!. */
export const taylorScalars = (order: number, dt: number): Readonly<Record<string, number>> => {
  const powers = [dt];
  for (let d = 1; d < order; d++) powers.push((powers[d - 1] * dt) / (d + 1));
  return Object.fromEntries(powers.map((x, d) => [`power${d}`, x]));
};
