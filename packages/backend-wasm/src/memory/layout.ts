import { type OwnLayout, type Placement, addressOf } from '@filigree/backend/device';
import { MOST_THREADS } from '@filigree/backend/options';
import { type Buffer, type Module, byteSize } from '@filigree/ir';

/** Where the buffers of a module and the control block of its threads lie in a `WebAssembly.Memory`, in bytes. */
export interface MemoryLayout {
  readonly offsetOf: ReadonlyMap<string, number>;
  /** The control block, behind the module's own buffers. */
  readonly control: number;
  /** Offsets of the scratch buffers, by name, in the region that each thread has for them. */
  readonly scratchOf: ReadonlyMap<string, number>;
  /** Where the scratch region of thread 0 begins; those of the others follow. */
  readonly scratch: number;
  /** Bytes of a scratch region; 0 where there is no scratch buffer. */
  readonly scratchBytes: number;
  /** Threads for which there is scratch, or will be when they come. */
  readonly threads: number;
  /** Pages of 64 KiB that one thread needs; in a memory of its own more scratch regions are added when there are more threads. */
  readonly pages: number;
  /** Pages that the memory may come to have. */
  readonly most: number;
  /** Where the module's own block begins, in a memory of several programs. */
  readonly at?: number;
}

/** Pages that `threads` threads need in a memory of their program alone. */
export const pagesFor = (layout: MemoryLayout, threads: number): number =>
  layout.at !== undefined || layout.scratchBytes === 0
    ? layout.pages
    : pagesOf(layout.scratch + threads * layout.scratchBytes + spare);

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

/** So many bytes behind all, so that a short vector may be read by a long load. */
export const spare = 64;

/**
 * A memory of the module alone: constants first, then the rest, each in module order, then the control block, then scratch, then spare
 * bytes. Depends on names, roles, types and lengths only.
 */
export const layoutMemory = (module: Module): MemoryLayout => {
  const parts = partsOf(module, new Set());
  const { scratch, scratchBytes } = parts;
  const pagesWith = (threads: number): number => pagesOf(scratch + threads * scratchBytes + spare);
  const pages = pagesWith(1);
  const most = Math.max(pages, Math.min(mostPages, pagesWith(scratchBytes === 0 ? 1 : MOST_THREADS)));
  return { ...parts, threads: MOST_THREADS, pages, most };
};

/** What a module needs of a memory of several programs: the same without the buffers that are bound, for so many threads. */
export const ownLayout = (module: Module, bound: ReadonlySet<string>, threads: number): OwnLayout => {
  const { offsetOf, scratch, scratchBytes } = partsOf(module, bound);
  return { offsetOf, bytes: scratch + threads * scratchBytes };
};

/** A placement as data: the module's own block, the address of each buffer but scratch, and which of them lie in blocks of others. */
export interface PlaceData {
  readonly own: { readonly at: number; readonly bytes: number };
  readonly addresses: Readonly<Record<string, number>>;
  readonly bound: readonly string[];
}

export const placeData = ({ own: { at, bytes }, places, bound }: Placement): PlaceData => ({
  own: { at, bytes },
  addresses: Object.fromEntries([...places].map(([name, place]) => [name, addressOf(place)])),
  bound: [...bound],
});

/** The layout of a module in its place among others. */
export const layoutIn = (module: Module, { own, addresses, bound }: PlaceData): MemoryLayout => {
  const { control, scratchOf, scratch, scratchBytes } = partsOf(module, new Set(bound));
  return {
    offsetOf: new Map(Object.entries(addresses)),
    control: own.at + control,
    scratchOf,
    scratch: own.at + scratch,
    scratchBytes,
    threads: scratchBytes === 0 ? MOST_THREADS : Math.floor((own.bytes - scratch) / scratchBytes),
    pages: 1,
    most: mostPages,
    at: own.at,
  };
};

/** The module's own buffers, control block and scratch, from 0 on. */
const partsOf = (
  module: Module,
  bound: ReadonlySet<string>,
): Pick<MemoryLayout, 'offsetOf' | 'control' | 'scratchOf' | 'scratch' | 'scratchBytes'> => {
  const offsetOf = new Map<string, number>();
  let end = 0;
  const shared = new Map<string, number>();
  const place = (b: Buffer): void => {
    if (bound.has(b.name)) return;
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
  return { offsetOf, control: end, scratchOf, scratch, scratchBytes };
};

const pagesOf = (bytes: number): number => Math.ceil(bytes / 65536);

const roundUp = (bytes: number): number => Math.max(1, Math.ceil(bytes / alignment)) * alignment;

const sameMemory = (a: Buffer, b: Buffer): boolean => a.memory !== undefined && a.memory === b.memory;

const bytesOfBuffer = (b: Buffer): number => b.length * byteSize(b.type);
