import type { Access, Adjoint, Tangent } from '@filigree/autodiff';
import { DiagnosticError, fail, type Diagnostics } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';
import { inSource } from './placed.js';
import type { Structural } from './structural.js';

/** Derivatives of the kernels of a program. */
export interface DerivativeKernels<D> {
  /** By the name of the primal: its derivative, or why it has none, which is reported when it is launched. */
  readonly of: ReadonlyMap<string, Omit<D, 'buffers'> | Diagnostics>;
  /** Shows the places that ops of a primal name. */
  readonly shown: (kernel: string) => Shown;
  /** The names of scalar fields, each with that of its adjoint or tangent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The names of parameters, by kernel. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** The names of the parameters that are floats, and of the arguments that are arrays of floats, by kernel. */
  readonly floats: ReadonlyMap<string, { readonly scalars: readonly string[]; readonly lists: readonly string[] }>;
  /** The names of array arguments by their buffers. */
  readonly arrays: ReadonlyMap<string, string>;
  /** The names of the scalar fields that kernels write, or may. */
  readonly writes: ReadonlyMap<string, readonly string[]>;
  /** The names of those whose values they read. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
  /** Those of them that are floats, and neither differentiated nor derivatives. */
  readonly plain: ReadonlyMap<string, readonly string[]>;
  /** By kernel, what it has to do with which cells are active. */
  readonly structural: ReadonlyMap<string, Structural>;
  /** The kernels that change which elements there are. */
  readonly reshapes: ReadonlySet<string>;
  /** The kernel that sets all of these fields to zero. */
  readonly clear: string;
  /** Kernels that set some of them to zero, those of one array, where whoever comes first may set these; and the kernel that does all others, if there are any. */
  readonly clearOf: ReadonlyMap<string, readonly string[]>;
  readonly clearOthers: string | undefined;
}

export interface AdjointKernels extends DerivativeKernels<Adjoint> {
  /** The kernels that set the adjoint of a field of one number to one, by the name of the field. */
  readonly begin: ReadonlyMap<string, string>;
  /** The fields in which kernels keep where they have appended. */
  readonly places: readonly string[];
  /** The kernels that watch accesses, where these are checked. */
  readonly watched: WatchedKernels | undefined;
}

/** Kernels that do what others do, and watch their accesses. */
export interface WatchedKernels {
  /** By the name of the primal: the kernel, and the buffer in which it reports. */
  readonly of: ReadonlyMap<string, { readonly kernel: string; readonly report: string }>;
  /** All accesses by their numbers. */
  readonly accesses: readonly Access[];
  /** The kernel that wipes out all marks. */
  readonly clear: string;
}
export type TangentKernels = DerivativeKernels<Tangent>;

/** The derivative of a kernel among those of a program. Error: why it has none. */
export const derivativeOf = <D>({ of, shown }: DerivativeKernels<D>, kernel: string): Omit<D, 'buffers'> => {
  const found = of.get(kernel);
  if (Array.isArray(found)) throw new DiagnosticError(inSource(found as Diagnostics, shown(kernel)));
  return (found as Omit<D, 'buffers'>) ?? fail('tape/unknown', `kernel '${kernel}' has no derivative`);
};
