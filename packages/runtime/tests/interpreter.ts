import * as E from 'fp-ts/lib/Either.js';
import { layoutSlab, type Backend } from '@filigree/backend';
import {
  executableOf,
  memoryOf,
  placeModule,
  type Library,
  type Memory,
  type Placement,
} from '@filigree/backend/device';
import {
  arrayConstructor,
  coreDialects,
  DiagnosticError,
  interpret,
  pass,
  printModule,
  scalarTypes,
  type Module,
} from '@filigree/ir';

/**
 * A backend that runs the interpreter: kernels by their meaning, with nothing to compile.
 *
 * @param apart whether the host sees nothing of the memory, as on a device
 */
export const interpreter = ({ apart = false } = {}): Backend => ({
  name: 'interpreter',
  capabilities: { types: scalarTypes, threads: false, atomics: scalarTypes, vectorBytes: 0 },
  legalize: pass('as-it-is', (module) => module),
  emit: pass('print', (module) => ({
    backend: 'interpreter',
    files: [{ name: 'module.fil', language: 'text', contents: printModule(module) }],
  })),
  probe: async () => ({ name: 'interpreter', usable: true, reason: '', toolchain: '' }),
  compile: () => async () => E.right({ backend: 'interpreter', hash: '', cached: false, compileMs: 0 }),
  sharing: {
    space: 'interpreter',
    open: () => async () => E.right(hostArrays(apart)),
    own: (module, bound) => layoutSlab(module, bound),
  },
  load:
    (_artifact, module, options = {}) =>
    async () => {
      const placement = options.placement ?? placeModule(module, hostArrays(apart), {}, layoutSlab(module));
      return E.right(executableOf(module, libraryOf(module, placement), options));
    },
});

/** What lies at the addresses of all memories. */
const blocks = new Map<number, ArrayBuffer>();

let next = 0;

/** Memory in arrays of the host, of which it may be told nothing. */
const hostArrays = (apart: boolean): Memory => {
  const bytesAt = (at: number, length: number): Uint8Array => {
    const start = [...blocks.keys()].filter((k) => k <= at).reduce((a, b) => Math.max(a, b));
    return new Uint8Array(blocks.get(start)!, at - start, length);
  };
  return memoryOf({
    space: 'interpreter',
    allocate: (bytes) => {
      const buffer = new ArrayBuffer(bytes);
      const at = next;
      next += Math.ceil(bytes / 64 + 1) * 64;
      blocks.set(at, buffer);
      return apart ? { at } : { at, host: () => ({ buffer, byteOffset: 0 }) };
    },
    release: ({ at }) => void blocks.delete(at),
    ...(apart && {
      read: (from: number, into: Uint8Array) => into.set(bytesAt(from, into.length)),
      write: (to: number, from: Uint8Array) => bytesAt(to, from.length).set(from),
    }),
  });
};

const libraryOf = (module: Module, placement: Placement): Library => {
  const { places } = placement;
  const buffers = Object.fromEntries(
    module.buffers.flatMap((b) => {
      const place = places.get(b.name);
      return place && b.role !== 'const'
        ? [[b.name, new (arrayConstructor(b.type))(blocks.get(place.block.at)!, place.offset, b.length)]]
        : [];
    }),
  );
  return {
    placement,
    commands: (list) => {
      const commands = [...list];
      const run = (): void => {
        for (const command of commands) {
          const result = interpret(module, coreDialects, buffers, { ...command, trusted: true });
          if (E.isLeft(result)) throw new DiagnosticError(result.left);
        }
      };
      return {
        set: (k, args) => void (commands[k] = { ...commands[k], args }),
        run,
        runAsync: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          run();
        },
      };
    },
    dispose: () => undefined,
  };
};
