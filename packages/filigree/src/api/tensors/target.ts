import { readFile } from 'node:fs/promises';
import type { Backend } from '@filigree/backend';
import { cpp, libxsmm } from '@filigree/backend-cpp';
import { coreDialects, fail, type Op } from '@filigree/ir';
import { gemmTargets, linalg, type GemmTarget } from '@filigree/tensor';
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
  if (gemm === 'own') {
    const { backend, target } = await ownBackend(named);
    return { backend, target: given ?? target };
  }
  if (gemm !== 'libxsmm')
    fail('tensor/gemm', `there is no library '${String(gemm)}' for products of matrices`, {
      remedy: "give gemm: 'own' or 'libxsmm'",
    });
  if (named !== undefined && named !== 'cpp')
    fail(
      'tensor/gemm',
      `LIBXSMM is for the backend cpp, not for ${typeof named === 'string' ? named : 'one of your own'}`,
      {
        remedy: "give backend: 'cpp', or leave gemm out",
      },
    );
  const target = await machineTarget();
  await resolveBackend('cpp');
  const plugin = libxsmm();
  return {
    backend: cpp({ vectorBytes: target.vectorBytes, plugins: [plugin], dialects: [...coreDialects, linalg] }),
    target: given ?? target,
    keep: plugin.takes,
  };
};

const ownBackend = async (named: string | Backend | undefined): Promise<TensorBackend> => {
  const backend = await resolveBackend(named);
  if (backend.name === 'wasm') return { backend, target: gemmTargets.simd128 };
  if (typeof named === 'object' || backend.name !== 'cpp')
    return { backend, target: targetOfWidth(backend.capabilities.vectorBytes) };
  const target = await machineTarget();
  return { backend: cpp({ vectorBytes: target.vectorBytes }), target };
};

/** The micro-kernel target for the instruction set of this processor. */
export const machineTarget = async (): Promise<GemmTarget> => {
  if (process.arch === 'arm64') return gemmTargets.neon;
  if (process.arch !== 'x64') return targetOfWidth(16);
  const flags = await readFile('/proc/cpuinfo', 'utf8').then(
    (text) => /^flags\s*:.*$/m.exec(text)?.[0] ?? '',
    () => '',
  );
  return /\bavx512f\b/.test(flags) && /\bavx512vl\b/.test(flags) ? gemmTargets.avx512 : gemmTargets.avx2;
};

const targetOfWidth = (bytes: number): GemmTarget =>
  bytes >= 64 ? gemmTargets.avx512 : bytes >= 32 ? gemmTargets.avx2 : gemmTargets.simd128;
