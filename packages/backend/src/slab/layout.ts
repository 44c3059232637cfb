import { byteSize, type Module } from '@filigree/ir';

/** Where every buffer of a module lies in its one block of memory, in bytes from the start of the block. */
export interface SlabLayout {
  /** Offsets in the order of `module.buffers`. */
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
 * Places the buffers of a module in one slab: constants first, so that they can be written in one piece, then the rest, each
 * group in module order. Depends on roles, types and lengths only, so equal structures get equal layouts.
 */
export const layoutSlab = (module: Module): SlabLayout => {
  const offsets = new Array<number>(module.buffers.length);
  const place = (constant: boolean, start: number): number =>
    module.buffers.reduce((at, b, k) => {
      if ((b.role === 'const') !== constant) return at;
      offsets[k] = at;
      return at + roundUp(b.length * byteSize(b.type));
    }, start);
  const constBytes = place(true, 0);
  const bytes = Math.max(place(false, constBytes), slabAlignment);
  return { offsets, offsetOf: new Map(module.buffers.map((b, k) => [b.name, offsets[k]!])), bytes, constBytes };
};

/* An empty buffer still owns a line, so that no two buffers share an address. */
const roundUp = (bytes: number): number => Math.max(1, Math.ceil(bytes / slabAlignment)) * slabAlignment;
