import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Artifact, Backend, CompileOptions, Executable, LoadOptions, Sources } from '@filigree/backend';
import { error, type Diagnostics, type Module } from '@filigree/ir';

/** A module that runs: its memory, its sources, and what it cost to get there, in milliseconds. */
export interface Instance extends Executable {
  readonly module: Module;
  readonly backend: string;
  readonly sources: Sources;
  readonly artifact: Artifact;
  readonly ms: { readonly emit: number; readonly compile: number; readonly load: number };
}

/** How sources are compiled and loaded. */
export interface InstantiateOptions extends CompileOptions, LoadOptions {}

/**
 * Takes a lowered module all the way to memory: legalise, emit, compile (or find in the cache), load. Fails with what
 * the backend reports.
 */
export const instantiate = (
  module: Module,
  backend: Backend,
  options: InstantiateOptions = {},
): TE.TaskEither<Diagnostics, Instance> => {
  const { compile, load } = backend;
  if (!compile || !load) {
    return TE.left([
      error('runtime/emit-only', `the backend '${backend.name}' writes sources but runs nothing here`, {
        remedy: 'use emit, or run on cpp or wasm',
      }),
    ]);
  }
  const { cache } = options;
  if (cache !== undefined && cache !== false && typeof cache !== 'string')
    return TE.left([
      error('runtime/cache', `${String(cache)} is no folder for compiled artifacts`, {
        remedy: "give the path of a folder, false for none, or leave it out for the user's cache folder",
      }),
    ]);
  const start = performance.now();
  return pipe(
    TE.fromEither(backend.legalize.run(module)),
    TE.chain((legal) =>
      pipe(
        TE.fromEither(backend.emit.run(legal)),
        TE.map((sources) => ({ legal, sources, emitted: performance.now() })),
      ),
    ),
    TE.chain((at) =>
      pipe(
        compile(at.sources, options),
        TE.map((artifact) => ({ ...at, artifact, compiled: performance.now() })),
      ),
    ),
    TE.chain((at) =>
      pipe(
        load(at.artifact, at.legal, options),
        TE.map((executable): Instance => ({
          ...executable,
          module: at.legal,
          backend: backend.name,
          sources: at.sources,
          artifact: at.artifact,
          ms: { emit: at.emitted - start, compile: at.compiled - at.emitted, load: performance.now() - at.compiled },
        })),
      ),
    ),
  );
};
