import { optionKind, type OptionKind } from '@filigree/ir';
import type { GemmTarget } from '../gemm-spec.js';

/** Targets by the name of their instruction set. */
export const gemmTargets = {
  sse: { vectorBytes: 16, registers: 16, masks: false, instructionCache: 32768 },
  avx2: { vectorBytes: 32, registers: 16, masks: false, instructionCache: 32768 },
  avx512: { vectorBytes: 64, registers: 32, masks: true, instructionCache: 32768 },
  neon: { vectorBytes: 16, registers: 32, masks: false, instructionCache: 65536 },
  /** WebAssembly on x86-64: 16 registers of 16 bytes. V8 up to version 12 loads first whatever a block loads, and has to put it aside. */
  simd128: { vectorBytes: 16, registers: 16, masks: false, instructionCache: 32768, steps: 2 },
} as const satisfies Readonly<Record<string, GemmTarget>>;

/** A target, as an option. */
export const targetOption: OptionKind = optionKind('a target such as gemmTargets.avx2', (x) => {
  const target = x as Partial<GemmTarget> | null;
  return (
    typeof target === 'object' &&
    target !== null &&
    [16, 32, 64].includes(target.vectorBytes!) &&
    [16, 32].includes(target.registers!) &&
    typeof target.masks === 'boolean' &&
    target.instructionCache! > 0
  );
});
