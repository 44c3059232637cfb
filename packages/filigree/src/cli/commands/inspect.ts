import type { Diagnostic } from '@filigree/ir';
import type { Command } from 'commander';
import { withCommonOptions } from '../common-options.js';
import type { EinsumRunOptions } from '../einsum/einsum-options.js';
import type { ExpressionRunOptions } from '../expr/expression-run.js';
import type { RegionsOptions } from '../regions/regions-run.js';
import type { Session } from '../session.js';
import type { TraceRunOptions } from '../trace/trace-run.js';
import { withTensorOptions } from './einsum.js';
import { withExpressionOptions } from './expr.js';
import { withRegionsOptions } from './regions.js';
import { argumentsOf } from './run.js';
import { withTraceOptions } from './trace.js';

/** `filigree inspect WHAT --out report.html` */
export const inspectCommand = (program: Command, session: Session): void => {
  const command = [withTraceOptions, withTensorOptions, withRegionsOptions, withExpressionOptions, withCommonOptions]
    .reduceRight((c, add) => add(c), program.command('inspect'))
    .description(
      'writes a self-contained report: sparsity, pieces, expression graph or plan, regions, kernels, sources, timings',
    )
    .argument(
      '<what>',
      'a matrix file, a module that exports programs, an expression with its --bind, a formula of `einsum` or a program of `regions` with their options, or a gallery example',
    )
    .argument('[key=value...]', 'arguments of the example')
    .requiredOption('--out <file>', 'the HTML file to write');
  command.action(async (what: string, given: readonly string[], options: InspectOptions) => {
    const { writeOut } = await import('../write-sources.js');
    const report = (await isAffineProgram(what))
      ? await ofRegions(what, options, session)
      : isModule(what)
        ? await ofModule(what, options, session)
        : (await isFile(what, options))
          ? await ofMatrix(what, options, session)
          : isExample(what, options)
            ? await ofExample(what, argumentsOf(command, given), options, session)
            : isFormula(what)
              ? await ofFormula(what, options, session)
              : await ofExpression(what, options, session);
    await writeOut(options.out, report.html);
    session.answer(
      { out: options.out, bytes: Buffer.byteLength(report.html), ...report.summary },
      () => `${options.out}\n`,
      report.wrong,
    );
  });
};

type InspectOptions = ExpressionRunOptions &
  TraceRunOptions &
  EinsumRunOptions &
  RegionsOptions & { readonly out: string };

const isFile = async (what: string, { bind }: ExpressionRunOptions): Promise<boolean> => {
  if (bind !== undefined) return false;
  if (/\.(mtx|[rcpi][suhzr][ae]|rb|hb)(\.gz)?$/i.test(what)) return true;
  const { stat } = await import('node:fs/promises');
  return stat(what).then(
    (s) => s.isFile(),
    () => false,
  );
};

/* No expression has the name of a program as one of its matrices alone. */
const isAffineProgram = async (what: string): Promise<boolean> =>
  what.endsWith('.fil') || (await import('@filigree/sparse/equations')).builtinPrograms.some((p) => p.name === what);

const isModule = (what: string): boolean => /\.[cm]?[jt]s$/.test(what);

/* A name alone, with nothing bound to it, can only be an example. */
const isExample = (what: string, { bind }: InspectOptions): boolean =>
  bind === undefined && /^[a-z][a-z0-9-]*$/i.test(what);

/* Only tensors have indices in brackets, and only formulas assign. */
const isFormula = (what: string): boolean => /\[[^\]]*\][^=]*=/.test(what);

interface Report {
  readonly html: string;
  readonly summary: object;
  readonly wrong: Diagnostic | undefined;
}

const ofExpression = async (what: string, options: ExpressionRunOptions, session: Session): Promise<Report> => {
  const [{ runExpression, wrongResult }, { expressionReport }] = await Promise.all([
    import('../expr/expression-run.js'),
    import('../../report/expression-report.js'),
  ]);
  const run = await runExpression(what, options, session);
  try {
    return { html: expressionReport(run), summary: run.summary, wrong: wrongResult(run.summary) };
  } finally {
    run.built.instance.dispose();
  }
};

const ofMatrix = async (file: string, options: InspectOptions, session: Session): Promise<Report> => {
  const [{ runTrace }, { wrongSpmv }, { traceReport }] = await Promise.all([
    import('../trace/trace-run.js'),
    import('../trace/spmv-bench.js'),
    import('../../report/trace-report.js'),
  ]);
  const run = await runTrace(file, options, session);
  const { spmv } = run.summary;
  return { html: traceReport(run), summary: run.summary, wrong: spmv && wrongSpmv(spmv) };
};

const ofFormula = async (what: string, options: InspectOptions, session: Session): Promise<Report> => {
  const [{ runEinsum, wrongEinsum }, { einsumReport }] = await Promise.all([
    import('../einsum/einsum-run.js'),
    import('../../report/einsum-report.js'),
  ]);
  const run = await runEinsum(what, options, session);
  try {
    return { html: einsumReport(run), summary: run.summary, wrong: wrongEinsum(run.summary) };
  } finally {
    run.program.dispose();
  }
};

const ofRegions = async (what: string, options: InspectOptions, session: Session): Promise<Report> => {
  const [{ runRegions, wrongRegions }, { regionsReport }] = await Promise.all([
    import('../regions/regions-run.js'),
    import('../../report/regions-report.js'),
  ]);
  const run = await runRegions(what, options, session);
  return { html: regionsReport(run), summary: run.summary, wrong: wrongRegions(run.summary) };
};

const ofModule = async (path: string, options: InspectOptions, session: Session): Promise<Report> => {
  const [{ compileModule }, { CompileRecord }, { moduleReport }] = await Promise.all([
    import('../compile-module.js'),
    import('../compile-record.js'),
    import('../../report/module-report.js'),
  ]);
  const record = new CompileRecord();
  const summary = await compileModule(path, { ...options }, session, record);
  return { html: moduleReport(path, summary, record.programs), summary, wrong: undefined };
};

const ofExample = async (
  what: string,
  args: Readonly<Record<string, string>>,
  options: ExpressionRunOptions,
  session: Session,
): Promise<Report> => {
  const [{ runExample, wrongExample }, { exampleReport }, { CompileRecord }] = await Promise.all([
    import('../example-run.js'),
    import('../../report/example-report.js'),
    import('../compile-record.js'),
  ]);
  const record = new CompileRecord();
  const pictures: (readonly [title: string, svg: string])[] = [];
  const summary = await runExample(what, args, options, session, {
    draw: (title, svg) => void pictures.push([title, svg]),
    record,
  });
  return { html: exampleReport(summary, pictures, record.programs), summary, wrong: wrongExample(summary) };
};
