import { loadCode, sharedMemoryAllowed } from '@filigree/backend-wasm/load';
import { checkOptions, fail, optionKind, wholeOption, type OptionSpec } from '@filigree/ir';
import type { Fields, Kernels, Program } from '@filigree/runtime';
import { openArtifact, openEinsum, openTraced, type OpenedEinsum, type OpenedTraced } from '@filigree/runtime/artifact';
import type { FieldDecl, Formats, Layout } from '@filigree/sparse/fields';
import { fetched } from '#fetched';
import { VERSION } from './version.js';

/** A program that was compiled ahead of time, where its bytes are or as text. */
export interface Artifact<K extends Kernels = Kernels, F extends Fields = Fields> {
  readonly is: 'artifact';
  readonly url?: URL | string;
  readonly base64?: string;
  /** Of types alone: what it was made from. */
  readonly of?: { readonly kernels: K; readonly fields?: F };
}

/** The artifact of a program `{ layout, kernels }` or `{ inputs, run }`, or of a formula `{ formula, shapes }`. */
export type ArtifactOf<P> = P extends { readonly kernels: infer K extends Kernels }
  ? Artifact<K, P extends { readonly fields: infer F extends Fields } ? F : AllFields>
  : P extends TracedSource<infer I, infer O>
    ? TracedArtifact<I, O>
    : P extends EinsumSource
      ? EinsumArtifact
      : never;

/** A traced program that was compiled ahead of time, by the names of its inputs and outputs. */
export interface TracedArtifact<I extends string = string, O extends string = string> extends Omit<Artifact, 'of'> {
  readonly traced?: { readonly inputs: I; readonly outputs: O };
}

/** A traced program as a module exports it: the build plugin puts its artifact in its place. */
export interface TracedSource<I extends string = string, O extends string = string> {
  readonly inputs: Readonly<Record<I, unknown>>;
  readonly run: (...args: never[]) => Readonly<Record<O, unknown>>;
}

/** What runs of it, with no compiler beside it. */
export type TracedProgram<I extends string = string, O extends string = string> = Omit<
  OpenedTraced,
  'inputs' | 'outputs'
> & {
  /** Views of its memory: write these, run, read `outputs`. */
  readonly inputs: Readonly<Record<I, Float32Array | Float64Array>>;
  readonly outputs: Readonly<Record<O, Float32Array | Float64Array>>;
};

/** A kernel on tensors that was compiled ahead of time. */
export interface EinsumArtifact extends Omit<Artifact, 'of'> {
  readonly einsum?: true;
}

/** A formula as a module exports it, with what `einsum` is told about it: the build plugin puts its artifact in its place. */
export interface EinsumSource {
  readonly formula: string;
}

/** A program as a module exports it: the build plugin puts its artifact in its place. */
export interface ProgramSource<K extends Kernels = Kernels, F extends Fields = Fields> {
  readonly layout: Layout;
  readonly kernels: K;
  readonly fields?: F;
}

/** What runs of it, with no compiler beside it. */
export type ArtifactProgram<K extends Kernels = Kernels, F extends Fields = Fields> = Pick<
  Program<K, F>,
  'fields' | 'run' | 'launch' | 'seed' | 'warnings' | 'dispose'
>;

/** How an artifact is loaded. */
export interface LoadArtifactOptions {
  /** Threads of launches; default 1. More take an artifact that was made for threads, and a page that is isolated. */
  readonly threads?: number;
  /** Seed of random numbers; default that of the program. */
  readonly seed?: number;
  /** The formats that fields are stored in: `quantFormats` of `@filigree/quant`. */
  readonly formats?: Formats;
}

type AllFields = Readonly<Record<string, FieldDecl>>;

/**
 * Runs a program that was compiled ahead of time: the export of a module that the build plugin compiled, what
 * `filigree compile --artifact` wrote, its address, or its bytes. Errors: `artifact/not-compiled`, `artifact/version`, `artifact/truncated`,
 * `artifact/damaged`, `artifact/not-an-artifact`, `artifact/kind`, `file/…`, `layout/format`, `wasm/policy`.
 */
export const loadArtifact = async <K extends Kernels = Kernels, F extends Fields = AllFields>(
  source: Artifact<K, F> | ProgramSource<K, F> | URL | string | Uint8Array | ArrayBuffer,
  given?: LoadArtifactOptions,
): Promise<ArtifactProgram<K, F>> => {
  const options = checkOptions('loadArtifact', given, loadArtifactSpec);
  const made = await openArtifact(await bytesOf(source), {
    ...options,
    version: VERSION,
    shared: sharedMemoryAllowed(),
    load: loadCode,
  });
  return made as unknown as ArtifactProgram<K, F>;
};

/**
 * Runs a traced program that was compiled ahead of time, given as to `loadArtifact`. Errors: those of `loadArtifact`, and `artifact/kind` where it is
 * a program of fields.
 */
export const loadTraced = async <I extends string = string, O extends string = string>(
  source: TracedArtifact<I, O> | TracedSource<I, O> | URL | string | Uint8Array | ArrayBuffer,
  given?: Pick<LoadArtifactOptions, 'threads'>,
): Promise<TracedProgram<I, O>> => {
  const options = checkOptions<Pick<LoadArtifactOptions, 'threads'>>('loadTraced', given, {
    threads: wholeOption(1),
  });
  const made = await openTraced(await bytesOf(source), {
    ...options,
    version: VERSION,
    shared: sharedMemoryAllowed(),
    load: loadCode,
  });
  return made as TracedProgram<I, O>;
};

/**
 * Runs a formula that was compiled ahead of time, given as to `loadArtifact`. Errors: those of `loadArtifact`.
 */
export const loadEinsum = async (
  source: EinsumArtifact | EinsumSource | URL | string | Uint8Array | ArrayBuffer,
  given?: Pick<LoadArtifactOptions, 'threads'>,
): Promise<OpenedEinsum> => {
  const options = checkOptions<Pick<LoadArtifactOptions, 'threads'>>('loadEinsum', given, { threads: wholeOption(1) });
  return openEinsum(await bytesOf(source), {
    ...options,
    version: VERSION,
    shared: sharedMemoryAllowed(),
    load: loadCode,
  });
};

const object = (wanted: string) => optionKind(wanted, (x) => typeof x === 'object' && x !== null);

const loadArtifactSpec: OptionSpec<LoadArtifactOptions> = {
  threads: wholeOption(1),
  seed: wholeOption(0),
  formats: object('formats by name'),
};

const bytesOf = async (
  source: Omit<Artifact, 'of'> | ProgramSource | TracedSource | EinsumSource | URL | string | Uint8Array | ArrayBuffer,
): Promise<Uint8Array> => {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (typeof source === 'string' || source instanceof URL) return fetched(String(source));
  const isObject = typeof source === 'object' && source !== null;
  if (isObject && 'is' in source) {
    if (source.base64 !== undefined) return Uint8Array.from(atob(source.base64), (c) => c.charCodeAt(0));
    if (source.url !== undefined) return fetched(String(source.url));
  }
  const what = isObject ? 'a program' : `${source as unknown as string}`;
  return fail('artifact/not-compiled', `what is to be loaded is ${what}, and no artifact`, {
    remedy: "name its module in the plugin's option artifacts, or load what filigree compile --artifact writes",
  });
};
