import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { Backend, Sources } from '@filigree/backend';
import {
  DiagnosticError,
  fail,
  type Arithmetic,
  type Diagnostics,
  type Extension,
  type Loc,
  type Module,
} from '@filigree/ir';
import { standsIn } from '@filigree/lang/numeric';
import { offload } from '@filigree/opt';
import type { InputShape, Program } from '@filigree/specialize';
import type { Stage } from '../api/build.js';
import { resolveBackend } from '../api/backends.js';
import { builtProgram } from '../api/compile.js';
import { compiledProgram } from '../api/compiled-program.js';
import { program, type FieldProgramOptions } from '../api/program.js';
import { builtEinsum } from '../api/tensors/compile.js';
import {
  makeArtifact,
  makeEinsum,
  makeTraced,
  type EinsumSourceOptions,
  type MakeArtifactOptions,
} from '../artifact/make-artifact.js';
import { hostedFields, memoryOf } from './hosted-fields.js';
import { placeOf } from './load-module.js';
import { withHost } from './write-sources.js';

/** Something that a module exports and `filigree compile` takes. */
export interface Compilable {
  readonly name: string;
  /** Whether it is a traced program, to which a level of arithmetic applies. */
  readonly traced: boolean;
  readonly compile: (options: CompilableOptions) => Promise<Compiled>;
  /** The bytes of a file that pages can load. */
  readonly artifact: (options: MakeArtifactOptions) => Promise<Uint8Array>;
}

export interface CompilableOptions {
  /** The backend of the command line, and whether that names one: otherwise a program's own goes first. */
  readonly backend: Backend;
  readonly named: boolean;
  readonly extensions: readonly Extension[];
  readonly dtype: 'f32' | 'f64';
  readonly arithmetic?: Arithmetic | undefined;
  readonly threads: number;
  readonly cache?: false;
  /** Whether the sources are to run by themselves, with a host beside them. */
  readonly hosted: boolean;
  readonly onProgress: (stage: Stage) => void;
}

/** What became of it: its kernels with the tasks of each, all in the same sources. */
export interface Compiled {
  /** The name of its backend. */
  readonly backend: string;
  readonly kernels: readonly { readonly name: string; readonly tasks: number }[];
  readonly sources: Sources;
  /** The file of its compiled code, where the backend keeps one. */
  readonly artifact?: string | undefined;
  readonly ms: Readonly<Record<Stage, number>>;
  readonly warnings: Diagnostics;
}

/**
 * The programs among the exports of a module: `{ inputs, run, scope? }` for numeric functions, `{ layout, kernels }` for
 * kernels on fields, `{ formula, shapes? }` for those on tensors. Errors: `compile/export`, `compile/no-program`.
 *
 * @param text the module's text, to find the places of functions in
 */
export const compilablesOf = (
  module: Readonly<Record<string, unknown>>,
  path: string,
  text: string,
  only: string | undefined,
): readonly Compilable[] => {
  const exported = exportsOf(module);
  if (only !== undefined && !Object.hasOwn(exported, only))
    fail('compile/export', `'${path}' exports nothing called '${only}'`, {
      remedy: `it exports ${Object.keys(exported).join(', ') || 'nothing'}`,
    });
  const found = Object.entries(exported).flatMap(([name, x]) =>
    only !== undefined && name !== only
      ? []
      : isNumeric(x)
        ? [numericProgram(name, x, path, text)]
        : isFieldProgram(x)
          ? [fieldProgram(name, x, path)]
          : isFormula(x)
            ? [tensorProgram(name, x)]
            : [],
  );
  if (found.length > 0) return found;
  const kernel = Object.entries(exported).find(([name, x]) => (only ?? name) === name && isKernel(x))?.[0];
  return fail(
    'compile/no-program',
    kernel !== undefined
      ? `'${kernel}' of '${path}' is a kernel, whose fields have no layout`
      : only === undefined
        ? `'${path}' exports no program`
        : `'${only}' of '${path}' is no program`,
    {
      remedy:
        kernel !== undefined
          ? `export const sim = { layout: layout(…), kernels: { ${kernel} } }`
          : 'export const square = { inputs: { x: 100 }, run: ({ x }) => ({ y: x.map((v) => v * v) }) }, or { layout, kernels }, or { formula, shapes }',
    },
  );
};

/* Of a CommonJS module node names some exports only; all are members of its default export. */
const exportsOf = (module: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { default: whole } = module;
  return isRecord(whole) && ![isNumeric, isFieldProgram, isFormula, isKernel].some((is) => is(whole))
    ? { ...whole, ...module }
    : module;
};

/** A numeric function, with what it refers to and whether its operators are to be rewritten. */
interface NumericExport {
  readonly inputs: Readonly<Record<string, InputShape>>;
  readonly run: Program['run'];
  readonly scope?: Readonly<Record<string, unknown>>;
  readonly rewrite?: boolean;
  readonly backend?: Own;
}

/** The backend that a program says it is for. */
type Own = string | Backend | undefined;

const backendFor = async (own: Own, { backend, named, extensions }: CompilableOptions): Promise<Backend> =>
  named || own === undefined ? backend : resolveBackend(own, extensions);

