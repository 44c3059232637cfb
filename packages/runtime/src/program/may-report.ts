import { bufferMap, coreDialects, walk, type Kernel, type Module } from '@filigree/ir';
import { factsOf, rangesOf } from '@filigree/opt';
import { arenaName, type Storage } from '@filigree/sparse/fields';

/**
 * Tells of the kernels of a lowered module, by name, whether they may leave something in the status words: who does takes the first of these by an
 * atomic, so one that has no atomic that may be there reports nothing. Of kernels that it does not know, and of several at once, it says that they may.
 */
export const reportersIn = (
  { kernels, buffers }: Pick<Module, 'kernels' | 'buffers'>,
  storage: Storage,
): ((kernel: string | undefined) => boolean) => {
  const facts = factsOf(coreDialects);
  const words = arenaName(storage.memory, 'i32');
  const status = storage.status / 4;
  const mayReport = (kernel: Kernel): boolean => {
    const ranges = rangesOf(kernel, bufferMap(buffers), facts);
    let found = false;
    walk(kernel.body, (op) => {
      for (const { kind, place, index } of facts.def(op)?.accesses?.(op) ?? []) {
        if (kind !== 'atomic' || place !== words) continue;
        const at = ranges.of(index[0]);
        found ||= !at || (at.lo <= status && status <= at.hi);
      }
    });
    return found;
  };
  const known = new Map<string | undefined, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const kernel = kernels.find((k) => k.name === name);
    const may = !kernel || mayReport(kernel);
    known.set(name, may);
    return may;
  };
};
