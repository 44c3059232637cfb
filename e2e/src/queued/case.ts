import type { FieldProgram, GradientOptions, Kernels } from '@filigree/runtime';
import type { AnyField, FieldDecl, Layout } from '@filigree/sparse/fields';

/** A program of many small launches, to show what a queue makes of them (thesis §4.8.1 and appendix). */
export interface QueuedCase {
  readonly name: string;
  readonly shows: string;
  /** Elements along an axis, unless it is said how many; they are rounded up to `multiple`. */
  readonly n: number;
  readonly multiple: number;
  /** More of them are not tried: no machine of today's holds them. */
  readonly most: number;
  /** How often `step` is run. */
  readonly steps: number;
  /** How far results may be from the reference, in units of the last place of the type, a step. */
  readonly rounding: number;
  /** The blocks of fields are allocated one by one, or marked by bits; where a case says nothing of the latter it has one layout. */
  readonly make: (n: number, float: 'f32' | 'f64', layout: BlockKind) => QueuedProgram;
  readonly layouts?: boolean;
}

export type BlockKind = 'pointer' | 'bitmasked';

export interface QueuedProgram {
  readonly layout: Layout;
  readonly kernels: Kernels;
  /** Fills the fields, by launches or from the host. */
  readonly start: (run: Runs, program: Pick<FieldProgram, 'field'>) => void;
  readonly step: (run: Runs, program: Stepping) => void;
  /** The fields by which, and of which, `step` takes gradients. */
  readonly differentiate?: readonly FieldDecl[];
  /** What the fields hold after so many steps, from `[0, 0, …]` on, by plain loops over arrays of doubles. */
  readonly reference: (steps: number) => Readonly<Record<string, Float64Array>>;
}

/** What a step may do beside launching. */
export interface Stepping {
  /** Leaves the gradient of what `forward` computes in the adjoints of fields. */
  readonly gradient: (forward: () => void, options: GradientOptions<Readonly<Record<string, AnyField>>>) => void;
}

export type Runs = Readonly<Record<string, (...args: never[]) => number>>;

/** An array of numbers that follow from their index. */
export const filled = (n: number, f: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => f(i));

/** Launches a kernel so many times. */
export const times = (count: number, launch: () => void): void => {
  for (let k = 0; k < count; k++) launch();
};
