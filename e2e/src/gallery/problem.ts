import type { Program } from '@filigree/specialize';

/** Named arrays of numbers. */
export type Values = Readonly<Record<string, ArrayLike<number>>>;

/** A numeric program with its data: what is traced, what it is run on, and the same code on plain numbers. */
export interface Problem {
  readonly title: string;
  /** The program as `trace` takes it; its topology is already bound. */
  readonly program: Program;
  /** One array for each input of the program. */
  readonly values: Values;
  /** The very functions that `program` traces, evaluated on numbers; one array for each output. */
  readonly evaluate: (values: Values) => Values;
  /** Largest accepted error, relative to the largest entry of an output, where the usual ones are too strict. */
  readonly tolerance?: { readonly f64: number; readonly f32: number };
}
