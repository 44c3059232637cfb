import type { Image } from '../draw/index.js';
import type { CompileOptions } from '../fields/compile-options.js';
import type { Finding } from '../fields/finding.js';
import type { Arguments } from '../gallery/arguments.js';
import type { Differentiated } from './differentiated.js';
import type { Optimiser } from './optimisers.js';

/** A simulation through which something is optimised. */
export interface Simulator {
  readonly name: string;
  /** What it shows, in one line. */
  readonly shows: string;
  /** The arguments it takes, as they are listed, and their names. */
  readonly takes: string;
  readonly keys: readonly string[];
  /** Iterations of the optimiser. */
  readonly iterations: number;
  readonly make: (args: Arguments, options: SimulatorOptions) => Promise<Optimisation>;
}

export interface SimulatorOptions extends CompileOptions {
  readonly seed: number;
}

/** What is optimised, from where, and how. */
export interface Optimisation extends Differentiated {
  readonly start: Float64Array;
  readonly optimiser: Optimiser;
  /** The same number by a plain program; where there is none, or in f64, gradients are checked by differences of `value`. */
  readonly plain?: (x: Float64Array) => number;
  /** Length of the differences that gradients are checked by: short against what is between collisions. */
  readonly difference: number;
  /** Whether the loss falls; not where the example shows how a gradient misleads. Default true. */
  readonly falls?: boolean;
  readonly picture: (x: Float64Array) => Image;
  /** What the result must be, after so many iterations of the optimiser. */
  readonly findings?: (x: Float64Array, iterations: number) => readonly Finding[];
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly close: () => void;
}
