import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CompileOptions, Executable, LoadOptions, Sources } from '@filigree/backend';
import { type CppOptions, cpp } from '@filigree/backend-cpp';
import {
  type Diagnostics,
  DiagnosticError,
  type Module,
  buildKernel,
  constBuffer,
  declareBuffer,
  makeModule,
} from '@filigree/ir';

export const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new DiagnosticError(e.left);
  return e.right;
};

/** The diagnostics a task fails with; an error if it does not fail. */
export const problems = async <A>(task: TaskEither<Diagnostics, A>): Promise<Diagnostics> => {
  const done = await task();
  if (E.isRight(done)) throw new Error('expected a failure');
  return done.left;
};

/** The code of the diagnostic that a call throws. */
export const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};

export const sourcesOf = (module: Module, options?: CppOptions): Sources => {
  const backend = cpp(options);
  return right(backend.emit.run(right(backend.legalize.run(module))));
};

/** Emits, compiles and loads; disposed of when the test ends. */
export const loaded = async (
  module: Module,
  { compile, load, ...options }: CppOptions & { compile?: CompileOptions; load?: LoadOptions } = {},
): Promise<Executable> => {
  const backend = cpp(options);
  const artifact = right(await backend.compile!(sourcesOf(module, options), compile)());
  const executable = right(await backend.load!(artifact, module, load)());
  onTestFinished(() => executable.dispose());
  return executable;
};

/** y = a x + y over n elements, x multiplied by a table of constants. */
export const axpy = (n = 8, factors: readonly number[] = Array.from({ length: n }, (_, k) => k)): Module => {
  const buffers = [
    declareBuffer('x', 'f64', n, 'input'),
    constBuffer('f', 'u16', factors),
    declareBuffer('y', 'f64', n, 'inout'),
  ];
  const kernel = buildKernel(
    'axpy',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) => {
        const scaled = b.mul(b.cast(b.load('f', i), 'f64'), b.load('x', i));
        b.store('y', b.sub(b.load('y', i), scaled), i);
      });
    },
    buffers,
  );
  return makeModule('axpy', buffers, [kernel]);
};

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A shell script, to stand in for a compiler. */
export const script = (folder: string, name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
};
