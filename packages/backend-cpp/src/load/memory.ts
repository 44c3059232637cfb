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
    /* The collector takes it when no view is left. */
    release: () => undefined,
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
