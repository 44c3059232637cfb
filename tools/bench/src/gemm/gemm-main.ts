import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DiagnosticError } from '@filigree/ir';
import { describeMachine } from '../machine.js';
import { type Table, benchmarkPage, writeBenchmarkPage } from '../table.js';
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
  let values;
  try {
    ({ values } = parseArgs({ args: [...argv], options: OPTIONS }));
  } catch {
    console.error(USAGE);
    return 2;
  }
  const [rounds, seconds] = [Number(values.rounds ?? 21), Number(values.seconds ?? 0.0005)];
  const types = (['f64', 'f32'] as const).filter((t) => values.dtype === undefined || values.dtype === t);
  if (!(rounds >= 1) || !(seconds > 0) || types.length === 0) {
    console.error(USAGE);
    return 2;
  }
  try {
    const sections = [];
    for (const type of types) {
      const measured = await measureGemm(type, rounds, seconds);
      sections.push({ title: type, table: tableOf(measured.results), notes: notesOf(measured) });
    }
    const page = {
      title: 'Products of small matrices: micro-kernels beside LIBXSMM',
      command: `npm run bench:gemm${argv.length > 0 ? ` -- ${argv.join(' ')}` : ''}`,
      machine: describeMachine(),
      intro: INTRO,
      sections,
    };
    writeBenchmarkPage(join(process.env.INIT_CWD ?? process.cwd(), values.out ?? 'docs/benchmarks/gemm.md'), page);
    console.log(benchmarkPage(page));
    return 0;
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    console.error(e.message);
    return 1;
  }
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
  const ratios = results.flatMap((r) => (r.library ? [r.library.ratio] : []));
  const peak = Math.max(...results.map((r) => r.peak));
  const shares = results.map((r) => r.ours / r.peak);
  return [
    `Peak of one core, measured: ${gigaflops(peak)} GF/s. Ours is ${(100 * mean(shares)).toFixed(0)} % of it in the geometric mean.`,
    ratios.length > 0
      ? `Ours ÷ LIBXSMM: geometric mean ${mean(ratios).toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}, most ${Math.max(...ratios).toFixed(2)}; over plain loops ${mean(results.map((r) => r.plainRatio)).toFixed(2)}.`
      : `LIBXSMM was not measured: ${missing ?? 'it is missing'}.`,
    `The compiler took ${(compileMs / 1000).toFixed(1)} s for all ${results.length} kernels, plain loops and harness.`,
  ];
};

const gigaflops = (rate: number): string => (rate / 1e9).toFixed(1);

const mean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

process.exitCode = await main(process.argv.slice(2));
