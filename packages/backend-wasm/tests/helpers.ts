import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { type Diagnostics, DiagnosticError, type Module, parseModule } from '@filigree/ir';
import type { Artifact, Backend, Executable, LoadOptions } from '@filigree/backend';
import { wasm } from '@filigree/backend-wasm';

/** The right side, or the diagnostics as an exception. */
export const value = <A>(either: E.Either<Diagnostics, A>): A => {
  if (E.isRight(either)) return either.right;
  throw new DiagnosticError(either.left);
};

export const settled = async <A>(task: TaskEither<Diagnostics, A> | undefined): Promise<A> => {
  if (task === undefined) throw new Error('the backend cannot do this');
  return value(await task());
};

export const parsed = (text: string): Module => value(parseModule(text, 'test.fil'));

/** The text of a module as emitted. */
export const textOf = (module: Module, backend: Backend = wasm()): string => {
  const sources = value(backend.emit.run(value(backend.legalize.run(module))));
  return String(sources.files[0].contents);
};

export const compiled = async (
  module: Module,
  backend: Backend = wasm(),
  cache: string | false = false,
): Promise<Artifact> =>
  settled(backend.compile?.(value(backend.emit.run(value(backend.legalize.run(module)))), { cache }));

export const loaded = async (
  module: Module,
  backend: Backend = wasm(),
  options: LoadOptions = {},
): Promise<Executable> => {
  const legal = value(backend.legalize.run(module));
  return settled(backend.load?.(await compiled(module, backend), legal, options));
};

/** The code of the first diagnostic that `run` throws, or 'none'. */
export const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};
