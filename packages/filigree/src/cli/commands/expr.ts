import { Option, type Command } from 'commander';
import {
  ABLATION_NAMES,
  ablateOption,
  arithmeticOption,
  complexOption,
  keyValue,
  withCommonOptions,
} from '../common-options.js';
import type { ExpressionRunOptions, ExpressionSummary } from '../expr/expression-run.js';
import type { Session } from '../session.js';
import { bytesText, countText, labelled, msText } from '../text.js';

/** `filigree expr 'L*M*L''+K' --bind L=l.mtx …` */
export const exprCommand = (program: Command, session: Session): void => {
  withExpressionOptions(withCommonOptions(program.command('expr')))
    .description('compiles a sparse algebra expression for exactly these patterns, runs it, checks it')
    .option('--out <file>', 'write the result as a Matrix Market file; --values is file then, if not said otherwise')
    .argument('<expression>', "matrices and numbers under + - * ' ^k and parentheses; after -- when it begins with -")
    .action(async (expression: string, given: ExpressionRunOptions, command: Command) => {
      /* Who keeps the result means that of these matrices. */
      const ofFiles = given.out !== undefined && command.getOptionValueSource('values') === 'default';
      const options: ExpressionRunOptions = ofFiles ? { ...given, values: 'file' } : given;
      const [{ runExpression, wrongResult }, { writeResult }] = await Promise.all([
        import('../expr/expression-run.js'),
        import('../expr/write-expression.js'),
      ]);
      const { built, result, summary } = await runExpression(expression, options, session);
      try {
        const { out } = options;
        if (out !== undefined) await writeResult(out, result);
        const written = out === undefined ? {} : { out };
        session.answer({ ...summary, ...written }, () => summaryText(summary, out), wrongResult(summary));
      } finally {
        built.instance.dispose();
      }
    });
};

/** The options of commands that run an expression. */
export const withExpressionOptions = (command: Command): Command =>
  command
    .option(
      '--bind <name=file>',
      'a matrix file (.mtx, .mtx.gz, Harwell-Boeing) or a number for a name; once per name',
      keyValue,
    )
    .option('--bench', 'time thoroughly, beside baselines')
    .addOption(ablateOption(ABLATION_NAMES))
    .addOption(new Option('--values <from>', 'values of the matrices').choices(['random', 'file']).default('random'))
    .addOption(complexOption())
    .addOption(arithmeticOption());

/** A summary for people. */
export const summaryText = (s: ExpressionSummary, out?: string): string =>
  labelled([
    ['expression', s.expression],
    ...Object.entries(s.matrices).map(
      ([name, m]) => [name, `${m.rows} × ${m.cols}, ${countText(m.nnz)} entries`] as const,
    ),
    ['result', `${s.rows} × ${s.cols}, ${countText(s.nnzOut)} entries`],
    ['compiled', `${countText(s.nodes)} nodes, ${s.kernels} kernels, ${bytesText(s.indexBytes)} of index tables`],
    [
      'built in',
      `${msText(s.ms.trace)} trace + ${msText(s.ms.analyse)} analyse + ${msText(s.ms.generate)} generate + ${msText(s.ms.compile)} compile${s.cached ? ' (cached)' : ''}`,
    ],
    [
      'run',
      `${msText(s.ms.run)} on ${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}, ${s.arithmetic} arithmetic`,
    ],
    ...Object.entries(s.baselines).map(
      ([name, ms]) => [name, `${msText(ms)}, ${(ms / s.ms.run).toPrecision(3)} times the run`] as const,
    ),
    ...Object.entries(s.skipped).map(([name, why]) => [name, `not measured: ${why}`] as const),
    ...(out === undefined ? [] : [['written', out] as const]),
    ['memory', `${s.peakRssMB.toFixed(0)} MB at most`],
    [
      'check',
      `${s.check.passed ? 'passed' : 'FAILED'}, largest relative error ${s.check.maxRelError?.toExponential(1) ?? 'not finite'}`,
    ],
  ]);
