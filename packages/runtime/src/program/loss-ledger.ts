import { addLosses, lossesIn, lossesName, lossPlaces, type Loss } from '@filigree/quant/passes';
import type { Module } from '@filigree/ir';
import type { Shown } from '@filigree/lang/kernels';
import type { Storage } from '@filigree/sparse/fields';
import type { Instance } from '../instantiate.js';

/** What launches lost. */
export interface LossLedger {
  /** To be called when kernels have run. */
  readonly note: () => void;
  /** Kernel by kernel as the module has them, in the order of the source: passes before the counting, which differ among backends, move stores. */
  readonly losses: () => readonly Loss[];
}

/**
 * What all launches of a program lost, taken from its memory after each, so that counters of 32 bits are enough.
 *
 * @param shown shows the places that ops of a kernel name
 */
export const lossLedger = (
  storage: Storage,
  module: Module,
  instance: Instance,
  shown: (kernel: string) => Shown | undefined,
): LossLedger => {
  const places = lossPlaces(module);
  if (places.length === 0) return { note: () => undefined, losses: () => [] };
  const { block, offset, length } = instance.buffer(lossesName(storage));
  const { memory } = instance;
  const counts = new Int32Array(length);
  const zeros = new Int32Array(length);
  let all = inOrder(lossesIn(places, zeros));
  return {
    note: () => {
      memory.read(block, offset, counts);
      all = addLosses(all, lossesIn(places, counts));
      memory.write(block, offset, zeros);
    },
    losses: () =>
      all.map((loss) => (loss.loc ? { ...loss, loc: shown(loss.kernel)?.(loss.loc)?.loc ?? loss.loc } : loss)),
  };
};

const inOrder = (losses: readonly Loss[]): readonly Loss[] => {
  const kernels = [...new Set(losses.map(({ kernel }) => kernel))];
  const byText = (a = '', b = ''): number => a.localeCompare(b, 'en', { numeric: true });
  const before = (a: Loss, b: Loss): number =>
    kernels.indexOf(a.kernel) - kernels.indexOf(b.kernel) ||
    byText(a.loc?.file, b.loc?.file) ||
    (a.loc?.line ?? 0) - (b.loc?.line ?? 0) ||
    (a.loc?.column ?? 0) - (b.loc?.column ?? 0) ||
    byText(a.field, b.field);
  return [...losses].sort(before);
};
