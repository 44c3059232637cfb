import { addLosses, lossesIn, lossesName, lossPlaces, type Loss } from '@filigree/quant/passes';
import type { Module } from '@filigree/ir';
import type { Storage } from '@filigree/sparse/fields';
import type { Instance } from '../instantiate.js';

/** What launches lost. */
export interface LossLedger {
  /** To be called when kernels have run. */
  readonly note: () => void;
  readonly losses: () => readonly Loss[];
}

/** What all launches of a program lost, taken from its memory after each, so that counters of 32 bits are enough. */
export const lossLedger = (storage: Storage, module: Module, instance: Instance): LossLedger => {
  const places = lossPlaces(module);
  if (places.length === 0) return { note: () => undefined, losses: () => [] };
  const { block, offset, length } = instance.buffer(lossesName(storage));
  const { memory } = instance;
  const counts = new Int32Array(length);
  const zeros = new Int32Array(length);
  let all = lossesIn(places, zeros);
  return {
    note: () => {
      memory.read(block, offset, counts);
      all = addLosses(all, lossesIn(places, counts));
      memory.write(block, offset, zeros);
    },
    losses: () => all,
  };
};
