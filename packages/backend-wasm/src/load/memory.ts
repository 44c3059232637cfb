import { type Module, type TypedArray, arrayConstructor, bytesOf, fail } from '@filigree/ir';
import type { MemoryLayout } from '../memory/layout.js';

/** The memory of a module, zeroed but for its constants. Error: `load/memory` where it cannot be had. */
export const allocateMemory = (module: Module, layout: MemoryLayout, shared: boolean): WebAssembly.Memory => {
  const memory = reserve(layout.pages, shared);
  for (const b of module.buffers) {
    if (b.role !== 'const' || b.data === undefined) continue;
    new Uint8Array(memory.buffer, layout.offsetOf.get(b.name), b.data.byteLength).set(bytesOf(b.data));
  }
  return memory;
};

/** Every buffer as a view into the memory. */
export const bufferViews = (
  module: Module,
  layout: MemoryLayout,
  memory: WebAssembly.Memory,
): Readonly<Record<string, TypedArray>> =>
  Object.fromEntries(
    module.buffers.map((b) => [
      b.name,
      new (arrayConstructor(b.type))(memory.buffer, layout.offsetOf.get(b.name), b.length),
    ]),
  );

const reserve = (pages: number, shared: boolean): WebAssembly.Memory => {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return fail('load/memory', `no block of ${Math.ceil(pages / 16)} MiB could be allocated for the module's buffers`, {
      remedy: 'free memory, or use smaller types or smaller buffers',
    });
  }
};
