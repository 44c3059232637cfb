import type { Command } from 'commander';
import { arithmeticOption, withCommonOptions } from '../common-options.js';
import type { CompileModuleOptions, CompileSummary } from '../compile-module.js';
import type { Session } from '../session.js';
import { labelled, msText } from '../text.js';

/** `filigree compile MODULE.ts [--export NAME]` */
export const compileCommand = (program: Command, session: Session): void => {
  withCommonOptions(program.command('compile'))
    .description(
      'compiles the programs { inputs, run, scope? } and { layout, kernels } and the formulas { formula, shapes? } that a module exports to sources and a loadable artifact',
    )
    .argument('<module>', 'a JavaScript or TypeScript module')
    .option('--export <name>', 'only this export')
    .option('--artifact <dir>', 'also write each program as a file that pages load without a compiler')
    .addOption(arithmeticOption())
    .action(async (path: string, options: CompileModuleOptions) => {
      const { compileModule } = await import('../compile-module.js');
      const summary = await compileModule(path, options, session);
      session.answer(summary, () => summaryText(summary));
    });
};

/** A summary for people. */
const summaryText = ({ kernels, ms, artifacts }: CompileSummary): string =>
  labelled([
    ...kernels.map((k) => [k.name, `${k.tasks} tasks on ${k.backend}: ${k.sources.join(', ')}`] as const),
    ...[...new Set(kernels.flatMap(({ artifact }) => artifact ?? []))].map((file) => ['compiled code', file] as const),
    ...artifacts.map((file) => ['artifact', file] as const),
    [
      'built in',
      Object.entries(ms)
        .map(([stage, t]) => `${stage} ${msText(t)}`)
        .join(', '),
    ],
  ]);
