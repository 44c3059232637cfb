import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  type Backend,
  type Sources,
  checkKernels,
  findToolchain,
  gnuVectorOps,
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
  /** Bytes of the vectors that kernels are written with, for modules that have vectors; default 32 on x64, else 16. */
  readonly vectorBytes?: number;
  /** Libraries that write ops of other dialects, such as `libxsmm()`. */
  readonly plugins?: readonly CppPlugin[];
  /** How ops are written; default `cppDialect`. */
  readonly language?: typeof cppDialect;
}

/**
 * The C++ backend. `emit` writes readable C++ without headers; `compile` runs the system's compiler; `load` opens the
 * library in this process, its buffers views into one block of memory.
 */
export const cpp = (options: CppOptions = {}): Backend => {
  const { dialects = coreDialects, verify = true, checked = false, plugins = [] } = options;
  const language = withPlugins(options.language ?? cppDialect, plugins);
  const texts = kernelTexts(language, { checked });
  const { vectorBytes = process.arch === 'x64' ? 32 : 16 } = options;
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
      fma: true,
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

const stopOnErrors = (diagnostics: ConstructorParameters<typeof DiagnosticError>[0]): void => {
  const errors = diagnostics.filter((d) => d.severity === 'error');
  if (errors.length > 0) throw new DiagnosticError(errors);
};
