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
import { coreDialects, DiagnosticError, interpret, pass, printModule, scalarTypes, type Module } from '@filigree/ir';

/** A backend that runs the interpreter: kernels by their meaning, with nothing to compile. */
export const interpreter = (): Backend => ({
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
    open: () => async () => E.right(hostArrays()),
    own: (module, bound) => layoutSlab(module, bound),
  },
  load:
    (_artifact, module, options = {}) =>
    async () => {
      const placement = options.placement ?? placeModule(module, hostArrays(), {}, layoutSlab(module));
      return E.right(executableOf(module, libraryOf(module, placement), options));
    },
});

/** Memory in arrays of the host. */
const hostArrays = (): Memory => {
  let next = 0;
  return memoryOf({
    space: 'interpreter',
    allocate: (bytes) => {
      const buffer = new ArrayBuffer(bytes);
      const at = next;
      next += Math.ceil(bytes / 64) * 64;
      return { at, host: () => ({ buffer, byteOffset: 0 }) };
    },
    release: () => undefined,
  });
};

const libraryOf = (module: Module, placement: Placement): Library => {
  const { memory, places } = placement;
  const buffers = Object.fromEntries(
    module.buffers.flatMap((b) => {
      const place = places.get(b.name);
      return place && b.role !== 'const' ? [[b.name, memory.view(place.block, place.offset, b.type, b.length)]] : [];
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
