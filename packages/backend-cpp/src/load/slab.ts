import type koffi from 'koffi';
import { type SlabLayout, layoutSlab, slabAlignment } from '@filigree/backend';
import { type Module, type TypedArray, arrayConstructor, fail } from '@filigree/ir';
import { copyTables } from '../emit/tables.js';

/** A module's memory: one shared block, and every buffer but scratch as a view into it. */
export interface Slab {
  /** Where it begins: its first bytes, since arrays of bytes end at 4 GiB. */
  readonly start: Uint8Array;
  readonly offsets: BigInt64Array;
  readonly buffers: Readonly<Record<string, TypedArray>>;
}

/**
 * Allocates the slab of a module, zeroed, with its constants filled in, aligned to 64 bytes. From 4 MiB on it is aligned to
 * huge pages and asks for them: random reads over 128 MiB then take 0.7 of the time. Error: `load/memory`.
 */
export const allocateSlab = (module: Module, ffi: typeof koffi): Slab => {
  const layout = layoutSlab(module);
  checkLengths(module);
  const start = alignedStart(layout, ffi);
  copyTables(module, start);
  const buffers = Object.fromEntries(
    module.buffers.flatMap((b, k) =>
      b.role === 'scratch'
        ? []
        : [[b.name, new (arrayConstructor(b.type))(start.buffer, start.byteOffset + layout.offsets[k], b.length)]],
    ),
  );
  return { start, offsets: BigInt64Array.from(layout.offsets.length > 0 ? layout.offsets : [0], BigInt), buffers };
};

const hugePage = 2 << 20;

const checkLengths = (module: Module): void => {
  for (const b of module.buffers)
    if (b.role !== 'scratch' && b.length > MOST_ELEMENTS)
      fail('load/memory', `buffer '${b.name}' has ${b.length} elements, and may have ${MOST_ELEMENTS}`, {
        remedy: 'use smaller buffers',
      });
};

/* Typed arrays of more elements than this are refused by engines. */
const MOST_ELEMENTS = 2 ** 32;

const alignedStart = ({ bytes, constBytes }: SlabLayout, ffi: typeof koffi): Uint8Array => {
  const large = bytes >= 2 * hugePage;
  const alignment = large ? hugePage : slabAlignment;
  const block = allocate(bytes + alignment);
  const misaligned = Number(ffi.address(new Uint8Array(block, 0, 1)) % BigInt(alignment));
  const at = misaligned === 0 ? 0 : alignment - misaligned;
  const start = new Uint8Array(block, at, Math.max(constBytes, slabAlignment));
  if (large) askForHugePages(start, bytes, ffi);
  return start;
};

const allocate = (bytes: number): SharedArrayBuffer => {
  try {
    return new SharedArrayBuffer(bytes);
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return fail(
      'load/memory',
      `no block of ${Math.ceil(bytes / 2 ** 20)} MiB could be allocated for the module's buffers`,
      {
        remedy: 'free memory, or use smaller types or smaller buffers',
      },
    );
  }
};

/* Linux only, and only a wish: where it cannot be granted, nothing is lost but speed. */
const askForHugePages = (start: Uint8Array, bytes: number, ffi: typeof koffi): void => {
  if (process.platform !== 'linux') return;
  try {
    madvise ??= ffi.load('libc.so.6').func('madvise', 'int', ['void *', 'size_t', 'int']) as unknown as typeof madvise;
    madvise!(start, bytes, MADV_HUGEPAGE);
  } catch {
    /* Another C library. */
  }
};

const MADV_HUGEPAGE = 14;

let madvise: ((at: Uint8Array, length: number, advice: number) => number) | undefined;
