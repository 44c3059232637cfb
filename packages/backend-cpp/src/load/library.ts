import { kernelNames } from '@filigree/backend';
import {
  type Command,
  type CommandList,
  type Library,
  type Placement,
  addressOf,
  checkStatus,
  packedArguments,
} from '@filigree/backend/device';
import { crew } from '@filigree/backend/native';
import { type Kernel, type Module, type Scalar, type ScalarType, argumentsInto } from '@filigree/ir';
import { listEntry } from '../emit/list-entry.js';
import type { Entry, SharedLibrary } from './foreign.js';

/**
 * The kernels of a shared library over memory that exists. A list of launches is one call: of the kernel, of the entry that runs all, or
 * of the one that walks lists. Error: `load/entry` where the library is of another module.
 */
export const libraryOf = (library: SharedLibrary, module: Module, placement: Placement): Library => {
  const slab = slabArguments(module, placement);
  const names = kernelNames(module);
  const kernels = new Map(
    module.kernels.map((kernel, number) => {
      const scalars = kernel.params.map((p) => foreignType[p.type as ScalarType]);
      const entry = library.entry(`filigree_kernel_${names[number]}`, [...slabTypes, ...scalars]);
      return [kernel.name, { kernel, number, entry }] as const;
    }),
  );
  const all = module.kernels.every((k) => k.params.length === 0) ? library.entry('filigree_run', slabTypes) : undefined;

  const one = (kernel: Kernel, entry: Entry, args: readonly Scalar[]): CommandList => {
    const frame = [...slab, ...args];
    const bind = argumentsInto(kernel, frame, slab.length);
    bind(args);
    return caller(module, entry, frame, (_, next) => bind(next));
  };
  const many = (list: readonly Command[]): CommandList => {
    const found = list.map((c) => kernels.get(c.kernel)!);
    const { bytes, set } = packedArguments(found.map((f) => f.kernel));
    list.forEach((c, k) => set(k, c.args));
    const numbers = Int32Array.from(found, (f) => f.number);
    const entry = library.entry(listEntry, [...slabTypes, 'int64_t', 'void *', 'void *']);
    return caller(module, entry, [...slab, list.length, numbers, bytes], set);
  };
  return {
    placement,
    commands: (list) => {
      if (all && list.length === module.kernels.length && list.every((c, k) => c.kernel === module.kernels[k]!.name)) {
        const set = packedArguments(module.kernels).set;
        list.forEach((c, k) => set(k, c.args));
        return caller(module, all, [...slab], set);
      }
      const only = list.length === 1 ? kernels.get(list[0]!.kernel) : undefined;
      return only ? one(only.kernel, only.entry, list[0]!.args) : many(list);
    },
    dispose: library.release,
  };
};

/** Where the program's block begins, how far from there each buffer does, in whichever block, and on how many threads. */
const slabArguments = (module: Module, { memory, own, places }: Placement): readonly unknown[] => {
  const offsets = module.buffers.map((b) => {
    const place = places.get(b.name);
    return place ? addressOf(place) - own.at : 0;
  });
  return [memory.view(own, 0, 'u8', 1), BigInt64Array.from(offsets.length > 0 ? offsets : [0], BigInt), 1];
};

const slabTypes = ['void *', 'void *', 'int'];

/** Calls of an entry with arguments that are in place: small kernels are launched often. */
const caller = (module: Module, entry: Entry, frame: unknown[], set: CommandList['set']): CommandList => {
  const call = entry as (...args: readonly unknown[]) => number;
  const { next, took } = crew();
  return {
    set,
    run: (threads) => {
      if (threads === 1) {
        frame[2] = 1;
        checkStatus(module, call(...frame));
        return;
      }
      frame[2] = next(threads);
      const start = performance.now();
      const status = call(...frame);
      took(performance.now() - start);
      checkStatus(module, status);
    },
    runAsync: async (threads) => {
      frame[2] = threads;
      const status = await new Promise<number>((resolve, reject) => {
        entry.async(...frame, (error: unknown, status: number) => (error ? reject(error as Error) : resolve(status)));
      });
      checkStatus(module, status);
    },
  };
};

const foreignType: Readonly<Record<ScalarType, string>> = {
  i1: 'bool',
  i8: 'int8_t',
  i16: 'int16_t',
  i32: 'int32_t',
  i64: 'int64_t',
  u8: 'uint8_t',
  u16: 'uint16_t',
  u32: 'uint32_t',
  u64: 'uint64_t',
  f32: 'float',
  f64: 'double',
};
