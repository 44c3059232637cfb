import { cpus } from 'node:os';
import { runChild, type ChildOutcome } from './run-child.js';
import { TABLE_CASES, tableCase, type TableCase } from './table-cases.js';
import { ms, type BenchmarkPage } from './table.js';

/** The columns of the ablation table (paper Table 2), and what each still leaves switched off. */
export const ABLATION_COLUMNS: readonly { readonly name: string; readonly off: readonly string[] }[] = (() => {
  const steps = [
    { name: 'group', on: [] },
    { name: '+ blocks', on: ['tags', 'blocks'] },
    { name: '+ local', on: ['local'] },
    { name: '+ global', on: ['global'] },
    { name: '+ repetition', on: ['repetition'] },
    { name: '+ simplify', on: ['simplify'] },
    { name: '+ memory', on: ['order', 'coherence', 'narrow'] },
    { name: '+ vectorise', on: ['simd'] },
    { name: '+ threads', on: ['parallel'] },
  ];
  return steps.map(({ name }, k) => ({ name, off: steps.slice(k + 1).flatMap((s) => s.on) }));
})();

export interface TableOptions {
  readonly cases?: readonly TableCase[];
  /** A size for all cases instead of their own. */
  readonly n?: number;
  readonly dtype: 'f32' | 'f64';
  /** Seconds that one measurement may take. */
  readonly seconds: number;
  readonly backend?: string;
  readonly say: (line: string) => void;
}

/** Measures every case with ever more stages switched on; each measurement in a process of its own. */
export const ablationSections = async (options: TableOptions): Promise<BenchmarkPage['sections']> => {
  const threads = cpus().length;
  const rows: { run: string[]; cost: string[] }[] = [];
  for (const name of options.cases ?? TABLE_CASES) {
    const { title } = tableCase(name, options.dtype, options.n);
    const outcomes: ChildOutcome[] = [];
    for (const column of ABLATION_COLUMNS) {
      const outcome = await runChild(
        {
          name,
          dtype: options.dtype,
          ablate: column.off,
          threads: column.off.includes('parallel') ? 1 : threads,
          ...(options.n === undefined ? {} : { n: options.n }),
          ...(options.backend === undefined ? {} : { backend: options.backend }),
        },
        options.seconds,
      );
      options.say(
        `${title}: ${column.name}: ${'failed' in outcome ? outcome.failed : `${runCell(outcome)} ms, ${costCell(outcome)}`}`,
      );
      outcomes.push(outcome);
    }
    rows.push({ run: [title, ...outcomes.map(runCell)], cost: [title, ...outcomes.map(costCell)] });
  }
  const head = ['case', ...ABLATION_COLUMNS.map((c) => c.name)];
  return [
    {
      title: 'Milliseconds a run',
      table: { head, rows: rows.map((r) => r.run) },
      notes: [
        `The last column runs on ${threads} threads, all others on one.`,
        `Every result was checked against the plain program; what is not right is marked. A measurement that took more than ${options.seconds} s, compiling included, was ended.`,
      ],
    },
    { title: 'Kernels, and milliseconds to compile', table: { head, rows: rows.map((r) => r.cost) } },
  ];
};

const runCell = (o: ChildOutcome): string =>
  'failed' in o ? o.failed : `${ms(o.result.runMs)}${o.result.passed ? '' : ' (wrong)'}`;

const costCell = (o: ChildOutcome): string => {
  if ('failed' in o) return o.failed;
  const { cost } = o.result;
  const total = cost.ms.trace + cost.ms.analyse + cost.ms.generate + cost.ms.compile + cost.ms.load;
  return `${cost.kernels}, ${total.toFixed(0)} ms`;
};
