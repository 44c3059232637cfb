import { type Module, type TypedArray, arrayConstructor, bytesOf, fail } from '@filigree/ir';
import { type MemoryLayout, growsTo, pagesFor } from '../memory/layout.js';

/** The memory of a module, zeroed but for its constants. Error: `load/memory` where it cannot be had. */
export const allocateMemory = (module: Module, layout: MemoryLayout, shared: boolean): WebAssembly.Memory => {
  const memory = reserve(layout.pages, growsTo(layout), shared);
  for (const b of module.buffers) {
    if (b.role !== 'const' || b.data === undefined) continue;
    new Uint8Array(memory.buffer, layout.offsetOf.get(b.name), b.data.byteLength).set(bytesOf(b.data));
  }
  return memory;
};

/** Every buffer but scratch as a view into the memory. */
export const bufferViews = (
  module: Module,
  layout: Pick<MemoryLayout, 'offsetOf'>,
  memory: WebAssembly.Memory,
): Readonly<Record<string, TypedArray>> =>
  Object.fromEntries(
    module.buffers.flatMap((b) =>
      b.role === 'scratch'
        ? []
        : [[b.name, new (arrayConstructor(b.type))(memory.buffer, layout.offsetOf.get(b.name), b.length)]],
    ),
  );

/** Adds what the scratch buffers of so many threads need. Shared memory grows in place, so views into it stay. Error: `load/memory`. */
export const makeRoom = (memory: WebAssembly.Memory, layout: MemoryLayout, threads: number): void => {
  const missing = pagesFor(layout, threads) - memory.buffer.byteLength / 65536;
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

const reserve = (pages: number, maximum: number, shared: boolean): WebAssembly.Memory => {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum, shared });
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return fail('load/memory', `no block of ${Math.ceil(pages / 16)} MiB could be allocated for the module's buffers`, {
      remedy: 'free memory, or use smaller types or smaller buffers',
    });
  }
};
