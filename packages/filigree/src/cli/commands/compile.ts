import { join } from 'node:path';
import type { Command } from 'commander';
import { fail, type Arithmetic } from '@filigree/ir';
import type { Stage } from '../../api/build.js';
import { arithmeticOption, withCommonOptions, type CommonOptions } from '../common-options.js';
import type { Compiled } from '../compilables.js';
import type { Session } from '../session.js';
import { labelled, msText } from '../text.js';

/** `filigree compile MODULE.ts [--export NAME]` */
export const compileCommand = (program: Command, session: Session): void => {
  withCommonOptions(program.command('compile'))
    .description(
      'compiles the programs { inputs, run, scope? } and { layout, kernels } that a module exports to sources and a loadable artifact',
    )
    .argument('<module>', 'a JavaScript or TypeScript module')
    .option('--export <name>', 'only this export')
    .option('--artifact <dir>', 'also write each program of fields as a file that pages load without a compiler')
    .addOption(arithmeticOption())
    .action(
      async (
        path: string,
        options: CommonOptions & { export?: string; artifact?: string; arithmetic?: Arithmetic },
      ) => {
        const [
          { compilablesOf },
          { loadModule },
          { readBytes },
          { chosenBackend },
          { writeSources },
          { writeArtifacts },
        ] = await Promise.all([
          import('../compilables.js'),
          import('../load-module.js'),
          import('../../files/bytes.js'),
          import('../backend-of.js'),
          import('../write-sources.js'),
          import('../write-artifacts.js'),
        ]);
        const { backend, extensions } = await chosenBackend(options, session);
        const text = new TextDecoder().decode(await readBytes(path));
        const module = await loadModule(path);
        session.knowText(path, text);
        const programs = compilablesOf(module, path, text, options.export);
        if (options.arithmetic !== undefined && !programs.some((p) => p.traced))
          fail('compile/arithmetic', `'${path}' has no traced program, to which --arithmetic applies`, {
            remedy: 'leave out --arithmetic',
          });
        const without = options.artifact === undefined ? undefined : programs.find((p) => !p.artifact);
        if (without)
          fail('compile/artifact', `'${without.name}' of '${path}' is a traced program, which makes no artifact`, {
            remedy: 'name a program of fields: --export NAME',
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
          const files =
            emit === undefined ? sources.files.map((f) => f.name) : await writeSources(join(emit, name), sources);
          kernels.push(
            ...made.map((k) => ({ ...k, backend, sources: files, ...(artifact === undefined ? {} : { artifact }) })),
          );
        }
        const artifacts =
          options.artifact === undefined
            ? []
            : await writeArtifacts(options.artifact, path, programs, { threads: options.threads, extensions });
        const ms = Object.fromEntries(
          STAGES.map((stage) => [stage, compiled.reduce((sum, c) => sum + c.ms[stage], 0)]),
        ) as Record<Stage, number>;
        session.answer({ kernels, ms, backend: backend.name, dtype: options.dtype, artifacts }, () =>
          labelled([
            ...kernels.map((k) => [k.name, `${k.tasks} tasks on ${k.backend}: ${k.sources.join(', ')}`] as const),
            ...codeFiles(kernels).map((file) => ['compiled code', file] as const),
            ...artifacts.map((file) => ['artifact', file] as const),
            [
              'built in',
              Object.entries(ms)
                .map(([stage, t]) => `${stage} ${msText(t)}`)
                .join(', '),
            ],
          ]),
        );
      },
    );
};

interface CompiledKernel {
  readonly name: string;
  readonly tasks: number;
  readonly backend: string;
  readonly sources: readonly string[];
  /** The file of its compiled code, where the backend keeps one. */
  readonly artifact?: string;
}

const codeFiles = (kernels: readonly CompiledKernel[]): readonly string[] => [
  ...new Set(kernels.flatMap(({ artifact }) => artifact ?? [])),
];

const STAGES: readonly Stage[] = ['trace', 'analyse', 'generate', 'compile'];
