import { byteSize, type Buffer, type Module } from '@filigree/ir';

/** Where every buffer of a module lies in its one block of memory, in bytes from the start of the block. */
export interface SlabLayout {
  /** Offsets in the order of `module.buffers`; 0 for scratch buffers and those that lie elsewhere. */
  readonly offsets: readonly number[];
  /** The same offsets by bare buffer name. */
  readonly offsetOf: ReadonlyMap<string, number>;
  /** Bytes of the whole slab, a multiple of 64. */
  readonly bytes: number;
  /** Bytes of its first part, which holds the constant buffers and nothing else. */
  readonly constBytes: number;
}

/** A cache line, and the widest vector register: what every buffer starts on. */
export const slabAlignment = 64;

/**
 * Places the buffers of a module in one slab: constants first, so that they can be written in one piece, then the rest,
 * each group in module order. Scratch buffers are not part of it. Depends on roles, types and lengths only, so modules
 * of equal structure have equal layouts.
 *
 * @param bound names of buffers that lie elsewhere
 */
export const layoutSlab = (module: Module, bound: ReadonlySet<string> = new Set()): SlabLayout => {
  const offsets = new Array<number>(module.buffers.length);
  const sizes = blockSizes(module);
  const shared = new Map<string, number>();
  const place = (constant: boolean, start: number): number =>
    module.buffers.reduce((at, b, k) => {
      const elsewhere = b.role === 'scratch' || bound.has(b.name);
      if (elsewhere) offsets[k] = 0;
      if (elsewhere || (b.role === 'const') !== constant) return at;
      const known = b.memory === undefined ? undefined : shared.get(b.memory);
      offsets[k] = known ?? at;
      if (known !== undefined) return at;
      if (b.memory !== undefined) shared.set(b.memory, at);
      return at + roundUp(sizes(b));
    }, start);
  const constBytes = place(true, 0);
  const bytes = Math.max(place(false, constBytes), slabAlignment);
  const placed = module.buffers.flatMap((b, k) =>
    b.role === 'scratch' || bound.has(b.name) ? [] : [[b.name, offsets[k]!] as const],
  );
  return { offsets, offsetOf: new Map(placed), bytes, constBytes };
};

/** Bytes of a buffer, or of the memory that it shares. */
const blockSizes = (module: Module): ((b: Buffer) => number) => {
  const bytes = new Map<string, number>();
  for (const b of module.buffers)
    if (b.memory !== undefined) bytes.set(b.memory, Math.max(bytes.get(b.memory) ?? 0, b.length * byteSize(b.type)));
  return (b) => (b.memory === undefined ? b.length * byteSize(b.type) : bytes.get(b.memory)!);
};

/* An empty buffer still owns a line, so that no two buffers share an address. */
const roundUp = (bytes: number): number => Math.max(1, Math.ceil(bytes / slabAlignment)) * slabAlignment;
