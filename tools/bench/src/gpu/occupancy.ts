import type { Resources } from './resources.js';

/** A processor of a chip, of which it has many: what NVIDIA's programming guide lists for its architecture. */
export interface Chip {
  readonly name: string;
  readonly threads: number;
  readonly blocks: number;
  readonly registers: number;
  readonly sharedBytes: number;
}

export const chips: readonly Chip[] = [
  { name: 'sm_75', threads: 1024, blocks: 16, registers: 65_536, sharedBytes: 64 * 1024 },
  { name: 'sm_80', threads: 2048, blocks: 32, registers: 65_536, sharedBytes: 164 * 1024 },
  { name: 'sm_90', threads: 2048, blocks: 32, registers: 65_536, sharedBytes: 228 * 1024 },
];

/** Threads that a processor holds at once over the most that it can, in blocks of so many. Registers are given to warps by 256. */
export const occupancy = (chip: Chip, { registers, shared }: Resources, block: number): number => {
  const warps = Math.ceil(block / WARP);
  const ofWarp = Math.ceil((Math.max(1, registers) * WARP) / 256) * 256;
  const byRegisters = Math.floor(Math.floor(chip.registers / ofWarp) / warps);
  const byShared = shared > 0 ? Math.floor(chip.sharedBytes / shared) : Infinity;
  const blocks = Math.min(chip.blocks, Math.floor(chip.threads / block), byRegisters, byShared);
  return (blocks * block) / chip.threads;
};

const WARP = 32;
