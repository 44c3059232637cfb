import type { Command } from 'commander';
import { withCommonOptions } from '../common-options.js';
import type { ExpressionRunOptions } from '../expression-run.js';
import type { Session } from '../session.js';
import { withExpressionOptions } from './expr.js';

/** `filigree inspect WHAT --out report.html` */
export const inspectCommand = (program: Command, session: Session): void => {
  withExpressionOptions(withCommonOptions(program.command('inspect')))
    .description('writes a self-contained report: sparsity, expression graph, kernels, sources, timings')
    .argument('<what>', 'an expression with its --bind, or a gallery example')
    .argument('[key=value...]', 'arguments of the example')
    .requiredOption('--out <file>', 'the HTML file to write')
    .action(async (what: string, given: readonly string[], options: ExpressionRunOptions & { out: string }) => {
      const { writeOut } = await import('../write-sources.js');
      const report = (await isExample(what, options))
        ? await ofExample(what, given, options, session)
        : await ofExpression(what, options, session);
      await writeOut(options.out, report.html);
      session.answer(
        { out: options.out, bytes: Buffer.byteLength(report.html), ...report.summary },
        () => `${options.out}\n`,
      );
    });
};

/* A name alone, with nothing bound to it, can only be an example. */
const isExample = async (what: string, { bind }: ExpressionRunOptions): Promise<boolean> =>
  bind === undefined && /^[a-z][a-z0-9-]*$/i.test(what);

interface Report {
  readonly html: string;
  readonly summary: object;
}

const ofExpression = async (what: string, options: ExpressionRunOptions, session: Session): Promise<Report> => {
  const [{ runExpression }, { expressionReport }] = await Promise.all([
    import('../expression-run.js'),
    import('../../report/expression-report.js'),
  ]);
  const run = await runExpression(what, options, session);
  try {
    return { html: expressionReport(run), summary: run.summary };
  } finally {
    run.built.instance.dispose();
  }
};

const ofExample = async (
  what: string,
  given: readonly string[],
  options: ExpressionRunOptions,
  session: Session,
): Promise<Report> => {
  const [{ runExample }, { exampleReport }, { keyValue }] = await Promise.all([
    import('../example-run.js'),
    import('../../report/example-report.js'),
    import('../common-options.js'),
  ]);
  const args = given.reduce<Readonly<Record<string, string>>>((all, text) => keyValue(text, all), {});
  const summary = await runExample(what, args, options, session);
  return { html: exampleReport(summary), summary };
};
