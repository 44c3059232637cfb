import type { Module, Scalar, TypedArray } from '@filigree/ir';

/** A module with inputs: what a backend must do as the interpreter does. */
export interface Program {
  readonly name: string;
  readonly module: Module;
  /** Contents of input and inout buffers by name; those missing are zeros. */
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /** Kernels to launch one by one with these arguments; without it all kernels run in module order. */
  readonly launches?: readonly Launch[];
  /** Buffers that are compared, if not all: what is in others depends on which thread comes first. */
  readonly compared?: readonly string[];
  /** Units in the last place by which floats may differ, 0 (bit by bit) when absent. */
  readonly ulps?: number;
  /** Floats depend on the order of sums and products, so options that allow another order change them. */
  readonly ordered?: boolean;
  /** Its doubles stay in registers, and are exact as pairs of singles: backends run it that have no others (`Capabilities.pairs`). */
  readonly pairs?: boolean;
  /** The run must fail with a diagnostic, and the process must live on. */
  readonly fails?: boolean;
  /** Programs like this one with less in them, the simplest first: of one that fails the smallest that fails too is shown. */
  readonly simpler?: () => Iterable<Program>;
}

/** A kernel and its scalar arguments. */
export interface Launch {
  readonly kernel: string;
  readonly args: readonly Scalar[];
}
