import { MOST_THREADS } from '@filigree/backend/options';
import { type Buffer, type Module, byteSize } from '@filigree/ir';

/** Where the buffers of a module and the control block of its threads lie in its one `WebAssembly.Memory`, in bytes. */
export interface MemoryLayout {
  readonly offsetOf: ReadonlyMap<string, number>;
  /** The control block, behind the buffers. */
  readonly control: number;
  /** Offsets of the scratch buffers, by name, in the region that each thread has for them. */
  readonly scratchOf: ReadonlyMap<string, number>;
  /** Where the scratch region of thread 0 begins; those of the others follow. */
  readonly scratch: number;
  /** Bytes of a scratch region; 0 where there is no scratch buffer. */
  readonly scratchBytes: number;
  /** Pages of 64 KiB that one thread needs; more scratch regions are added when there are more threads. */
  readonly pages: number;
}

/** Pages that `threads` threads need. */
export const pagesFor = (layout: MemoryLayout, threads: number): number =>
  layout.scratchBytes === 0 ? layout.pages : pagesOf(layout.scratch + threads * layout.scratchBytes + alignment);

/** Pages that the memory may come to have. */
export const growsTo = (layout: MemoryLayout): number =>
  Math.max(layout.pages, Math.min(mostPages, pagesFor(layout, MOST_THREADS)));

/** Words of the control block, in bytes from its start. Those that threads fight over have cache lines of their own. */
export const controlBlock = {
  threads: 0,
  loop: 4,
  chunks: 8,
  mayWait: 12,
  iterations: 16,
  quit: 24,
  trapped: 28,
  team: 32,
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
 * Places constants first, then the rest, each in module order, then the control block, then scratch. Behind all lie 64 spare
 * bytes, so that a short vector may be read by a long load. Depends on names, roles, types and lengths only.
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
    end += roundUp(bytes);
  };
  for (const b of module.buffers) if (b.role === 'const') place(b);
  for (const b of module.buffers) if (b.role !== 'const' && b.role !== 'scratch') place(b);
  const scratchOf = new Map<string, number>();
  let scratchBytes = 0;
  for (const b of module.buffers) {
    if (b.role !== 'scratch') continue;
    scratchOf.set(b.name, scratchBytes);
    scratchBytes += roundUp(bytesOfBuffer(b));
  }
  const scratch = end + roundUp(controlBlock.captures + 16 * captureSlots);
  const pages = pagesOf(scratch + scratchBytes + alignment);
  return { offsetOf, control: end, scratchOf, scratch, scratchBytes, pages };
};

const pagesOf = (bytes: number): number => Math.ceil(bytes / 65536);

const roundUp = (bytes: number): number => Math.max(1, Math.ceil(bytes / alignment)) * alignment;

const sameMemory = (a: Buffer, b: Buffer): boolean => a.memory !== undefined && a.memory === b.memory;

const bytesOfBuffer = (b: Buffer): number => b.length * byteSize(b.type);
