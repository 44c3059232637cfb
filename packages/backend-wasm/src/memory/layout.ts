import { type Buffer, type Module, byteSize } from '@filigree/ir';

/** Where the buffers of a module and the control block of its threads lie in its one `WebAssembly.Memory`, in bytes. */
export interface MemoryLayout {
  readonly offsetOf: ReadonlyMap<string, number>;
  /** The control block, behind the buffers. */
  readonly control: number;
  /** Pages of 64 KiB. */
  readonly pages: number;
}

/** Words of the control block, in bytes from its start. Those that threads fight over have cache lines of their own. */
export const controlBlock = {
  threads: 0,
  loop: 4,
  chunks: 8,
  mayWait: 12,
  iterations: 16,
  quit: 24,
  trapped: 28,
  epoch: 64,
  open: 128,
  next: 192,
  active: 256,
  captures: 320,
} as const;

/** Every buffer starts on a cache line. */
const alignment = 64;

/** What one parallel loop may read from outside: 16 bytes each. */
export const captureSlots = 240;

/** WebAssembly addresses 4 GiB, in pages of 64 KiB. */
export const mostPages = 65536;

/**
 * Places constants first, then the rest, each in module order, then the control block. Behind it lie 64 spare bytes, so
 * that a short vector may be read by a long load. Depends on names, roles, types and lengths only.
 */
export const layoutMemory = (module: Module): MemoryLayout => {
  const offsetOf = new Map<string, number>();
  let end = 0;
  const shared = new Map<string, number>();
  const place = (b: Buffer): void => {
    const known = b.memory === undefined ? undefined : shared.get(b.memory);
    offsetOf.set(b.name, known ?? end);
    if (b.memory !== undefined) shared.set(b.memory, known ?? end);
    if (known !== undefined) return;
    const bytes = Math.max(...module.buffers.filter((o) => o === b || sameMemory(o, b)).map(bytesOfBuffer));
    end += Math.max(1, Math.ceil(bytes / alignment)) * alignment;
  };
  for (const b of module.buffers) if (b.role === 'const') place(b);
  for (const b of module.buffers) if (b.role !== 'const') place(b);
  const bytes = end + controlBlock.captures + 16 * captureSlots + alignment;
  return { offsetOf, control: end, pages: Math.ceil(bytes / 65536) };
};

const sameMemory = (a: Buffer, b: Buffer): boolean => a.memory !== undefined && a.memory === b.memory;

const bytesOfBuffer = (b: Buffer): number => b.length * byteSize(b.type);
