import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Artifact, Backend, CompileOptions, Executable, Sources } from '@filigree/backend';
import type { LoadOptions, Placement } from '@filigree/backend/device';
import { backendOption, compileSpec, isBackend, threadsOption } from '@filigree/backend/options';
import type { Banking, KeptBy } from './bank/banked.js';
import { seenByRecorders } from './program/bound-instance.js';
import { placementFor, sharingSpec, type SharingOptions } from './sharing.js';
import {
  arithmeticOf,
  attempt,
  checkOptions,
  describeValue,
  option,
  fail,
  pass,
  runPass,
  type Diagnostics,
  type Json,
  type Module,
  type OptionSpec,
  orThrow,
  once,
} from '@filigree/ir';

/** A module that runs: its memory, its sources, and what it cost to get there, in milliseconds. */
export interface Instance extends Executable {
  /** As it runs: legal for the backend. */
  readonly module: Module;
  /** As it was given, before legalisation: what derivatives and schedulers work on. */
  readonly given: Module;
  readonly backend: string;
  readonly sources: Sources;
  readonly artifact: Artifact;
  /** Whether it was found as it was lowered before, so that nothing was lowered or emitted. */
  readonly kept: boolean;
  /** What it was found by, if it was. */
  readonly keptBy?: KeptBy;
  /** Whether its launches wait in a session, so that views of its memory are handed out only where someone asks. */
  readonly waits?: boolean;
  readonly ms: { readonly emit: number; readonly compile: number; readonly load: number };
}

/** How sources are compiled and loaded. What `fastMath` is left out for, the module's attribute `arithmetic` says. */
export interface InstantiateOptions extends CompileOptions, Pick<LoadOptions, 'threads'>, SharingOptions {
  /** Called when a step begins, with its name, and waited for. */
  readonly onStep?: (step: 'emit' | 'compile' | 'load') => void | Promise<void>;
}

/**
 * Takes a lowered module all the way to memory: legalise, place, emit, compile (or find in the cache), load. Fails with what
 * the backend reports, and where it is to share a memory with `memory/…`.
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
  if (E.isLeft(checked)) return async () => checked;
  const options = checked.right;
  const made = instance(module, backend, options);
  const { session, memory: _, bind = {}, onStep, ...alike } = options;
  const entered = !session
    ? made
    : TE.chain((one: Instance) => attempt(async () => session.enter(one, { ...fastMathOf(module), ...alike })))(made);
  return Object.keys(bind).length === 0 ? entered : TE.map((one: Instance) => seenByRecorders(one, new Set(Object.keys(bind))))(entered); // prettier-ignore
};

/**
 * As `instantiate`, of a module that may have been kept: then nothing is legalised, emitted or compiled, and sources are made when someone
 * asks for them. Error also `cache/gone` where what was kept has lost its artifact.
 */
export const instantiateBanked = (
  module: Module,
  backend: Backend,
  options: InstantiateOptions,
  banking: Banking | undefined,
): TE.TaskEither<Diagnostics, Instance> => instance(module, backend, options, banking);

/** Whether it failed because what was kept is no longer whole: then it is to be made anew. */
export const isGone = (diagnostics: Diagnostics): boolean => diagnostics[0]?.code === GONE;

const GONE = 'cache/gone';

/** What `instantiate` takes, for those that pass it on. */
export const instantiateSpec: OptionSpec<InstantiateOptions> = {
  ...compileSpec,
  threads: threadsOption,
  onStep: option.callback,
  ...sharingSpec,
};

/** What was lowered and compiled elsewhere, by another process or in another thread. */
export interface Ready {
  readonly lowered: Module;
  readonly legal: Module;
  /** Its artifact, where code knows its place in that, if it is there. */
  readonly artifact: (place: Json | undefined) => Artifact | undefined;
  readonly warnings: readonly Diagnostics[];
  /** What it was found by, where another process had left it. */
  readonly keptBy?: KeptBy;
}

/** Where a module is to lie that is ready, or soon will be; nothing for one with a memory of its own. Errors: `memory/…`, `load/memory`. */
export const reserved = (
  { lowered, legal }: Pick<Ready, 'lowered' | 'legal'>,
  backend: Backend,
  { threads, memory, bind, session }: InstantiateOptions,
): Placement | undefined => placementFor(legal, lowered, backend, sharingOf({ memory, bind, session }), threads ?? 1);

/**
 * Loads what is ready, at once. Throws what the backend reports, and `cache/gone` where its artifact is lost.
 *
 * @param placement its place, which is released where it fails
 */
export const instantiateReady = (
  { lowered, legal, artifact, warnings, keptBy }: Ready,
  backend: Backend,
  { threads }: InstantiateOptions,
  placement: Placement | undefined,
): Instance => {
  const start = performance.now();
  try {
    const found = artifact(placeOf(backend, placement)) ?? gone();
    const compiled = performance.now();
    const executable = orThrow(backend.loadNow!(found, legal, loadingOf(threads, placement)));
    const sources = sourcesOf(legal, backend, placement);
    const ms = { emit: 0, compile: compiled - start, load: performance.now() - compiled };
    return instanceOf(executable, { legal, lowered, backend, sources, artifact: found, warnings, keptBy, ms });
  } catch (e) {
    placement?.release();
    throw e;
  }
};

