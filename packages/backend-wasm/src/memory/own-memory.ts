import { fail, type Module } from '@filigree/ir';
import { layoutMemory, mostPages, type MemoryLayout } from './layout.js';

/** The layout of a module in a memory of its own. Error: `wasm/memory-too-large` where it does not fit WebAssembly's 32-bit addresses. */
export const ownMemoryLayout = (module: Module): MemoryLayout => {
  const layout = layoutMemory(module);
  if (layout.pages <= mostPages) return layout;
  const bytes = (layout.pages / 16384).toFixed(1);
  return fail(
    'wasm/memory-too-large',
    `module '${module.name}' needs ${bytes} GiB of memory; WebAssembly addresses 4 GiB`,
    {
      remedy: 'use the cpp backend, or store the data in narrower types',
    },
  );
};
