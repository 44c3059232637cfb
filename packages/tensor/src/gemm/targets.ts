import type { GemmTarget } from './gemm-spec.js';

/** Targets by the name of their instruction set. */
export const gemmTargets = {
  avx2: { vectorBytes: 32, registers: 16, masks: false, instructionCache: 32768 },
  avx512: { vectorBytes: 64, registers: 32, masks: true, instructionCache: 32768 },
  neon: { vectorBytes: 16, registers: 32, masks: false, instructionCache: 65536 },
  /** WebAssembly on x86-64: 16 registers of 16 bytes. */
  simd128: { vectorBytes: 16, registers: 16, masks: false, instructionCache: 32768 },
} as const satisfies Readonly<Record<string, GemmTarget>>;
