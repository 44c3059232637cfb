import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  type Backend,
  type Sources,
  checkKernels,
  findToolchain,
  gnuVectorOps,
  instructionSet,
  scalarizeVectors,
  splitVectors,
} from '@filigree/backend';
import {
  type Dialect,
  type Module,
  DiagnosticError,
  attempt,
  coreDialects,
  formatDiagnostic,
  pass,
  pipeline,
  verifyModule,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { vectorize } from '@filigree/opt';
import { compileAhead, compileSources } from './compile/compile.js';
import { cppDialect } from './emit/dialect.js';
import { emitModule } from './emit/emit-module.js';
import { kernelTexts } from './emit/kernel-texts.js';
import { loadArtifact } from './load/load.js';
import { type CppPlugin, requirePlugins, withPlugins } from './plugin/plugin.js';

/** How the C++ backend writes modules. */
export interface CppOptions {
  /** Check every index at run time: an index out of bounds is then a diagnostic and no memory is touched. Default false. */
  readonly checked?: boolean;
  /** The dialects that modules may use, for verification; default `coreDialects`. Further ops need spellings too. */
  readonly dialects?: readonly Dialect[];
  /** Whether `legalize` verifies modules first; false for those that are known to be well-formed. Default true. */
  readonly verify?: boolean;
  /**
   * Bytes of the vectors that kernels are written with, for modules that have vectors; default those of `instructionSet`, at
   * most 32: longer ones gain nothing on the whole (docs/decisions/cpp-flags.md).
   */
  readonly vectorBytes?: number;
  /** Libraries that write ops of other dialects, such as `libxsmm()`. */
  readonly plugins?: readonly CppPlugin[];
  /** How ops are written; default `cppDialect`. */
  readonly language?: typeof cppDialect;
}

/**
 * The C++ backend. `emit` writes readable C++ without headers; `compile` runs the system's compiler; `load` opens the
 * library in this process, its buffers views into one block of memory. Throws `DiagnosticError` `toolchain/target` where
 * `$FILIGREE_TARGET` names no instruction set of this processor.
 */
export const cpp = (given?: CppOptions): Backend => {
  const options = checkOptions('cpp', given, cppSpec);
  const { dialects = coreDialects, verify = true, checked = false, plugins = [] } = options;
  const language = withPlugins(options.language ?? cppDialect, plugins);
  const texts = kernelTexts(language, { checked });
  const set = instructionSet();
  const { vectorBytes = Math.min(32, set.vectorBytes) } = options;
  /* Indices are checked one by one. */
  const lanes = checked
    ? scalarizeVectors
    : pipeline([
        vectorize({ dialects, bytes: vectorBytes, gathers: true }),
        splitVectors({ bytes: vectorBytes, ops: gnuVectorOps }),
      ]);
  /* What was legalised is emitted next. */
  const checkedModules = new WeakSet<Module>();
  const check = (module: Module): void => {
    if (checkedModules.has(module)) return;
    stopOnErrors(checkKernels(module, language));
    checkedModules.add(module);
  };
  return {
    name: 'cpp',
    capabilities: {
      types: ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'],
      threads: true,
      atomics: ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'],
      vectorBytes,
      fma: set.fma,
    },
    legalize: pass('cpp-legalize', (module: Module) => {
      if (verify) stopOnErrors(verifyModule(module, dialects));
      const result = lanes.run(module);
      if (E.isLeft(result)) throw new DiagnosticError(result.left);
      check(result.right);
      return result.right;
    }),
    emit: pass<Module, Sources>('cpp-emit', (module) => {
      check(module);
      return emitModule(module, language, texts, plugins);
    }),
    probe: async () => {
      const found = await findToolchain()();
      return E.isRight(found)
        ? { name: 'cpp', usable: true, reason: '', toolchain: found.right.version }
        : { name: 'cpp', usable: false, reason: found.left.map((d) => formatDiagnostic(d)).join('\n'), toolchain: '' };
    },
    compile: (sources, compileOptions = {}) =>
      sources.link === undefined
        ? compileSources(sources, compileOptions)
        : pipe(
            attempt(() => requirePlugins(plugins, compileOptions)),
            TE.chain(() => compileSources(sources, compileOptions)),
          ),
    ahead: compileAhead,
    load: loadArtifact,
  };
};

const cppSpec: OptionSpec<CppOptions> = {
  checked: option.truth,
  dialects: option.array('a list of dialects'),
  verify: option.truth,
  vectorBytes: option.choice(16, 32, 64),
  plugins: option.list(option.object('a plugin such as libxsmm()', 'name', 'spellings')),
  language: option.object('how ops are written, as cppDialect is', 'spellings'),
};

const stopOnErrors = (diagnostics: ConstructorParameters<typeof DiagnosticError>[0]): void => {
  const errors = diagnostics.filter((d) => d.severity === 'error');
  if (errors.length > 0) throw new DiagnosticError(errors);
};
