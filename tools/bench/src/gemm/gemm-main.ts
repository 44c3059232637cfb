import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { geometricMean } from '../measure.js';
import type { Table } from '../table.js';
import { type GemmResult, type GemmResults, measureGemm } from './measure-gemm.js';

const USAGE = 'usage: npm run bench:gemm -- [--dtype f32|f64] [--rounds 21] [--seconds 0.0005] [--out FILE.md]';

const INTRO = [
  'Products C = A·B (or C += A·B, “added”) of the sizes that kernels of ADER-DG methods have, in GF/s of one core, hot: micro-kernels that `lowerGemm` wrote, LIBXSMM',
  '(code made at run time for each size, called through its pointer), and three plain loops over constant bounds that the compiler optimises. All are called in',
  'the same native loop, one sample of each a round, in rotating order; medians. The answers are checked first. Ratios are medians of ratios within a round. The peak',
  'is measured in the same rounds: independent chains of fused multiply-adds. Rows that are padded count once: “35×9×9 in 36” has the operations of 35 rows, and LIBXSMM',
  'is given 36, as is usual.',
].join(' ');

/** The command `npm run bench:gemm`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const [rounds, seconds] = [Number(values.rounds ?? 21), Number(values.seconds ?? 0.0005)];
  const types = (['f64', 'f32'] as const).filter((t) => values.dtype === undefined || values.dtype === t);
  if (!(rounds >= 1) || !(seconds > 0) || types.length === 0) return misused(USAGE);
  const measured: GemmResults[] = [];
  for (const type of types) measured.push(await measureGemm(type, rounds, seconds));
  const sections = measured.map((m, n) => ({
    title: types[n],
    table: tableOf(m.results),
    notes: [...notesOf(m), ...(n > 0 ? overallNotes(measured) : [])],
  }));
  const page = {
    title: 'Products of small matrices: micro-kernels beside LIBXSMM',
    command: commandLine('bench:gemm', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections,
  };
  publish(fromHere(values.out ?? 'docs/benchmarks/gemm.md'), page);
  return 0;
};

const OPTIONS = {
  dtype: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  out: { type: 'string' },
} as const;

const tableOf = (results: readonly GemmResult[]): Table => ({
  head: ['m×n×k', 'group', 'ours', '% of peak', 'LIBXSMM', 'ours ÷ LIBXSMM', 'plain', 'ours ÷ plain'],
  rows: results.map((r) => [
    r.case.name,
    r.case.group,
    gigaflops(r.ours),
    ((100 * r.ours) / r.peak).toFixed(0),
    r.library ? gigaflops(r.library.rate) : '–',
    r.library ? r.library.ratio.toFixed(2) : '–',
    gigaflops(r.plain),
    r.plainRatio.toFixed(2),
  ]),
});

const notesOf = ({ results, compileMs, missing }: GemmResults): readonly string[] => {
  const ratios = ratiosOf(results);
  const peak = Math.max(...results.map((r) => r.peak));
  const shares = results.map((r) => r.ours / r.peak);
  return [
    `Peak of one core, measured: ${gigaflops(peak)} GF/s. Ours is ${(100 * geometricMean(shares)).toFixed(0)} % of it in the geometric mean.`,
    ratios.length > 0
      ? `Ours ÷ LIBXSMM: geometric mean ${geometricMean(ratios).toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}, most ${Math.max(...ratios).toFixed(2)}; over plain loops ${geometricMean(results.map((r) => r.plainRatio)).toFixed(2)}.`
      : `LIBXSMM was not measured: ${missing ?? 'it is missing'}.`,
    `The compiler took ${(compileMs / 1000).toFixed(1)} s for all ${results.length} kernels, plain loops and harness.`,
  ];
};

/** What the types together come to. */
const overallNotes = (all: readonly GemmResults[]): readonly string[] => {
  const ratios = all.flatMap((m) => ratiosOf(m.results));
  return ratios.length > 0
    ? [`Ours ÷ LIBXSMM, both types together: geometric mean ${geometricMean(ratios).toFixed(2)}.`]
    : [];
};

const ratiosOf = (results: readonly GemmResult[]): readonly number[] =>
  results.flatMap((r) => (r.library ? [r.library.ratio] : []));

const gigaflops = (rate: number): string => (rate / 1e9).toFixed(1);

await runCommand(main, USAGE);
