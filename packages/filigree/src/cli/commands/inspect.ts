import type { Diagnostic } from '@filigree/ir';
import type { Command } from 'commander';
import { withCommonOptions } from '../common-options.js';
import type { ExpressionRunOptions } from '../expression-run.js';
import type { Session } from '../session.js';
import { withExpressionOptions } from './expr.js';
import { argumentsOf } from './run.js';

/** `filigree inspect WHAT --out report.html` */
export const inspectCommand = (program: Command, session: Session): void => {
  const command = withExpressionOptions(withCommonOptions(program.command('inspect')))
    .description('writes a self-contained report: sparsity, expression graph, kernels, sources, timings')
    .argument('<what>', 'an expression with its --bind, or a gallery example')
    .argument('[key=value...]', 'arguments of the example')
    .requiredOption('--out <file>', 'the HTML file to write');
  command.action(async (what: string, given: readonly string[], options: ExpressionRunOptions & { out: string }) => {
    const { writeOut } = await import('../write-sources.js');
    const report = isExample(what, options)
      ? await ofExample(what, argumentsOf(command, given), options, session)
      : await ofExpression(what, options, session);
    await writeOut(options.out, report.html);
    session.answer(
      { out: options.out, bytes: Buffer.byteLength(report.html), ...report.summary },
      () => `${options.out}\n`,
      report.wrong,
    );
  });
};

/* A name alone, with nothing bound to it, can only be an example. */
const isExample = (what: string, { bind }: ExpressionRunOptions): boolean =>
  bind === undefined && /^[a-z][a-z0-9-]*$/i.test(what);

interface Report {
  readonly html: string;
  readonly summary: object;
  readonly wrong: Diagnostic | undefined;
}

const ofExpression = async (what: string, options: ExpressionRunOptions, session: Session): Promise<Report> => {
  const [{ runExpression, wrongResult }, { expressionReport }, { writeSources }] = await Promise.all([
    import('../expression-run.js'),
    import('../../report/expression-report.js'),
    import('../write-sources.js'),
  ]);
  const run = await runExpression(what, options, session);
  try {
    if (options.emit !== undefined) await writeSources(options.emit, run.built.instance.sources);
    return { html: expressionReport(run), summary: run.summary, wrong: wrongResult(run.summary) };
  } finally {
    run.built.instance.dispose();
  }
};

const ofExample = async (
  what: string,
  args: Readonly<Record<string, string>>,
  options: ExpressionRunOptions,
  session: Session,
): Promise<Report> => {
  const [{ runExample, wrongExample }, { exampleReport }] = await Promise.all([
    import('../example-run.js'),
    import('../../report/example-report.js'),
  ]);
  const summary = await runExample(what, args, options, session);
  return { html: exampleReport(summary), summary, wrong: wrongExample(summary) };
};
