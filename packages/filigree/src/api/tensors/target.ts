import type { Backend } from '@filigree/backend';
import type { Extension, Op } from '@filigree/ir';
import type { Session } from '@filigree/runtime';
import { gemmTargets, type GemmTarget } from '@filigree/tensor/linalg';
import { platform } from '#platform';
import { backendFor } from '../session.js';

/** A backend, and what micro-kernels for it are made of on this machine. */
export interface TensorBackend {
  readonly backend: Backend;
  readonly target: GemmTarget;
  /** Products of matrices that the backend writes itself. */
  readonly keep?: (op: Op) => boolean;
}

/** What writes matrix products: our own micro-kernels, or a library. */
export type GemmLibrary = 'own' | 'libxsmm';

/**
 * The backend that options name, and what micro-kernels are written for there: its own vectors, or those of `target`. With a library, a
 * backend that links libraries, `cpp` where none is named. Throws `DiagnosticError` `runtime/backend`, `tensor/gemm`.
 */
export const tensorBackend = async ({
  backend: named,
  fallback,
  extensions = [],
  target: given,
  gemm = 'own',
  session,
}: {
  readonly backend?: string | Backend | undefined;
  readonly fallback?: string | Backend | undefined;
  readonly extensions?: readonly Extension[] | undefined;
  readonly target?: GemmTarget | undefined;
  readonly gemm?: GemmLibrary | undefined;
  readonly session?: Session | undefined;
}): Promise<TensorBackend> => {
  const backend = await backendFor({
    backend: gemm === 'own' || session ? named : (named ?? 'cpp'),
    fallback,
    extensions,
    session,
  });
  const { vectors, vectorBytes } = backend.capabilities;
  const target = given ?? vectors ?? targetOfWidth(vectorBytes);
  if (gemm === 'own') return { backend: backend.forVectors?.(target.vectorBytes) ?? backend, target };
  return { ...platform.withLibxsmm(backend, target), target };
};

/**
 * What micro-kernels are made of for the instruction set of this processor, or the one that `$FILIGREE_TARGET` names. Throws
 * `DiagnosticError` `toolchain/target`.
 */
export const machineTarget = (): GemmTarget => platform.machineTarget();

const targetOfWidth = (bytes: number): GemmTarget =>
  bytes >= 64 ? gemmTargets.avx512 : bytes >= 32 ? gemmTargets.avx2 : gemmTargets.simd128;
