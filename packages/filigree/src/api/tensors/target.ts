import { instructionSet, type Backend } from '@filigree/backend';
import { cpp, libxsmm } from '@filigree/backend-cpp';
import { coreDialects, fail, type Op } from '@filigree/ir';
import { gemmTargets, linalg, type GemmTarget } from '@filigree/tensor/linalg';
import { resolveBackend } from '../backends.js';

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
 * The backend that options name, with the vectors of this processor or those of `target`. A backend given as a value keeps its own;
 * it cannot be given a library. Throws `DiagnosticError` `runtime/backend`, `tensor/gemm`.
 */
export const tensorBackend = async ({
  backend: named,
  target: given,
  gemm = 'own',
}: {
  readonly backend?: string | Backend | undefined;
  readonly target?: GemmTarget | undefined;
  readonly gemm?: GemmLibrary | undefined;
}): Promise<TensorBackend> => {
  if (gemm === 'own') return ownBackend(named, given);
  if (named !== undefined && named !== 'cpp')
    fail(
      'tensor/gemm',
      `LIBXSMM is for the backend cpp, not for ${typeof named === 'string' ? named : 'one of your own'}`,
      {
        remedy: "give backend: 'cpp', or leave gemm out",
      },
    );
  const target = given ?? machineTarget();
  await resolveBackend('cpp');
  const plugin = libxsmm();
  return {
    backend: cpp({ vectorBytes: target.vectorBytes, plugins: [plugin], dialects: [...coreDialects, linalg] }),
    target,
    keep: plugin.takes,
  };
};

const ownBackend = async (
  named: string | Backend | undefined,
  given: GemmTarget | undefined,
): Promise<TensorBackend> => {
  const backend = await resolveBackend(named);
  if (backend.name === 'wasm') return { backend, target: given ?? gemmTargets.simd128 };
  if (typeof named === 'object' || backend.name !== 'cpp')
    return { backend, target: given ?? targetOfWidth(backend.capabilities.vectorBytes) };
  const target = given ?? machineTarget();
  return { backend: cpp({ vectorBytes: target.vectorBytes }), target };
};

/**
 * What micro-kernels are made of for the instruction set of this processor, or the one that `$FILIGREE_TARGET` names. Throws
 * `DiagnosticError` `toolchain/target`.
 */
export const machineTarget = (): GemmTarget => {
  const { name } = instructionSet();
  return name === 'plain' ? gemmTargets.simd128 : gemmTargets[name];
};

const targetOfWidth = (bytes: number): GemmTarget =>
  bytes >= 64 ? gemmTargets.avx512 : bytes >= 32 ? gemmTargets.avx2 : gemmTargets.simd128;
