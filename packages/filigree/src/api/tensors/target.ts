import { readFile } from 'node:fs/promises';
import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { gemmTargets, type GemmTarget } from '@filigree/tensor';
import { resolveBackend } from '../backends.js';

/** A backend, and what micro-kernels for it are made of on this machine. */
export interface TensorBackend {
  readonly backend: Backend;
  readonly target: GemmTarget;
}

/**
 * The backend that options name, with the vectors of this processor. A backend given as a value keeps its own.
 * Throws `DiagnosticError` `runtime/backend`.
 */
export const tensorBackend = async (named: string | Backend | undefined): Promise<TensorBackend> => {
  const backend = await resolveBackend(named);
  if (backend.name === 'wasm') return { backend, target: gemmTargets.simd128 };
  if (typeof named === 'object' || backend.name !== 'cpp')
    return { backend, target: targetOfWidth(backend.capabilities.vectorBytes) };
  const target = await machineTarget();
  return { backend: cpp({ vectorBytes: target.vectorBytes }), target };
};

/** What this processor has. */
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
