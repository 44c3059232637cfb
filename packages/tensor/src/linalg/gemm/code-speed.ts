import type { GemmTarget } from '../gemm-spec.js';

/**
 * Bytes of code that are sure to stay decoded. Zen 3 keeps 16 to 20 kB of multiply-adds decoded, where the instruction
 * cache has 32. Beside the surrounding code and another thread of the core, at least a quarter of that remained for one
 * kernel.
 */
export const keptDecoded = ({ instructionCache }: GemmTarget): number => instructionCache / 8;

/**
 * Bytes of code a cycle, measured on Zen 3 with blocks of multiply-adds in registers: `run` while it stays decoded, where the two units
 * that multiply are the limit; `read` where it comes from the first-level cache (16) or the second-level one (14).
 */
export const BYTES_A_CYCLE = { run: 20, read: 15 };
