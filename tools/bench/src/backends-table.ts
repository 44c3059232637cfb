import { cpus } from 'node:os';
import { compileProblem, type CompiledProblem } from '@filigree/e2e';
import type { TableOptions } from './ablation-table.js';
import { measureScaling } from './arithmetic.js';
import { problemOf } from './filigree.js';
import { measure, speedup } from './measure.js';
import { TABLE_CASES, tableCase, type TableCase } from './table-cases.js';
import { ms, ratioCell, type BenchmarkPage } from './table.js';

const BACKENDS = ['cpp', 'wasm'] as const;

/** The backends beside each other, each on one thread and on all: the kernels of a case are checked, and then timed in turns. */
export const backendSections = async (options: TableOptions): Promise<BenchmarkPage['sections']> => {
  const threads = cpus().length;
  const rows: string[][] = [];
  for (const name of options.cases ?? TABLE_CASES) {
    rows.push(await rowOf(name, threads, options));
    options.say(rows[rows.length - 1].join(' | '));
  }
  const arithmetic = measureScaling(threads);
  const scaling = BACKENDS.map((b) => `${b}: 1 thread ÷ ${threads}`);
  return [
    {
      table: { head: ['case', 'cpp ms', 'wasm ms', 'wasm ÷ cpp', ...scaling, 'nodes a byte'], rows },
      notes: [
        'A ratio is the median of ratios of the same round, in brackets its 95 % interval.',
        'Nodes a byte: nodes of the expression graph over the bytes of inputs, results, intermediates and index tables. Where they are few, a run waits for memory, which threads share.',
        ...(arithmetic === undefined
          ? []
          : [
              `Multiply-adds in registers, which wait for nothing: 1 thread ÷ ${threads} ${ratioCell(arithmetic)}. Where that is far below ${threads}, threads share the units of fewer cores, and gain only where they wait.`,
            ]),
      ],
    },
  ];
};

const rowOf = async (name: TableCase, threads: number, options: TableOptions): Promise<string[]> => {
  const c = tableCase(name, options.dtype, options.n);
  const problem = problemOf(c);
  const all: CompiledProblem[] = [];
  try {
    for (const count of [1, threads])
      for (const backend of BACKENDS)
        all.push(
          await compileProblem(problem, { backend, threads: count, dtype: options.dtype, ablate: [], cache: false }),
        );
    const expected = problem.evaluate(all[0].inputs);
    const timings = measure(
      all.map(({ run, maxRelError }, k) => ({ name: `${k}`, run, check: () => maxRelError(expected) })),
      { tolerance: c.tolerance },
    );
    const [cpp, wasm, cppOnAll, wasmOnAll] = timings;
    const { nodes, bytesMoved } = all[0].cost;
    return [
      c.title,
      ms(cpp.median),
      ms(wasm.median),
      ratioCell(speedup(wasm, cpp)),
      ratioCell(speedup(cpp, cppOnAll)),
      ratioCell(speedup(wasm, wasmOnAll)),
      (nodes / bytesMoved).toFixed(2),
    ];
  } finally {
    all.forEach(({ instance }) => instance.dispose());
  }
};
