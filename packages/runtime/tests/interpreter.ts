import * as E from 'fp-ts/lib/Either.js';
import type { Backend } from '@filigree/backend';
import {
  allocateBuffers,
  coreDialects,
  DiagnosticError,
  interpret,
  pass,
  printModule,
  scalarTypes,
} from '@filigree/ir';

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
  load: (_artifact, module) => async () => {
    const buffers = allocateBuffers(module.buffers);
    const start = (options: Parameters<typeof interpret>[3]): void => {
      const result = interpret(module, coreDialects, buffers, { ...options, trusted: true });
      if (E.isLeft(result)) throw new DiagnosticError(result.left);
    };
    return E.right({
      buffers,
      run: () => start({}),
      runAsync: async () => start({}),
      launch: (kernel, args) => start({ kernel, args }),
      launchAsync: async (kernel, args) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        start({ kernel, args });
      },
      dispose: () => {},
    });
  },
});
