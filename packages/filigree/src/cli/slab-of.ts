import { layoutSlab } from '@filigree/backend';
import type { Slab } from '@filigree/baselines';
import type { Module } from '@filigree/ir';

/** The memory that a compiled module works on, found from the view of one of its buffers. */
export const slabOf = (module: Module, buffer: string, view: Float32Array | Float64Array): Slab => {
  const { offsets, offsetOf, bytes } = layoutSlab(module);
  return { slab: new Uint8Array(view.buffer, view.byteOffset - offsetOf.get(buffer)!, bytes), offsets };
};
