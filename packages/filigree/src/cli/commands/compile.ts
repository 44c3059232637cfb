import { join } from 'node:path';
import { fail } from '@filigree/ir';
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
      const [{ compile }, { loadModule }, { backendOf }, { writeSources }] = await Promise.all([
        import('../../api/compile.js'),
        import('../load-module.js'),
        import('../backend-of.js'),
        import('../write-sources.js'),
      ]);
      const backend = await backendOf(options.backend);
      const programs = programsOf(await loadModule(path), path, options.export);
      const kernels: { name: string; tasks: number; sources: readonly string[] }[] = [];
      const ms = { trace: 0, analyse: 0, generate: 0, compile: 0 };
      for (const [i, [name, { inputs, run, scope, rewrite }]] of programs.entries()) {
        await session.progress.at(i / programs.length, `compiling ${name}`);
        const common = {
          backend,
          dtype: options.dtype,
          threads: options.threads,
          ...(options.cache ? {} : { cache: false as const }),
          ...(scope ? { scope } : {}),
          onProgress: (stage: Stage) => {
            if (stage === 'compile') session.progress.listen();
          },
        };
        const compiled = await (rewrite === false
          ? compile({ inputs, run }, { ...common, rewrite: false })
          : compile({ inputs, run: run as never }, common));
        const { sources, stats } = compiled;
        compiled.dispose();
        kernels.push({
          name,
          tasks: stats.launches,
          sources:
            options.emit === undefined
              ? sources.files.map((f) => f.name)
              : await writeSources(join(options.emit, name), sources),
        });
        for (const stage of ['trace', 'analyse', 'generate', 'compile'] as const) ms[stage] += stats.ms[stage];
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
