import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Backend } from '@filigree/backend';
import {
  type Library,
  type Memory,
  type Placement,
  addressOf,
  executableOf,
  memoryOf,
  placeModule,
} from '@filigree/backend/device';
import {
  DiagnosticError,
  type Module,
  type Pass,
  type TypedArray,
  arrayConstructor,
  interpret,
  pass,
  scalarTypes,
} from '@filigree/ir';
import { dialectsOf, layoutSlab } from '@filigree/backend';

/**
 * The interpreter dressed as a backend, its modules rewritten by `change` first: right when that is nothing, wrong on purpose else. It
 * keeps its memory to itself, as a GPU does: the host has no views of it.
 */
export const interpreterBackend = (
  change: (m: Module) => Module = (m) => m,
  capabilities: Partial<Backend['capabilities']> = {},
): Backend => ({
  name: 'interpreter',
  capabilities: { types: scalarTypes, threads: true, atomics: scalarTypes, vectorBytes: 32, ...capabilities },
  legalize: pass('change', change),
  emit: pass('emit', () => ({ backend: 'interpreter', files: [] })) as Pass<Module, { backend: string; files: [] }>,
  probe: async () => ({ name: 'interpreter', usable: true, reason: '', toolchain: '' }),
  compile: () => TE.right({ backend: 'interpreter', hash: '', cached: false, compileMs: 0 }),
  sharing: {
    space: 'interpreter',
    open: () => TE.right(memoryApart()),
    own: (module, bound) => layoutSlab(module, bound),
  },
  load: (_artifact, module, options = {}) => {
    const placement = options.placement ?? placeModule(module, memoryApart(), {}, layoutSlab(module));
    return TE.right(executableOf(module, libraryOf(module, placement), options));
  },
});

/* Blocks are arrays of their own, a multiple of 2^32 apart. */
const memoryApart = (): Memory => {
  const arrays = new Map<number, ArrayBuffer>();
  const bytesAt = (at: number, length: number): Uint8Array =>
    new Uint8Array(arrays.get(Math.floor(at / 2 ** 32))!, at % 2 ** 32, length);
  let blocks = 0;
  const memory = memoryOf({
    space: 'interpreter',
    allocate: (bytes) => {
      arrays.set(++blocks, new ArrayBuffer(bytes));
      return { at: blocks * 2 ** 32 };
    },
    release: ({ at }) => void arrays.delete(at / 2 ** 32),
    read: (from, into) => into.set(bytesAt(from, into.length)),
    write: (to, from) => bytesAt(to, from.length).set(from),
  });
  insides.set(memory, bytesAt);
  return memory;
};

const insides = new WeakMap<Memory, (at: number, length: number) => Uint8Array>();

const libraryOf = (module: Module, placement: Placement): Library => {
  const bytesAt = insides.get(placement.memory)!;
  const buffers: Record<string, TypedArray> = {};
  for (const b of module.buffers) {
    const place = placement.places.get(b.name);
    if (place === undefined || b.role === 'const') continue;
    const { buffer, byteOffset } = bytesAt(addressOf(place), 0);
    buffers[b.name] = new (arrayConstructor(b.type))(buffer, byteOffset, b.length);
  }
  return {
    placement,
    commands: (list) => {
      const commands = [...list];
      return {
        set: (k, args) => void (commands[k] = { ...commands[k]!, args }),
        run: () => {
          for (const command of commands) {
            const done = interpret(module, dialectsOf([]), buffers, { ...command, maxSteps: 1e8, trusted: true });
            if (E.isLeft(done)) throw new DiagnosticError(done.left);
          }
        },
      };
    },
    dispose: () => undefined,
  };
};