const instance = (
  module: Module,
  backend: Backend,
  { threads, memory, bind, session, onStep, ...compiling }: InstantiateOptions,
  banking?: Banking,
): TE.TaskEither<Diagnostics, Instance> =>
  attempt(async () => {
    const { compile, load } = backend;
    if (!compile || !load)
      return fail('runtime/emit-only', `the backend '${backend.name}' writes sources but runs nothing here`, {
        remedy: 'use emit, or run on cpp or wasm',
      });
    await onStep?.('emit');
    const start = performance.now();
    const kept = banking?.kept;
    const legal = kept?.legal ?? orThrow(runPass(backend.legalize, module, backend.watch));
    const placement = placementFor(legal, module, backend, sharingOf({ memory, bind, session }), threads ?? 1);
    try {
      const sources = sourcesOf(legal, backend, placement);
      if (!kept) sources();
      const emitted = performance.now();
      await onStep?.('compile');
      const artifact = kept
        ? (banking.entry.artifact(placeOf(backend, placement)) ?? gone())
        : orThrow(await compile(sources(), { ...fastMathOf(module), ...compiling })());
      if (banking && !kept) {
        await banking.entry.write(module, legal);
        await banking.entry.writeArtifact(placeOf(backend, placement), artifact);
      }
      const compiled = performance.now();
      await onStep?.('load');
      const executable = orThrow(await load(artifact, legal, loadingOf(threads, placement))());
      const ms = { emit: emitted - start, compile: compiled - emitted, load: performance.now() - compiled };
      const warnings = banking?.entry.warnings ?? [];
      const keptBy = kept && banking!.by;
      return instanceOf(executable, { legal, lowered: module, backend, sources, artifact, warnings, keptBy, ms });
    } catch (e) {
      placement?.release();
      throw e;
    }
  });

const gone = (): never =>
  fail(GONE, 'what the program was compiled to is no longer in the cache', { remedy: 'compile it again' });

/** Of sharing options those that are there. */
const sharingOf = ({
  memory,
  bind,
  session,
}: { [N in keyof SharingOptions]: SharingOptions[N] | undefined }): SharingOptions => ({
  ...(memory && { memory }),
  ...(bind && { bind }),
  ...(session && { session }),
});

const loadingOf = (threads: number | undefined, placement: Placement | undefined): LoadOptions => ({
  ...(threads === undefined ? {} : { threads }),
  ...(placement && { placement }),
});

/** A place as code knows it that is written for one; nothing where the same code runs in all. */
export const placeOf = ({ sharing }: Backend, placement: Placement | undefined): Json | undefined =>
  placement && sharing?.inPlace?.of(placement);

/** The sources of a legal module in its place, made when they are first asked for. */
const sourcesOf = (legal: Module, backend: Backend, placement: Placement | undefined): (() => Sources) => {
  const place = placeOf(backend, placement);
  const emit = place === undefined ? backend.emit : backend.sharing!.inPlace!.emit(place);
  return once(() => orThrow(runPass(emit, legal, backend.watch)));
};

const instanceOf = (
  executable: Executable,
  made: Omit<Ready, 'artifact' | 'keptBy'> & {
    readonly backend: Backend;
    readonly sources: () => Sources;
    readonly artifact: Artifact;
    readonly keptBy: KeptBy | undefined;
    readonly ms: Instance['ms'];
  },
): Instance => ({
  ...executable,
  module: made.legal,
  given: made.lowered,
  backend: made.backend.name,
  get sources() {
    return made.sources();
  },
  kept: made.keptBy !== undefined,
  ...(made.keptBy && { keptBy: made.keptBy }),
  artifact: warned(made.artifact, made.warnings.flat()),
  ms: made.ms,
});

/** An artifact with what else was warned of; one folder that cannot be written is said once. */
const warned = (artifact: Artifact, more: Diagnostics): Artifact => {
  const said = new Set((artifact.warnings ?? []).map((d) => d.code));
  const others = more.filter((d, k) => !said.has(d.code) && more.findIndex((o) => o.code === d.code) === k);
  return others.length === 0 ? artifact : { ...artifact, warnings: [...(artifact.warnings ?? []), ...others] };
};

/** What a compiler may change in a module that was traced: the attribute is the level of arithmetic it was traced with. */
export const fastMathOf = ({ attrs }: Module): Pick<CompileOptions, 'fastMath'> => {
  if (attrs.arithmetic === undefined) return {};
  const level = arithmeticOf(attrs.arithmetic);
  return { fastMath: level === 'exact' ? false : level === 'range-keeping' ? 'contract' : true };
};
