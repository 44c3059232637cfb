import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Backend, Executable } from '@filigree/backend';
import {
  DiagnosticError,
  type Module,
  type Pass,
  type Scalar,
  allocateBuffers,
  coreDialects,
  interpret,
  pass,
  scalarTypes,
} from '@filigree/ir';

/** The interpreter dressed as a backend, its modules rewritten by `change` first: right when that is nothing, wrong on purpose else. */
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
  load: (_artifact, module) => TE.right(executable(module)),
});

const executable = (module: Module): Executable => {
  const memory = allocateBuffers(module.buffers);
  const constants = Object.fromEntries(module.buffers.flatMap((b) => (b.data ? [[b.name, b.data]] : [])));
  const buffers = { ...memory, ...constants };
  const run = (options: { kernel?: string; args?: readonly Scalar[] } = {}): void => {
    const done = interpret(module, coreDialects, memory, { ...options, maxSteps: 5e6, trusted: true });
    if (E.isLeft(done)) throw new DiagnosticError(done.left);
  };
  return {
    buffers,
    run: () => run(),
    runAsync: async () => run(),
    launch: (kernel, args) => run({ kernel, args }),
    dispose: () => undefined,
  };
};
