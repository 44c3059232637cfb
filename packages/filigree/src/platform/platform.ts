import type { Backend, MakeBackend } from '@filigree/backend';
import type { Op } from '@filigree/ir';
import type { CppEmitter } from '@filigree/tensor/einsum';
import type { GemmTarget } from '@filigree/tensor/linalg';

/** What this package wants of the place where it runs: Node or a browser. `#platform` in package.json says which is meant. */
export interface Platform {
  /** The backends that there are here, the preferred first. */
  readonly backends: Readonly<Record<string, MakeBackend>>;
  /** Bytes of memory that a program may have. */
  readonly memoryBytes: () => number;
  /** Bytes of a file, unpacked if they are packed by gzip. Errors: `file/…`. */
  readonly readBytes: (path: string) => Promise<Uint8Array>;
  readonly readBytesSync: (path: string) => Uint8Array;
  /** What gzip packed. Throws `DiagnosticError` `file/gzip`. */
  readonly gunzip: (bytes: Uint8Array, name: string) => Uint8Array;
  readonly writeBytes: (path: string, bytes: Uint8Array) => Promise<void>;
  /** What micro-kernels are made of on this processor. */
  readonly machineTarget: () => GemmTarget;
  /** A backend that calls LIBXSMM, and which products it leaves to it. Throws `DiagnosticError` `tensor/gemm`. */
  readonly withLibxsmm: (
    backend: Backend,
    target: GemmTarget,
  ) => { readonly backend: Backend; readonly keep: (op: Op) => boolean };
  /** Writes functions in C++. Throws `DiagnosticError` `platform/node`. */
  readonly cppEmitter: (target: GemmTarget) => CppEmitter;
}
