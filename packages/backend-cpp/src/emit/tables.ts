import { layoutSlab } from '@filigree/backend';
import { type Module, type TypedArray, bytesOf } from '@filigree/ir';

/** The constant buffers as bytes: the first `constBytes` of the slab. */
export const tablesOf = (module: Module): Uint8Array => {
  const bytes = new Uint8Array(layoutSlab(module).constBytes);
  copyTables(module, bytes);
  return bytes;
};

/** Writes the constant buffers into a slab. */
export const copyTables = (module: Module, slab: Uint8Array): void => {
  const { offsets } = layoutSlab(module);
  module.buffers.forEach((b, k) => {
    if (b.role === 'const') slab.set(bytesOf(b.data as TypedArray), offsets[k]);
  });
};
