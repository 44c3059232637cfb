import type koffi from 'koffi';
import { slabAlignment } from '@filigree/backend';
import { type Memory, type Region, memoryOf } from '@filigree/backend/device';
import { fail } from '@filigree/ir';

/** What addresses of this memory are: those of the process. */
export const SPACE = 'host';

/** Memory of this process, which all threads see. */
export const hostMemory = (ffi: typeof koffi): Memory =>
  memoryOf({
    space: SPACE,
    allocate: (bytes) => allocate(bytes, ffi),
    /* The addresses are the collector's, when no view is left. */
    release: (region, bytes) => giveBackPages(region, bytes, ffi),
  });

/*
 * Aligned to 64 bytes. From 4 MiB on it is aligned to huge pages and asks for them: random reads over 128 MiB then take 0.7 of the
 * time.
 */
const allocate = (bytes: number, ffi: typeof koffi): Region => {
  const large = bytes >= 2 * hugePage;
  const alignment = large ? hugePage : slabAlignment;
  const buffer = allocated(bytes + alignment);
  const misaligned = Number(ffi.address(new Uint8Array(buffer, 0, 1)) % BigInt(alignment));
  const byteOffset = misaligned === 0 ? 0 : alignment - misaligned;
  const start = new Uint8Array(buffer, byteOffset, 1);
  if (large) askForHugePages(start, bytes, ffi);
  return { at: Number(ffi.address(start)), host: () => ({ buffer, byteOffset }) };
};

const hugePage = 2 << 20;

const allocated = (bytes: number): SharedArrayBuffer => {
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

const askForHugePages = (start: Uint8Array, bytes: number, ffi: typeof koffi): void =>
  advise(start, bytes, MADV_HUGEPAGE, ffi);

/**
 * The pages that lie within a block, of whatever size pages are: whoever has a view of it reads zeros. The collector, which does not feel
 * how large a block is, comes much later, and then C libraries keep it for the next one.
 */
const giveBackPages = ({ at, host }: Region, bytes: number, ffi: typeof koffi): void => {
  const from = Math.ceil(at / LARGEST_PAGE) * LARGEST_PAGE;
  const length = Math.floor((at + bytes) / LARGEST_PAGE) * LARGEST_PAGE - from;
  if (length <= 0) return;
  const { buffer, byteOffset } = host!();
  advise(new Uint8Array(buffer, byteOffset + from - at, 1), length, MADV_DONTNEED, ffi);
};

/** Of the systems that we know. */
const LARGEST_PAGE = 1 << 16;

/* Linux only, and only a wish: where it cannot be granted, nothing is lost but speed, or memory for a while. */
const advise = (start: Uint8Array, bytes: number, advice: number, ffi: typeof koffi): void => {
  if (process.platform !== 'linux') return;
  try {
    madvise ??= ffi.load('libc.so.6').func('madvise', 'int', ['void *', 'size_t', 'int']) as unknown as typeof madvise;
    madvise!(start, bytes, advice);
  } catch {
    /* Another C library. */
  }
};

const MADV_DONTNEED = 4;
const MADV_HUGEPAGE = 14;

let madvise: ((at: Uint8Array, length: number, advice: number) => number) | undefined;
