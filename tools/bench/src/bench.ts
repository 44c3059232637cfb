import { parseArgs } from 'node:util';
import { fail } from '@filigree/ir';
import { measureBandwidth } from './bandwidth.js';
import { benchCase, CASE_NAMES, type BenchCase, type Contestants } from './cases.js';
import { fromHere, misused, statusOf } from './command.js';
import { describeMachine } from './machine.js';
import { measure, speedup, type Contender, type Timing } from './measure.js';
import type { DType } from './native/baseline.js';
import { markdownTable, ms, writeBenchmarkPage, type BenchmarkPage, type Table } from './table.js';

/** Adds contenders to a case, for instance Filigree's compiled kernels. */
export type Provider = (c: BenchCase) => Contestants | Promise<Contestants>;

/** The timings of one case, and what was left out. */
export interface CaseResult {
  readonly case: BenchCase;
  readonly timings: readonly Timing[];
  /** The contender that the others are compared with. */
  readonly baseline: Timing;
  readonly contenders: readonly Contender[];
  readonly skipped: Contestants['skipped'];
}

export interface RunOptions {
  readonly rounds?: number;
  readonly minMs?: number;
  readonly plain?: boolean;
  readonly providers?: readonly Provider[];
  readonly onRound?: (round: number, rounds: number) => void;
}

/** Measures a case: its native baselines and all that the providers add, side by side in this process. */
export const runCase = async (c: BenchCase, options: RunOptions = {}): Promise<CaseResult> => {
  const groups: Contestants[] = [c.baselines({ plain: options.plain ?? false })];
  try {
    for (const provider of options.providers ?? []) groups.push(await provider(c));
    const contenders = groups.flatMap((g) => g.contenders);
    const skipped = groups.flatMap((g) => g.skipped);
    if (contenders.length === 0)
      fail('bench/nothing-to-measure', `${c.name}: ${skipped.map((s) => `${s.name}: ${s.reason}`).join('; ')}`, {
        remedy: 'install a C++ compiler and Eigen, or measure the plain program with --plain',
      });
    const { rounds, minMs, onRound } = options;
    const timings = measure(contenders, {
      tolerance: c.tolerance,
      ...(rounds === undefined ? {} : { rounds }),
      ...(minMs === undefined ? {} : { minMs }),
      ...(onRound ? { onRound } : {}),
    });
    const baseline = timings.find((t) => t.name === 'eigen') ?? timings[0];
    return { case: c, timings, baseline, contenders, skipped };
  } finally {
    groups.forEach((g) => g.close());
  }
};

/**
 * The table of a measured case. Where a contender knows the bytes it moves, the last column tells its time over the time
 * that these bytes take at the bandwidth measured for a working set of that size.
 */
export const resultTable = (result: CaseResult): Table => {
  const bounds = result.contenders.map((c) =>
    c.bytesMoved ? c.bytesMoved / (measureBandwidth({ bytes: c.bytesMoved }).triad * 1e6) : undefined,
  );
  const withBounds = bounds.some((b) => b !== undefined);
  return {
    head: [
      'contender',
      'ms',
      'quartiles',
      `times faster than ${result.baseline.name}`,
      '95 % interval',
      'max. rel. error',
      ...(withBounds ? ['ms ÷ bandwidth bound'] : []),
    ],
    rows: result.timings.map((t, i) => {
      const { ratio, low, high } = speedup(result.baseline, t);
      const bound = bounds[i];
      return [
        t.name,
        ms(t.median),
        `${ms(t.quartiles[0])} – ${ms(t.quartiles[1])}`,
        t === result.baseline ? '1' : ratio.toPrecision(3),
        t === result.baseline ? '' : `${low.toPrecision(3)} – ${high.toPrecision(3)}`,
        t.maxRelError.toExponential(1),
        ...(withBounds ? [bound === undefined ? '' : (t.median / bound).toFixed(2)] : []),
      ];
    }),
  };
};

