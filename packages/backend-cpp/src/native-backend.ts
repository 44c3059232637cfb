import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  type Backend,
  type LoadingBackend,
  type Bank,
  type Origin,
  type Sources,
  checkKernels,
  dialectsOf,
  expandSpellings,
  hasBearing,
  scalarizeVectorsOver,
  withExtensions,
  isStill,
} from '@filigree/backend';
import { diskBank, findToolchain, instructionSet } from '@filigree/backend/native';
import {
  type Buffer,
  type Extension,
  type Kernel,
  type Module,
  DiagnosticError,
  attempt,
  formatDiagnostic,
  pass,
  pipeline,
  verifyModule,
  checkOptions,
  option,
  type OptionSpec,
  orThrow,
} from '@filigree/ir';
import { compileAhead, compileSources } from './compile/compile.js';
import { compilerOf, keyOf } from './compile/run-compiler.js';
import { emitModule } from './emit/emit-module.js';
import { onLanes } from './emit/on-lanes.js';
import { kernelTexts } from './emit/kernel-texts.js';
import { hostSharing, loadArtifact, loadArtifactNow } from './load/load.js';
import type { NativeLanguage } from './native-language.js';
import { type CppPlugin, requirePlugins, withPlugins } from './plugin/plugin.js';

/** How modules are written. */
export interface NativeOptions {
  /** Check every index at run time: an index out of bounds is then a diagnostic and no memory is touched. Default false. */
  readonly checked?: boolean;
  /** Those whose ops modules may have, beside the core ones, and how they are written. */
  readonly extensions?: readonly Extension[];
  /** Whether `legalize` verifies modules first; false for those that are known to be well-formed. Default true. */
  readonly verify?: boolean;
  /**
   * Bytes of the vectors that kernels are written with, for modules that have vectors; default those of `instructionSet`, at
   * most 32: longer ones gain nothing on the whole (docs/decisions/cpp-flags.md).
   */
  readonly vectorBytes?: number;
  /** Libraries that write ops of other dialects, such as `libxsmm()`. */
  readonly plugins?: readonly CppPlugin[];
}

/** A backend for this machine, which can be made again with more. */
export interface NativeBackend extends LoadingBackend {
  /** The same backend with further extensions and plugins, and vectors of that many bytes. */
  readonly with: (more: Pick<NativeOptions, 'extensions' | 'plugins' | 'vectorBytes'>) => NativeBackend;
}

/** Whether a backend is one that `nativeBackend` made. */
export const isNative = (backend: Backend): backend is NativeBackend => 'with' in backend;

/**
 * A backend for this machine in a language of the C family. `emit` writes readable text without headers; `compile` runs the
 * system's compiler; `load` opens the library in this process, its buffers views into one block of memory. Throws
 * `DiagnosticError` `toolchain/target` where `$FILIGREE_TARGET` names no instruction set of this processor.
 *
 * @param again how another thread makes it, but for the options
 */
