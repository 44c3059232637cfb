import { Option, type Command } from 'commander';
import { wholeNumber, withCommonOptions } from '../common-options.js';
import type { Session } from '../session.js';
import { countText, labelled, msText } from '../text.js';
import type { TraceRunOptions, TraceSummary } from '../trace/trace-run.js';

/** `filigree trace FILE [--max-dims D] [--max-pieces P] [--order row|best] [--bench]` */
export const traceCommand = (program: Command, session: Session): void => {
  withTraceOptions(withCommonOptions(program.command('trace')))
    .description(
      'rebuilds the non-zeros of a matrix file as affine pieces: loops that visit them without a list of indices',
    )
    .argument('<file>', 'Matrix Market or Harwell-Boeing, packed by gzip or not')
    .option('--bench', 'compile and time products with a vector, beside compressed rows')
    .action(async (file: string, options: TraceRunOptions) => {
      const [{ runTrace }, { wrongSpmv }] = await Promise.all([
        import('../trace/trace-run.js'),
        import('../trace/spmv-bench.js'),
      ]);
      const { summary } = await runTrace(file, options, session);
      session.answer(summary, () => traceText(summary), summary.spmv && wrongSpmv(summary.spmv));
    });
};

/** The options of commands that rebuild a matrix. */
export const withTraceOptions = (command: Command): Command =>
  command
    .option('--max-dims <d>', 'most loops of a piece', wholeNumber(0), 8)
    .option('--max-pieces <p>', 'stop after so many pieces (default: none)', wholeNumber(0))
    .addOption(
      new Option('--order <order>', 'visit row after row, or in the order of the fewest pieces')
        .choices(['row', 'best'])
        .default('row'),
    );

/** A summary for people. */
const traceText = (s: TraceSummary): string =>
  labelled([
    ['matrix', `${s.rows} × ${s.cols}, ${countText(s.nnz)} non-zeros (${s.field} ${s.symmetry})`],
    [
      'pieces',
      `${countText(s.pieces)} of ${countText(s.shapes)} shapes and at most ${s.maxDims} loops, in ${s.order} order`,
    ],
    [
      'cover',
      s.exact
        ? 'exact'
        : `${countText(s.covered)} of ${countText(s.nnz)} non-zeros: more pieces than --max-pieces would be needed`,
    ],
    ['rebuilt in', `${msText(s.ms.reconstruct)}, ${msText(s.msPerPiece)} a piece`],
    ...(s.spmv === undefined ? [] : spmvRows(s, s.spmv)),
  ]);

const spmvRows = (s: TraceSummary, m: NonNullable<TraceSummary['spmv']>): (readonly [string, string])[] => [
  [
    'chosen kernel',
    `${msText(m.chosenMs)} on ${s.backend}, ${s.dtype}, ${s.threads} thread${s.threads === 1 ? '' : 's'}; ${KINDS[m.chosen]}`,
  ],
  ['compressed rows', `${msText(m.csrMs)}, ${m.speedup.toPrecision(3)} times the chosen kernel; ${m.baseline}`],
  ...(m.csrTunedMs === null || m.speedupTuned === null
    ? []
    : [['with vectors', `${msText(m.csrTunedMs)}, ${m.speedupTuned.toPrecision(3)} times`] as const]),
  ...(m.mklMs === null ? [] : [['MKL', msText(m.mklMs)] as const]),
  ...(m.affineMs === null ? [] : [['pieces alone', msText(m.affineMs)] as const]),
  ['from memory', coldText(m.coldMs)],
  ...Object.entries(m.skipped).map(([name, why]) => [name, `not measured: ${why}`] as const),
  [
    'check',
    `${m.check.passed ? 'passed' : 'FAILED'}, largest relative error ${m.check.maxRelError?.toExponential(1) ?? 'not finite'}`,
  ],
];

/** Times of a call with empty caches, by the names of the rows above. */
const coldText = (ms: Readonly<Record<string, number>>): string =>
  Object.entries(ROWS)
    .flatMap(([key, name]) => (ms[key] === undefined ? [] : [`${name} ${msText(ms[key])}`]))
    .join(', ');

const ROWS = {
  chosen: 'chosen',
  csr: 'compressed rows',
  csrTuned: 'with vectors',
  mkl: 'MKL',
  affine: 'pieces alone',
} as const;

const KINDS = {
  affine: 'no index table',
  mixed: 'fewer indices than compressed rows',
  csr: 'as many indices as compressed rows',
} as const;
