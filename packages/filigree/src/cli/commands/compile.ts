import { join } from 'node:path';
import { DiagnosticError, fail, type Loc } from '@filigree/ir';
import type { Sources } from '@filigree/backend';
import type { Command } from 'commander';
import type { InputShape, Program } from '@filigree/specialize';
import { withCommonOptions, type CommonOptions } from '../common-options.js';
import type { Stage } from '../../api/build.js';
import type { Session } from '../session.js';
import { labelled, msText } from '../text.js';

/** What a module may export: a program, with the scope of its function and whether to rewrite it. */
interface ExportedProgram {
  readonly inputs: Readonly<Record<string, InputShape>>;
  readonly run: Program['run'];
  readonly scope?: Readonly<Record<string, unknown>>;
  readonly rewrite?: boolean;
}

/** `filigree compile MODULE.ts [--export NAME]` */
export const compileCommand = (program: Command, session: Session): void => {
  withCommonOptions(program.command('compile'))
    .description(
      'compiles the programs { inputs, run, scope? } that a module exports to sources and a loadable artifact',
    )
    .argument('<module>', 'a JavaScript or TypeScript module')
    .option('--export <name>', 'only this export')
    .action(async (path: string, options: CommonOptions & { export?: string }) => {
      const [{ compile }, { loadModule, placeOf }, { readBytes }, { backendOf }, { writeSources }] = await Promise.all([
        import('../../api/compile.js'),
        import('../load-module.js'),
        import('../../files/bytes.js'),
        import('../backend-of.js'),
        import('../write-sources.js'),
      ]);
      const backend = await backendOf(options.backend, session.progress);
      const programs = programsOf(await loadModule(path), path, options.export);
      const text = new TextDecoder().decode(await readBytes(path));
      session.knowText(path, text);
      const compiled: { name: string; tasks: number; sources: Sources }[] = [];
      const ms = { trace: 0, analyse: 0, generate: 0, compile: 0 };
      for (const [i, [name, { inputs, run, scope, rewrite }]] of programs.entries()) {
        await session.progress.at(i / programs.length, `compiling ${name}`);
        const at = placeOf(run, path, text);
        const common = {
          backend,
          dtype: options.dtype,
          threads: options.threads,
          ...(options.cache ? {} : { cache: false as const }),
          ...(scope ? { scope } : {}),
          ...(at ? { at } : {}),
          onProgress: (stage: Stage) => {
            if (stage === 'compile') session.progress.listen();
          },
        };
        const { sources, stats, warnings, dispose } = await (
          rewrite === false
            ? compile({ inputs, run }, { ...common, rewrite: false })
            : compile({ inputs, run: run as never }, common)
        ).catch((e: unknown) => {
          throw at ? placedAt(at, e) : e;
        });
        dispose();
        session.warn(warnings);
        compiled.push({ name, tasks: stats.launches, sources });
        for (const stage of ['trace', 'analyse', 'generate', 'compile'] as const) ms[stage] += stats.ms[stage];
      }
      const kernels: { name: string; tasks: number; sources: readonly string[] }[] = [];
      for (const { name, tasks, sources } of compiled) {
        const { emit } = options;
        const files = emit === undefined ? sources.files.map((f) => f.name) : writeSources(join(emit, name), sources);
        kernels.push({ name, tasks, sources: await files });
      }
      session.answer({ kernels, ms, backend: backend.name, dtype: options.dtype }, () =>
        labelled([
          ...kernels.map((k) => [k.name, `${k.tasks} kernels: ${k.sources.join(', ')}`] as const),
          [
            'built in',
            Object.entries(ms)
              .map(([stage, t]) => `${stage} ${msText(t)}`)
              .join(', '),
          ],
        ]),
      );
    });
};

/* What is said about the program as a whole stands where its function begins. */
const placedAt = (loc: Loc, e: unknown): unknown =>
  e instanceof DiagnosticError
    ? new DiagnosticError(e.diagnostics.map((d) => (d.loc || !/^(program|trace)\//.test(d.code) ? d : { ...d, loc })))
    : e;

const programsOf = (
  module: Readonly<Record<string, unknown>>,
  path: string,
  only: string | undefined,
): readonly (readonly [string, ExportedProgram])[] => {
  if (only !== undefined && !Object.hasOwn(module, only))
    fail('compile/export', `'${path}' exports nothing called '${only}'`, {
      remedy: `it exports ${Object.keys(module).join(', ') || 'nothing'}`,
    });
  const found = Object.entries(module).flatMap(([name, x]) =>
    (only === undefined || name === only) && isProgram(x) ? [[name, x] as const] : [],
  );
  if (found.length > 0) return found;
  return fail(
    'compile/no-program',
    only === undefined ? `'${path}' exports no program` : `'${only}' of '${path}' is no program`,
    {
      remedy: 'export const kernel = { inputs: { x: 100 }, run: ({ x }) => ({ y: x.map((v) => v * v) }) }',
    },
  );
};

const isProgram = (x: unknown): x is ExportedProgram =>
  typeof x === 'object' &&
  x !== null &&
  'run' in x &&
  typeof x.run === 'function' &&
  'inputs' in x &&
  typeof x.inputs === 'object' &&
  x.inputs !== null;