export const nativeBackend = (
  language: NativeLanguage,
  given?: NativeOptions,
  again?: Pick<Origin, 'from' | 'near' | 'make'>,
): NativeBackend => {
  const options = checkOptions(language.name, given, nativeSpec);
  const { name } = language;
  const { extensions = [], verify = true, checked = false, plugins = [] } = options;
  const dialects = dialectsOf(extensions);
  const dialect = withPlugins(withExtensions(language.dialect, extensions), plugins);
  const written: NativeLanguage = { ...language, dialect };
  const expand = expandSpellings(extensions, (op) => dialect.spellings[op] !== undefined);
  const texts = kernelTexts(dialect, { checked });
  const set = instructionSet();
  const { vectorBytes = Math.min(32, set.vectorBytes) } = options;
  /* Indices are checked one by one. */
  const lanes = pipeline(checked ? [scalarizeVectorsOver(dialects)] : onLanes(vectorBytes, dialects));
  /* What was legalised is emitted next. */
  const checkedModules = new WeakSet<Module>();
  /* With the buffers that it was verified with. */
  const legal = new WeakMap<Kernel, readonly Buffer[]>();
  const check = (module: Module): void => {
    if (checkedModules.has(module)) return;
    stopOnErrors(checkKernels(module, dialect, extensions));
    checkedModules.add(module);
  };
  const backend: NativeBackend = {
    name,
    capabilities: {
      types: ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'],
      threads: true,
      background: true,
      atomics: ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'],
      vectorBytes,
      fma: set.fma,
      gathers: set.gathers,
      laneFunctions: process.platform === 'linux' && process.arch === 'x64',
      /* Whoever says how long vectors are means all of them. */
      vectors: {
        vectorBytes: (options.vectorBytes ?? set.vectorBytes) as 16 | 32 | 64,
        registers: set.registers,
        masks: set.masks,
        instructionCache: set.instructionCache,
      },
    },
    with: (more) =>
      nativeBackend(
        language,
        {
          ...options,
          ...more,
          extensions: [...extensions, ...(more.extensions ?? [])],
          plugins: [...plugins, ...(more.plugins ?? [])],
        },
        again,
      ),
    forVectors: (bytes) => nativeBackend(language, { ...options, vectorBytes: bytes }, again),
    legalize: pass(`${name}-legalize`, (module: Module, watch) => {
      const there = new Set(module.buffers);
      const isKnown = (k: Kernel): boolean => legal.get(k)?.every((b) => there.has(b)) === true;
      if (verify) stopOnErrors(verifyModule(module, dialects, isKnown));
      /* Kernels that were made legal one by one stay as they are, and so does the text that was compiled ahead. */
      const result = module.kernels.every((k) => legal.has(k))
        ? module
        : orThrow(pipeline([expand, lanes]).run(module, watch));
      check(result);
      for (const k of result.kernels) legal.set(k, result.buffers);
      return result;
    }),
    emit: pass<Module, Sources>(`${name}-emit`, (module) => {
      check(module);
      return emitModule(module, written, texts, plugins);
    }),
    probe: async () => {
      const found = await findToolchain({ language: language.language })();
      return E.isRight(found)
        ? { name, usable: true, reason: '', toolchain: found.right.version }
        : {
            name,
            usable: false,
            reason: found.left.map((d) => formatDiagnostic(d)).join('\n'),
            toolchain: '',
            ...(found.left.some((d) => d.code === 'toolchain/unusable') && { asked: true }),
          };
    },
    compile: (sources, compileOptions = {}) =>
      sources.link === undefined
        ? compileSources(written, sources, compileOptions)
        : pipe(
            attempt(() => requirePlugins(written, plugins, compileOptions)),
            TE.chain(() => compileSources(written, sources, compileOptions)),
          ),
    ahead: (sources, compileOptions) => compileAhead(written, sources, compileOptions),
    sharing: hostSharing,
    load: loadArtifact,
    loadNow: loadArtifactNow,
  };
  /* What extensions and plugins do is code, which no key can hold and no thread can give another. */
  if (extensions.some(hasBearing) || plugins.length > 0) return backend;
  const serves = isStill(backend);
  const bank = bankOf(serves, language, { checked, vectorBytes, verify }, set);
  const { extensions: _, plugins: __, ...data } = options;
  return { ...backend, bank, ...(again && { origin: { ...again, options: data, serves } }) };
};

/** Keeps what modules were lowered to by the backend, while it legalises, writes, compiles and loads as it was made to. */
const bankOf = (
  serves: (backend: Backend) => boolean,
  language: NativeLanguage,
  options: NativeOptions,
  set: object,
): Bank =>
  diskBank({
    file: 'kernels.so',
    serves,
    identity: async (compiling) => [
      JSON.stringify([options, set]),
      keyOf(await compilerOf(language, compiling), language.name, '', []),
    ],
    artifact: (path) => ({ backend: language.name, path }),
  });

/** What the options of a backend for this machine take. */
export const nativeSpec: OptionSpec<NativeOptions> = {
  checked: option.truth,
  extensions: option.array('a list of extensions'),
  verify: option.truth,
  vectorBytes: option.choice(16, 32, 64),
  plugins: option.list(option.object('a plugin such as libxsmm()', 'name', 'spellings')),
};

const stopOnErrors = (diagnostics: ConstructorParameters<typeof DiagnosticError>[0]): void => {
  const errors = diagnostics.filter((d) => d.severity === 'error');
  if (errors.length > 0) throw new DiagnosticError(errors);
};