const numericProgram = (
  name: string,
  { inputs, run, scope, rewrite, backend: own }: NumericExport,
  path: string,
  text: string,
): Compilable => {
  const at = placeOf(run, path, text);
  if (!at) standsIn(run, resolve(path));
  const given = { ...(scope && { scope }), ...(at && { at }) };
  return {
    name,
    traced: true,
    artifact: (options) =>
      makeTraced(name, { inputs, run }, { ...given, ...(rewrite === false && { rewrite }) }, options),
    compile: async (options) => {
      const { dtype, arithmetic, threads, cache, hosted, onProgress } = options;
      const backend = await backendFor(own, options);
      const common = {
        backend,
        dtype,
        threads,
        onProgress,
        ...(cache === false ? { cache } : {}),
        ...(arithmetic ? { arithmetic } : {}),
        ...given,
      };
      const built = await builtProgram({ inputs, run }, { ...common, ...(rewrite === false && { rewrite }) }).catch(
        (e: unknown) => {
          throw at && e instanceof DiagnosticError ? new DiagnosticError(placedAt(at, e.diagnostics)) : e;
        },
      );
      const { sources, stats, warnings, dispose } = compiledProgram(built);
      const written = hosted ? await withHost(sources, () => built.instance) : sources;
      dispose();
      return {
        backend: backend.name,
        kernels: [{ name, tasks: stats.launches }],
        sources: written,
        artifact: stats.artifact,
        ms: stats.ms,
        warnings: at ? placedAt(at, warnings) : warnings,
      };
    },
  };
};

/* What is said about the program as a whole stands where its function begins. */
const placedAt = (loc: Loc, all: Diagnostics): Diagnostics =>
  all.map((d) => (d.loc || !/^(program|trace)\//.test(d.code) ? d : { ...d, loc }));

type FieldExport = Pick<FieldProgramOptions, 'layout' | 'kernels' | 'budget' | 'backend' | 'extensions' | 'fields'>;

const fieldProgram = (
  name: string,
  { layout, kernels, budget, backend: own, ...given }: FieldExport,
  path: string,
): Compilable => {
  for (const { fn } of Object.values(kernels).flat()) standsIn(fn, resolve(path));
  return {
    name,
    traced: false,
    artifact: ({ extensions, ...options }) =>
      makeArtifact(
        name,
        { layout, kernels, ...(budget === undefined ? {} : { budget }), ...given },
        { ...options, extensions: [...(given.extensions ?? []), ...extensions] },
      ),
    compile: async (options) => {
      const { threads, cache, hosted, onProgress } = options;
      const extensions = [...(given.extensions ?? []), ...options.extensions];
      const backend = await backendFor(own, { ...options, extensions });
      const start = performance.now();
      onProgress('compile');
      const made = await program({
        layout,
        kernels,
        backend,
        extensions,
        threads,
        ...(budget === undefined ? {} : { budget }),
        ...(cache === false ? { cache } : {}),
      });
      const { instance, warnings, dispose } = made;
      const all = performance.now() - start;
      const sources = hosted
        ? await withHost(instance.sources, () => ({ module: memoryOf(made), fields: hostedFields(made, given.fields) }))
        : instance.sources;
      dispose();
      const { emit, compile, load } = instance.ms;
      const tasks = tasksOf(instance.module);
      return {
        backend: backend.name,
        kernels: [...tasks].map(([kernel, count]) => ({ name: `${name}.${kernel}`, tasks: count })),
        sources,
        artifact: instance.artifact.path,
        ms: { trace: 0, analyse: all - emit - compile - load, generate: emit, compile: compile + load },
        warnings,
      };
    },
  };
};

type FormulaExport = EinsumSourceOptions & { readonly backend?: Own };

const tensorProgram = (name: string, { backend: own, ...source }: FormulaExport): Compilable => ({
  name,
  traced: false,
  artifact: (options) => makeEinsum(name, source, options),
  compile: async (options) => {
    const { dtype, threads, cache, hosted, extensions, onProgress } = options;
    const backend = await backendFor(own, options);
    const { formula, ...facts } = source;
    onProgress('compile');
    const { built, planMs } = await builtEinsum(formula, {
      dtype,
      ...facts,
      backend,
      extensions,
      threads,
      ...(cache === false ? { cache } : {}),
    });
    const { instance, module, lowerMs, warnings } = built;
    const sources = hosted ? await withHost(instance.sources, () => ({ module })) : instance.sources;
    instance.dispose();
    const { emit, compile, load } = instance.ms;
    return {
      backend: backend.name,
      kernels: [{ name, tasks: [...tasksOf(instance.module).values()].reduce((sum, n) => sum + n, 0) }],
      sources,
      artifact: instance.artifact.path,
      ms: { trace: 0, analyse: planMs + lowerMs, generate: emit, compile: compile + load },
      warnings,
    };
  },
});

/* As `offload` would split them: parallel loops, and the serial code between them. */
const tasksOf = (module: Module): ReadonlyMap<string, number> => {
  const split = offload().run(module);
  const tasks = new Map(module.kernels.map((k) => [k.name, 0]));
  for (const { name, attrs } of E.isRight(split) ? split.right.kernels : module.kernels) {
    const origin = typeof attrs.origin === 'string' ? attrs.origin : name;
    tasks.set(origin, (tasks.get(origin) ?? 0) + 1);
  }
  return tasks;
};

const isRecord = (x: unknown): x is Readonly<Record<string, unknown>> => typeof x === 'object' && x !== null;

const isNumeric = (x: unknown): x is NumericExport => isRecord(x) && typeof x.run === 'function' && isRecord(x.inputs);

const isFieldProgram = (x: unknown): x is FieldExport => isRecord(x) && isRecord(x.layout) && isRecord(x.kernels);

const isFormula = (x: unknown): x is FormulaExport => isRecord(x) && typeof x.formula === 'string';

const isKernel = (x: unknown): boolean => isRecord(x) && x.is === 'kernel';
