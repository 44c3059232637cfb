import { join } from 'node:path';
import { fail, type Arithmetic, type Watch } from '@filigree/ir';
import type { Stage } from '../api/build.js';
import { readBytes } from '../files/bytes.js';
import { chosenBackend } from './backend-of.js';
import type { CommonOptions } from './common-options.js';
import { compilablesOf, type Compiled } from './compilables.js';
import { loadModule } from './load-module.js';
import type { Session } from './session.js';
import { writeArtifacts } from './write-artifacts.js';
import { writeSources } from './write-sources.js';

export interface CompileModuleOptions extends CommonOptions {
  readonly export?: string;
  readonly artifact?: string;
  readonly arithmetic?: Arithmetic;
}

/** What `filigree compile` answers. */
export interface CompileSummary {
  readonly kernels: readonly CompiledKernel[];
  readonly ms: Readonly<Record<Stage, number>>;
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  /** The files that pages load. */
  readonly artifacts: readonly string[];
}

export interface CompiledKernel {
  readonly name: string;
  readonly tasks: number;
  readonly backend: string;
  readonly sources: readonly string[];
  /** The file of its compiled code, where the backend keeps one. */
  readonly artifact?: string;
}

/**
 * Compiles the programs that a module exports, and writes what options ask for. Throws `DiagnosticError`.
 *
 * @param watch looks at all passes; then nothing is taken as it was lowered before
 */
export const compileModule = async (
  path: string,
  options: CompileModuleOptions,
  session: Session,
  watch?: Watch,
): Promise<CompileSummary> => {
  const { backend, extensions } = await chosenBackend(options, session, watch);
  const text = new TextDecoder().decode(await readBytes(path));
  const module = await loadModule(path);
  session.knowText(path, text);
  const programs = compilablesOf(module, path, text, options.export);
  if (options.arithmetic !== undefined && !programs.some((p) => p.traced))
    fail('compile/arithmetic', `'${path}' has no traced program, to which --arithmetic applies`, {
      remedy: 'leave out --arithmetic',
    });
  const compiled: (Compiled & { readonly name: string })[] = [];
  for (const [i, { name, compile }] of programs.entries()) {
    await session.progress.at(i / programs.length, `compiling ${name}`);
    const done = await compile({
      backend,
      named: options.backend !== undefined,
      extensions,
      dtype: options.dtype,
      arithmetic: options.arithmetic,
      threads: options.threads,
      hosted: options.emit !== undefined,
      ...(options.cache ? {} : { cache: false as const }),
      onProgress: (stage) => {
        if (stage === 'compile') session.progress.listen();
      },
    });
    session.warn(done.warnings);
    compiled.push({ name, ...done });
  }
  const kernels: CompiledKernel[] = [];
  for (const { name, kernels: made, backend, sources, artifact: kept } of compiled) {
    const artifact = options.cache ? kept : undefined;
    const { emit } = options;
    const files = emit === undefined ? sources.files.map((f) => f.name) : await writeSources(join(emit, name), sources);
    kernels.push(
      ...made.map((k) => ({ ...k, backend, sources: files, ...(artifact === undefined ? {} : { artifact }) })),
    );
  }
  const artifacts =
    options.artifact === undefined
      ? []
      : await writeArtifacts(options.artifact, path, programs, {
          threads: options.threads,
          extensions,
          dtype: options.dtype,
          arithmetic: options.arithmetic,
        });
  const sum = (stage: Stage): number => compiled.reduce((all, c) => all + c.ms[stage], 0);
  const ms = Object.fromEntries(STAGES.map((stage) => [stage, sum(stage)])) as Record<Stage, number>;
  return { kernels, ms, backend: backend.name, dtype: options.dtype, artifacts };
};

const STAGES: readonly Stage[] = ['trace', 'analyse', 'generate', 'compile'];