/**
 * The command `npm run bench -- NAME…`: measures cases (all of them with `all`), prints their tables, and writes one page with
 * `--out`, or with `pages` a page a case in docs/benchmarks.
 * Returns the exit status: 0 done, 1 a diagnostic, 2 bad usage.
 */
export const benchMain = async (
  argv: readonly string[],
  providers: readonly Provider[] = [],
  settings: { readonly pages?: boolean } = {},
): Promise<number> => {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (e) {
    return misused(`${e instanceof Error ? e.message : String(e)}\n${USAGE}`);
  }
  const { values, positionals } = parsed;
  if (values.list) {
    console.log(CASE_NAMES.join('\n'));
    return 0;
  }
  const names = positionals.includes('all') ? CASE_NAMES : positionals;
  const dtype = values.dtype ?? 'f64';
  const numbers = [values.n, values.rounds, values.seed].map((v) => (v === undefined ? undefined : Number(v)));
  if (names.length === 0 || !isDType(dtype) || numbers.some((v) => v !== undefined && !(v > 0))) return misused(USAGE);
  const [n, rounds, seed] = numbers;
  return statusOf(async () => {
    const sections: BenchmarkPage['sections'][number][] = [];
    for (const name of names) {
      const c = benchCase(name, {
        dtype,
        ...(n === undefined ? {} : { n }),
        ...(seed === undefined ? {} : { seed }),
        ...(values.mesh === undefined ? {} : { mesh: values.mesh }),
      });
      process.stderr.write(`${c.title}\n`);
      const result = await runCase(c, {
        ...(rounds === undefined ? {} : { rounds }),
        plain: values.plain ?? false,
        providers,
        onRound: progress,
      });
      const notes = [
        ...result.contenders.flatMap((x) => (x.note === undefined ? [] : [x.note])),
        ...result.skipped.map((s) => `${s.name} was not measured: ${s.reason}`),
      ];
      const table = resultTable(result);
      sections.push({ title: c.title, table, notes });
      console.log(`\n${c.title}\n\n${markdownTable(table)}\n${notes.join('\n')}`);
    }
    const pages =
      values.out !== undefined
        ? [{ name: names.join(', '), file: values.out, sections }]
        : settings.pages
          ? sections.map((s, k) => ({ name: names[k], file: pageOf(names[k], dtype), sections: [s] }))
          : [];
    if (pages.length > 0) {
      const [machine, bandwidth] = [describeMachine(), measureBandwidth()];
      const command = `npm run bench -- ${argv.join(' ')}`;
      for (const { name, file, sections } of pages)
        writeBenchmarkPage(fromHere(file), {
          title: `Benchmark: ${name}`,
          command,
          machine,
          bandwidth,
          intro: INTRO,
          sections,
        });
    }
    return 0;
  });
};

const OPTIONS = {
  list: { type: 'boolean' },
  dtype: { type: 'string' },
  n: { type: 'string' },
  mesh: { type: 'string' },
  rounds: { type: 'string' },
  seed: { type: 'string' },
  plain: { type: 'boolean' },
  out: { type: 'string' },
} as const;

const USAGE = `usage: npm run bench -- NAME… [--dtype f32|f64] [--n ROWS] [--mesh FILE] [--rounds N] [--seed N] [--plain] [--out docs/benchmarks/PAGE.md]
       npm run bench -- --list
NAME: ${CASE_NAMES.join(', ')}, all`;

const INTRO =
  'One thread. All contenders of a table ran in one process, one sample of each a round, in rotating order; times are medians. ' +
  'Before it was timed each result was compared with plain TypeScript in f64 (largest difference over largest value).';

const pageOf = (name: string, dtype: DType): string =>
  `docs/benchmarks/${name}${dtype === 'f64' ? '' : `-${dtype}`}.md`;

const isDType = (s: string): s is DType => s === 'f32' || s === 'f64';

const progress = (round: number, rounds: number): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r  round ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
};
