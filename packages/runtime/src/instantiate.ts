import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Artifact, Backend, CompileOptions, Executable, LoadOptions, Sources } from '@filigree/backend';
import { compileSpec, loadSpec, backendOption, isBackend } from '@filigree/backend/options';
import {
  arithmeticOf,
  checkOptions,
  describeValue,
  error,
  fail,
  pass,
  type Diagnostics,
  type Module,
  type OptionSpec,
} from '@filigree/ir';

/** A module that runs: its memory, its sources, and what it cost to get there, in milliseconds. */
export interface Instance extends Executable {
  readonly module: Module;
  readonly backend: string;
  readonly sources: Sources;
  readonly artifact: Artifact;
  readonly ms: { readonly emit: number; readonly compile: number; readonly load: number };
}

/** How sources are compiled and loaded. What `fastMath` is left out for, the module's attribute `arithmetic` says. */
export interface InstantiateOptions extends CompileOptions, LoadOptions {}

/**
 * Takes a lowered module all the way to memory: legalise, emit, compile (or find in the cache), load. Fails with what
 * the backend reports.
 */
export const instantiate = (
  module: Module,
  backend: Backend,
  given?: InstantiateOptions,
): TE.TaskEither<Diagnostics, Instance> => {
  const checked = pass('options', (all: InstantiateOptions | undefined) => {
    if (!isBackend(backend))
      fail('runtime/backend', `what the module is to run on is ${describeValue(backend)}`, {
        remedy: `give ${backendOption.wanted}`,
      });
    if (!Array.isArray(module?.kernels) || !Array.isArray(module.buffers))
      fail('runtime/module', `what is to run is ${describeValue(module)}`, {
        remedy: 'give a module of kernel IR, as makeModule or parseModule makes',
      });
    return checkOptions('instantiate', all, instantiateSpec);
  }).run(given);
  return E.isLeft(checked) ? TE.left(checked.left) : instance(module, backend, checked.right);
};

/** What `instantiate` takes, for those that pass it on. */
export const instantiateSpec: OptionSpec<InstantiateOptions> = { ...compileSpec, ...loadSpec };

const instance = (
  module: Module,
  backend: Backend,
  options: InstantiateOptions,
): TE.TaskEither<Diagnostics, Instance> => {
  const { compile, load } = backend;
  if (!compile || !load) {
    return TE.left([
      error('runtime/emit-only', `the backend '${backend.name}' writes sources but runs nothing here`, {
        remedy: 'use emit, or run on cpp or wasm',
      }),
    ]);
  }
  const { threads, ...compiling } = options;
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
        compile(at.sources, { ...fastMathOf(module), ...compiling }),
        TE.map((artifact) => ({ ...at, artifact, compiled: performance.now() })),
      ),
    ),
    TE.chain((at) =>
      pipe(
        load(at.artifact, at.legal, threads === undefined ? {} : { threads }),
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

/** What a compiler may change in a module that was traced: the attribute is the level of arithmetic it was traced with. */
const fastMathOf = ({ attrs }: Module): Pick<CompileOptions, 'fastMath'> => {
  if (attrs.arithmetic === undefined) return {};
  const level = arithmeticOf(attrs.arithmetic);
  return { fastMath: level === 'exact' ? false : level === 'range-keeping' ? 'contract' : true };
};
