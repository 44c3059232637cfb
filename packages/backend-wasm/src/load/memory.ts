import type { MemoryOptions } from '@filigree/backend';
import { type Device, type Memory, mappedMemoryOf } from '@filigree/backend/device';
import { fail } from '@filigree/ir';
import { type MemoryLayout, mostPages, pagesFor, spare } from '../memory/layout.js';

/** What addresses of these memories are: bytes from the start of a `WebAssembly.Memory`. */
export const SPACE = 'wasm';

/** A memory of one program, zero. Error: `load/memory` where it cannot be had. */
export const ownMemory = (layout: MemoryLayout, shared: boolean): Memory => {
  const web = reserve(layout.pages, layout.most, shared);
  const state = { free: true };
  return known(web, {
    allocate: () => {
      if (!state.free)
        fail('load/memory', 'this memory is as large as its program, and has no room for others', {
          remedy: 'make both programs with one memory that was opened for them: { memory }',
        });
      state.free = false;
      return 0;
    },
    release: () => undefined,
  });
};

/** A memory that several programs share. Where threads do not share it, it cannot grow without its views being lost, and so it does not. */
export const sharedMemory = (shared: boolean, { bytes = shared ? 0 : DEFAULT_BYTES }: MemoryOptions): Memory => {
  const pages = Math.max(1, pagesOf(bytes + spare));
  const web = shared ? reserveMuch(pages) : reserve(pages, pages, false);
  /* What is free, ascending and not adjacent; behind the last there are spare bytes. */
  const gaps: { from: number; to: number }[] = [{ from: 0, to: pages * PAGE - spare }];
  const end = (): number => web.buffer.byteLength - spare;
  const grow = (size: number): void => {
    const last = gaps.at(-1);
    const missing = size - (last?.to === end() ? last.to - last.from : 0);
    const before = end();
    try {
      if (!shared) throw new RangeError();
      web.grow(pagesOf(missing));
    } catch (e) {
      if (!(e instanceof RangeError)) throw e;
      tooLarge(size);
    }
    if (last?.to === before) last.to = end();
    else gaps.push({ from: before, to: end() });
  };
  const fitting = (size: number): number => gaps.findIndex(({ from, to }) => to - from >= size);
  return known(web, {
    allocate: (bytes) => {
      const size = roomFor(bytes);
      if (fitting(size) < 0) grow(size);
      const gap = gaps[fitting(size)]!;
      const at = gap.from;
      gap.from += size;
      if (gap.from === gap.to) gaps.splice(gaps.indexOf(gap), 1);
      return at;
    },
    release: ({ at }, bytes) => {
      const size = roomFor(bytes);
      new Uint8Array(web.buffer, at, size).fill(0);
      gaps.push({ from: at, to: at + size });
      gaps.sort((a, b) => a.from - b.from);
      for (let k = gaps.length - 1; k > 0; k--)
        if (gaps[k - 1]!.to === gaps[k]!.from) gaps[k - 1]!.to = gaps.splice(k, 1)[0]!.to;
    },
  });
};

/** The memory as WebAssembly knows it. Error: `memory/backend` where it is none of this backend. */
export const webMemoryOf = (memory: Memory): WebAssembly.Memory =>
  webMemories.get(memory) ??
  fail('memory/backend', 'the memory is none that this backend opened', { remedy: 'open it for the backend' });

/** Whether memory can be shared: browsers give it to isolated pages only and say so; Node always has it and does not say. */
export const sharedMemoryAllowed = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' &&
  (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/** Whether threads share a memory. */
export const isShared = ({ buffer }: WebAssembly.Memory): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer;

/** Adds what the scratch buffers of so many threads need. Shared memory grows in place, so views into it stay. Error: `load/memory`. */
export const makeRoom = (memory: WebAssembly.Memory, layout: MemoryLayout, threads: number): void => {
  const missing = pagesFor(layout, threads) - memory.buffer.byteLength / PAGE;
  if (missing <= 0) return;
  try {
    memory.grow(missing);
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    fail('load/memory', `there is no room for the scratch buffers of ${threads} threads`, {
      remedy: 'run on fewer threads, or make the buffers smaller',
    });
  }
};

const PAGE = 65536;
const LINE = 64;
const DEFAULT_BYTES = 64 * 2 ** 20;

/** What a block of so many bytes takes: whole lines. */
const roomFor = (bytes: number): number => Math.max(1, Math.ceil(bytes / LINE)) * LINE;

const pagesOf = (bytes: number): number => Math.ceil(bytes / PAGE);

const webMemories = new WeakMap<Memory, WebAssembly.Memory>();

const known = (
  web: WebAssembly.Memory,
  { allocate, release }: Pick<Device, 'release'> & { readonly allocate: (bytes: number) => number },
): Memory => {
  const memory = mappedMemoryOf({
    space: SPACE,
    allocate: (bytes) => {
      const at = allocate(bytes);
      return { at, host: () => ({ buffer: web.buffer, byteOffset: at }) };
    },
    release,
  });
  webMemories.set(memory, web);
  return memory;
};

/* As much as the engine lets it grow to. */
const reserveMuch = (pages: number): WebAssembly.Memory => {
  for (const most of [mostPages, mostPages / 4, mostPages / 16])
    try {
      return new WebAssembly.Memory({ initial: pages, maximum: Math.max(pages, most), shared: true });
    } catch (e) {
      if (!(e instanceof RangeError)) throw e;
    }
  return tooLarge(pages * PAGE);
};

const reserve = (pages: number, maximum: number, shared: boolean): WebAssembly.Memory => {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum, shared });
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return tooLarge(pages * PAGE);
  }
};

const tooLarge = (bytes: number): never =>
  fail('load/memory', `no block of ${Math.ceil(bytes / 2 ** 20)} MiB could be allocated for the module's buffers`, {
    remedy: 'free memory, or use smaller types or smaller buffers',
  });
