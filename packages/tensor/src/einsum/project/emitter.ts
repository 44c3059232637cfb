import type * as E from 'fp-ts/lib/Either.js';
import type { Diagnostics, Module } from '@filigree/ir';

/** A module of one kernel as C++: what a backend makes of it. */
export interface CppEmitted {
  /** Everything that the kernel's function needs, and the function, which the file keeps to itself. */
  readonly text: string;
  readonly name: string;
  /** Buffers by name, the first arguments; then what the flags say, then `params`. */
  readonly buffers: readonly string[];
  /** `int threads` */
  readonly takesThreads: boolean;
  /** `int* status` */
  readonly takesStatus: boolean;
  /** Those of the kernel's parameters that it takes, by their numbers. */
  readonly params: readonly number[];
}

/** A function that writes kernel IR as C++; this package knows no backend. */
export type CppEmitter = (module: Module) => E.Either<Diagnostics, CppEmitted>;
