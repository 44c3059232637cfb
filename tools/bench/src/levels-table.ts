import { compileProblem, type CompiledProblem } from '@filigree/e2e';
import { ARITHMETICS, DEFAULT_ARITHMETIC, type Arithmetic } from '@filigree/ir';
import type { TableOptions } from './ablation-table.js';
import { problemOf } from './filigree.js';
import { geometricMean, measure, speedup } from './measure.js';
import { LEVEL_CASES, tableCase, type TableCase } from './table-cases.js';
import { ms, ratioCell, type BenchmarkPage } from './table.js';

/** What the levels of arithmetic cost: the same program at each, checked, and then timed in turns in one process. */
export const levelSections = async (options: TableOptions): Promise<BenchmarkPage['sections']> => {
  const rows: LevelsRow[] = [];
  for (const name of options.cases ?? LEVEL_CASES) {
    rows.push(await rowOf(name, options));
    options.say(rows[rows.length - 1].cells.join(' | '));
  }
  const others = ARITHMETICS.filter((a) => a !== 'algebraic');
  const mean = (a: Arithmetic): string => geometricMean(rows.map((r) => r.ratios[a])).toFixed(3);
  return [
    {
      table: {
        head: [
          'case',
          ...ARITHMETICS.map((a) => `${a} ms`),
          ...others.map((a) => `${a} ÷ algebraic`),
          ...ARITHMETICS.map((a) => `kernels, ${a}`),
        ],
        rows: [
          ...rows.map((r) => r.cells),
          ['geometric mean', ...ARITHMETICS.map(() => ''), ...others.map(mean), ...ARITHMETICS.map(() => '')],
        ],
      },
      notes: [
        `The default is ${DEFAULT_ARITHMETIC}.`,
        'A ratio is the median of ratios of the same round, in brackets its 95 % interval; the mean is of the medians.',
      ],
    },
  ];
};

interface LevelsRow {
  readonly cells: readonly string[];
  /** Time of a level over that of `algebraic`. */
  readonly ratios: Readonly<Record<Arithmetic, number>>;
}

const rowOf = async (name: TableCase, { n, dtype, backend }: TableOptions): Promise<LevelsRow> => {
  const c = tableCase(name, dtype, n);
  const problem = problemOf(c);
  const all: CompiledProblem[] = [];
  try {
    for (const arithmetic of ARITHMETICS)
      all.push(await compileProblem(problem, { backend, threads: 1, dtype, ablate: [], cache: false, arithmetic }));
    const expected = problem.evaluate(all[0].inputs);
    const timings = measure(
      all.map(({ run, maxRelError }, k) => ({ name: ARITHMETICS[k], run, check: () => maxRelError(expected) })),
      { tolerance: c.tolerance },
    );
    const fastest = timings[ARITHMETICS.indexOf('algebraic')];
    const ratios = timings.map((t) => speedup(t, fastest));
    return {
      cells: [
        c.title,
        ...timings.map((t) => ms(t.median)),
        ...ratios.slice(0, -1).map(ratioCell),
        ...all.map(({ cost }) => `${cost.kernels}`),
      ],
      ratios: Object.fromEntries(ARITHMETICS.map((a, k) => [a, ratios[k].ratio])) as LevelsRow['ratios'],
    };
  } finally {
    all.forEach(({ instance }) => instance.dispose());
  }
};
