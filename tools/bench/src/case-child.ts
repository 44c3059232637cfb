import { compileProblem, interleavedMedians, type CompileCost } from '@filigree/e2e';
import { peakRssMB } from '@filigree/runtime';
import { problemOf } from './filigree.js';
import { tableCase, type TableCase } from './table-cases.js';

/** What a child process is to measure. */
export interface ChildJob {
  readonly name: TableCase;
  /** One of `waysOf`. */
  readonly way?: string;
  readonly n?: number;
  readonly dtype: 'f32' | 'f64';
  readonly ablate: readonly string[];
  readonly threads: number;
  readonly backend?: string;
}

/** What it found. */
export interface ChildResult {
  readonly title: string;
  readonly backend: string;
  readonly cost: CompileCost;
  readonly runMs: number;
  readonly maxRelError: number;
  readonly passed: boolean;
  /** Resident memory before the case began: Node and the loaded packages. */
  readonly startMB: number;
}

/** Compiles, runs, times and checks one case; the answer is the last line on standard output, as JSON. */
const measureJob = async (job: ChildJob): Promise<ChildResult> => {
  const startMB = peakRssMB();
  const c = tableCase(job.name, job.dtype, job.n);
  const compiled = await compileProblem(problemOf(c, job.way), { ...job, cache: false });
  compiled.run();
  const expected = compiled.problem.evaluate(compiled.inputs);
  const maxRelError = compiled.maxRelError(expected);
  const [runMs] = interleavedMedians([compiled.run], 21);
  return {
    title: c.title,
    backend: compiled.instance.backend,
    cost: compiled.cost,
    runMs,
    maxRelError,
    passed: maxRelError <= c.tolerance,
    startMB,
  };
};

process.on('SIGTERM', () => process.exit(1));

try {
  console.log(JSON.stringify(await measureJob(JSON.parse(process.argv[2]) as ChildJob)));
} catch (e) {
  // The first line says what is wrong; the parent shows it in the table.
  console.error(e instanceof Error ? e.message : String(e));
  process.exit(1);
}
process.exit(0);
