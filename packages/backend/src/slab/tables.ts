import { type Module, type TypedArray, bytesOf } from '@filigree/ir';
import { layoutSlab } from './layout.js';

/** The constant buffers as bytes: the first `constBytes` of the slab. */
export const tablesOf = (module: Module): Uint8Array => {
  const { constBytes, offsets } = layoutSlab(module);
  const bytes = new Uint8Array(constBytes);
  module.buffers.forEach((b, k) => {
    if (b.role === 'const') bytes.set(bytesOf(b.data as TypedArray), offsets[k]);
  });
  return bytes;
};
