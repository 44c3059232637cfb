import { geometricMean } from '../measure.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { barChartSvg, linesOfCode, NATIVE_FIELDS, type DType } from '@filigree/e2e';
import { runProcess, type Outcome } from '../run-child.js';
import { ms, ratioCell, type BenchmarkPage } from '../table.js';
import { APPLICATIONS, type ApplicationName } from './applications.js';
import type { FieldsJob } from './fields-child.js';
import { TABLE_PARTS, VECTOR_PARTS, type ApplicationResult, type Configuration } from './measure-application.js';
import { slowestFirstCompile, type FirstCompile } from './first-compile.js';
import type { MicroResult } from './micro.js';

export interface FieldTableOptions {
  readonly applications?: readonly ApplicationName[];
  /** A size for all applications instead of their own. */
  readonly size?: number;
  readonly dtype: DType;
  readonly threads: number;
  readonly backend?: string;
  /** Parts of the optimiser to measure, several at once as `a+b`; `TABLE_PARTS` unless given. */
  readonly parts?: readonly string[];
  /** Samples of each contender, and the least time of one in milliseconds. */
  readonly rounds?: number;
  readonly minMs?: number;
  /** Cells of the small measurements; none are made with 0. */
  readonly cells?: number;
  /** Seconds that one application may take. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** What the applications of sparse fields are worth: tables for a page, and a chart of them as SVG. */
export interface FieldTables {
  readonly sections: BenchmarkPage['sections'];
  readonly chart: string;
}

/** Measures the applications and the small kernels, each application in a process of its own. */
export const fieldTables = async (options: FieldTableOptions): Promise<FieldTables> => {
  const { seconds, say, cells, applications = APPLICATIONS } = options;
  const { dtype, threads, size, backend, parts, rounds, minMs } = options;
  const shared = { ...(backend !== undefined && { backend }), ...(rounds !== undefined && { rounds }) };
  const outcomes: (readonly [ApplicationName, Outcome<ApplicationResult>])[] = [];
  for (const name of applications) {
    const job: FieldsJob = {
      measure: 'application',
      name,
      dtype,
      threads,
      ...shared,
      ...(size !== undefined && { size }),
      ...(parts !== undefined && { parts }),
      ...(minMs !== undefined && { minMs }),
    };
    const outcome = await inChild<ApplicationResult>(job, seconds, say);
    say('failed' in outcome ? `${name}: ${outcome.failed}` : summaryLine(outcome.result));
    outcomes.push([name, outcome]);
  }
  const results = outcomes.flatMap(([, o]) => ('failed' in o ? [] : [o.result]));
  const micro =
    cells === 0
      ? []
      : [
          microSection(
            await inChild<readonly MicroResult[]>(
              { measure: 'micro', ...shared, ...(cells !== undefined && { cells }) },
              seconds,
              say,
            ),
            await slowestFirstCompile(
              applications,
              { dtype, ...(size !== undefined && { size }), ...(backend !== undefined && { backend }) },
              (job) => inChild<FirstCompile>({ measure: 'first-compile', ...job }, seconds, say),
            ),
          ),
        ];
  return {
    sections: [besideByHand(outcomes), partsOff(results, parts ?? TABLE_PARTS), ...micro],
    chart: chartOf(results),
  };
};

const inChild = async <R>(job: FieldsJob, seconds: number, say: (line: string) => void): Promise<Outcome<R>> => {
  const outcome = await runProcess<{ readonly result: R }>('fields/fields-child', job, seconds, say);
  return 'failed' in outcome ? outcome : outcome.result;
};

const besideByHand = (
  outcomes: readonly (readonly [ApplicationName, Outcome<ApplicationResult>])[],
): BenchmarkPage['sections'][number] => {
  const results = outcomes.flatMap(([, o]) => ('failed' in o ? [] : [o.result]));
  const coherent = results.filter((r) => r.coherent).map((r) => r.off.slower?.ratio);
  return {
    title: 'Beside C++ by hand',
    table: {
      head: ['application', 'ms', 'C++ ms', 'C++ ÷ ours', 'lines', 'C++ lines', 'off ÷ on', 'compile ms'],
      rows: outcomes.map(([name, o]) => {
        if ('failed' in o) return [name, o.failed];
        const { on, off, byHand } = o.result;
        const [mine, theirs] = linesOf(name);
        return [
          name,
          time(on),
          time(byHand),
          slowerCell(byHand),
          String(mine),
          `${theirs} (${(theirs / mine).toFixed(1)}×)`,
          slowerCell(off),
          on.compileMs === undefined ? '–' : on.compileMs.toFixed(0),
        ];
      }),
    },
    notes: [
      ...results.map((r) => `${r.name}: ${r.title}`),
      `Geometric mean of optimiser off ÷ on${coherent.length === results.length ? '' : ' over the coherent cases'}: ${meanRatio(coherent)}`,
      ...results.flatMap((r) => {
        const scalar = r.without[VECTOR_PARTS]?.slower;
        return scalar ? [`${r.name}, scalar ÷ vectorised (without ${VECTOR_PARTS}): ${scalar.ratio.toFixed(2)}×`] : [];
      }),
      'Compiling is the whole way from the kernels to the loaded program in a new process, nothing from the cache; with everything off it is often the C++ compiler that takes longest.',
      'Lines: without comments and empty lines, at most 80 columns wide. Counted is a part of a program that can be made, filled, run and read from outside. ' +
        'Of ours it is the module with the layout, the kernels and what drives them, imports and the choice of layouts and types included: making, filling and reading ' +
        'it are functions of the library, as is the iteration of conjugate gradients; which blocks of mgpcg are active is said in four lines that are not counted. Of the C++ it is the whole file: besides these the allocation of blocks, copies in and out, ' +
        'and the functions by which it is called.',
      'A ratio is the median of ratios of the same round, in brackets its 95 % interval.',
    ],
  };
};

/** A row for each part of the optimiser: how much slower a run is without it. */
const partsOff = (
  results: readonly ApplicationResult[],
  parts: readonly string[],
): BenchmarkPage['sections'][number] => {
  const row = (
    label: string,
    of: (r: ApplicationResult) => Configuration | undefined,
    cell = timeAndRatio,
  ): string[] => [
    label,
    ...results.map((r) => {
      const c = of(r);
      return c === undefined ? '–' : cell(c);
    }),
  ];
  return {
    title: 'Milliseconds a run, with parts of the optimiser switched off',
    table: {
      head: ['', ...results.map((r) => r.name)],
      rows: [
        row('everything on', (r) => r.on, time),
        ...parts.map((p) => row(`without ${p}`, (r) => r.without[p])),
        row('everything off', (r) => r.off),
        row('C++ by hand', (r) => r.byHand),
      ],
    },
    notes: [
      'In brackets: times the time with everything on. Every answer was compared with that of the C++ by hand before it was timed; what is wrong or does not compile has its fault in the place of a time.',
      "The C++ compiler's own optimisations stay on throughout.",
    ],
  };
};

const microSection = (
  outcome: Outcome<readonly MicroResult[]>,
  firstCompile: MicroResult | string,
): BenchmarkPage['sections'][number] => {
  const results = [...('failed' in outcome ? [outcome.failed] : outcome.result), firstCompile];
  return {
    title: 'Small measurements',
    table: {
      head: ['', 'measured', 'goal'],
      rows: results.map((r) =>
        typeof r === 'string' ? ['', r, ''] : [r.what, `${ms(r.value)} ${r.unit}`, r.goal ?? ''],
      ),
    },
    notes: [
      'Rates of kernels are those of a core. Cells are activated again after all were given back.',
      'A first compile is the whole way from one kernel to the loaded program, nothing from the cache. Each kernel of the applications was compiled so; the row is the one that takes longest, the median of three processes.',
    ],
  };
};

const chartOf = (results: readonly ApplicationResult[]): string => {
  const bar = (label: string, c: Configuration, strong = false) =>
    typeof c.ms === 'number' ? [{ label, value: c.ms, text: `${ms(c.ms)} ms`, strong }] : [];
  return barChartSvg({
    title: 'Applications of sparse fields: optimiser on and off, C++ by hand',
    unit: 'ms',
    scale: 'log',
    bars: results.flatMap((r) => [
      ...bar(`${r.name}: on`, r.on, true),
      ...bar('off', r.off),
      ...bar('C++ by hand', r.byHand),
    ]),
  });
};

/** Lines of our kernels and of the C++ by hand. */
const linesOf = (name: ApplicationName): readonly [number, number] => {
  const ours = fileURLToPath(new URL(`../../../../e2e/src/fields/${name}/kernels.ts`, import.meta.url));
  const [a, b] = [ours, join(NATIVE_FIELDS, `${name}.cpp`)].map((file) => linesOfCode(readFileSync(file, 'utf8')));
  return [a, b];
};

const meanRatio = (ratios: readonly (number | undefined)[]): string => {
  const known = ratios.filter((r) => r !== undefined);
  return known.length < ratios.length || known.length === 0
    ? 'not all were measured'
    : `${geometricMean(known).toFixed(2)}×`;
};

const summaryLine = ({ name, on, off, byHand }: ApplicationResult): string =>
  `${name}: on ${time(on)} ms, off ${time(off)} ms, C++ by hand ${time(byHand)} ms`;

const time = (c: Configuration): string => (typeof c.ms === 'number' ? ms(c.ms) : c.ms);

const timeAndRatio = (c: Configuration): string =>
  typeof c.ms === 'number' && c.slower ? `${ms(c.ms)} (${c.slower.ratio.toFixed(2)}×)` : time(c);

const slowerCell = ({ slower }: Configuration): string => (slower ? ratioCell(slower) : '–');
