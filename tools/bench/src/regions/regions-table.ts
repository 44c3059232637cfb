import { fail, type Diagnostics } from '@filigree/ir';
import {
  builtinPrograms,
  evaluateRegions,
  solveProgram,
  type Regions,
  type SolvedProgram,
} from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';
import { evaluateRegionsInParallel } from '@filigree/runtime';
import * as E from 'fp-ts/lib/Either.js';
import { seeded } from '../seeded.js';
import type { BenchmarkPage } from '../table.js';
import { findIsl, type Isl } from './isl.js';
import { islScript } from './isl-script.js';

export interface RegionsTableOptions {
  /** Seconds that isl has for a case. */
  readonly limit: number;
  /** Sides of the matrices to take; all where it is left out. */
  readonly sides?: readonly number[] | undefined;
  /** Threads for the column of several. */
  readonly threads: number;
  readonly say: (line: string) => void;
}

/** Programs and sizes: side and non-zeros of matrices, time steps. */
const SIZES = [
  {
    n: 100,
    nnz: 200,
    title: '100 × 100, 200 non-zeros',
    programs: ['mm', 'gemm', 'syrk', 'syr2k', 'jacobi1d', 'jacobi2d', '2mm', 'trisolve'],
  },
  {
    n: 200,
    nnz: 600,
    title: '200 × 200, 600 non-zeros',
    programs: ['mm', 'gemm', 'syrk', 'syr2k', 'jacobi1d', 'jacobi2d', '2mm', 'trisolve'],
  },
  {
    n: 1000,
    nnz: 10_000,
    title: '1000 × 1000, 10 000 non-zeros',
    programs: ['mm', 'gemm', 'syrk', 'syr2k', 'jacobi1d', 'jacobi2d', '2mm', 'trisolve'],
  },
  {
    n: 10_000,
    nnz: 1_000_000,
    title: '10 000 × 10 000, 1 000 000 non-zeros',
    programs: ['mm', 'gemm', 'syrk', 'syr2k', '2mm', 'trisolve'],
  },
] as const;

const STEPS = 10;

/** An evaluation is repeated for this time, up to this often; `native/regions_isl.c` does the same. */
const RUNS_MS = 1000;
const MOST_RUNS = 1000;

/** Interest regions beside isl, which evaluates the same equations. */
export const regionsSections = async ({
  limit,
  sides,
  threads,
  say,
}: RegionsTableOptions): Promise<BenchmarkPage['sections']> => {
  const isl = findIsl();
  if (typeof isl === 'string') say(isl);
  try {
    const sections: BenchmarkPage['sections'][number][] = [];
    for (const { n, nnz, title, programs } of SIZES.filter((size) => sides?.includes(size.n) ?? true)) {
      const rows: (readonly string[])[] = [];
      for (const name of programs) {
        say(`${name}, ${title}`);
        rows.push(await rowOf(name, n, nnz, isl, limit, threads));
      }
      const head = [
        'program',
        'iterations',
        'in regions',
        'solve ms',
        'first ms',
        'evaluate ms',
        'clock ms',
        `${threads} threads ms`,
        'isl first ms',
        'isl ms',
        'isl ÷ ours',
      ];
      sections.push({ title, table: { head, rows }, notes: typeof isl === 'string' ? [isl] : [] });
    }
    return sections;
  } finally {
    if (typeof isl !== 'string') isl.close();
  }
};

const rowOf = async (
  name: string,
  n: number,
  nnz: number,
  isl: Isl | string,
  limit: number,
  threads: number,
): Promise<readonly string[]> => {
  const program = builtinPrograms.find((p) => p.name === name)!;
  const sizes = Object.fromEntries(Object.keys(program.sizes).map((s) => [s, s === 'T' ? STEPS : n]));
  const started = performance.now();
  const solved = right(solveProgram(program.module(sizes)));
  const solve = performance.now() - started;
  const inputs = inputsOf(solved, name, nnz);
  const alone = await repeated(() => right(evaluateRegions(solved, inputs)));
  const inParallel = async (): Promise<Regions> =>
    right(await evaluateRegionsInParallel(solved, inputs, { threads })());
  /* Workers start the first time. */
  await inParallel();
  const together = await repeated(inParallel);
  const regions = alone.last;
  together.last.statements.forEach(({ count, statement }) => {
    if (count !== regions.statements[statement].count)
      fail('bench/regions', `${threads} threads find ${count} iterations of ${name}`);
  });
  const ours = median(alone.processor);
  const counted = regions.statements.reduce((s, r) => s + r.count, 0);
  const result = typeof isl === 'string' ? undefined : isl.run(islScript(regions, counted < 20_000), limit);
  /* What isl counts must be what we count. */
  for (const [set, count] of Object.entries(result?.counts ?? {})) {
    const region = regions.statements[Number(set.slice(1))];
    if (region.count !== count) fail('bench/regions', `isl finds ${count} iterations of ${name}, not ${region.count}`);
  }
  return [
    name,
    thousands(regions.statements.reduce((s, r) => s + r.dense, 0)),
    thousands(counted),
    solve.toFixed(1),
    milliseconds(alone.processor[0]),
    milliseconds(ours),
    milliseconds(median(alone.clock)),
    milliseconds(median(together.clock)),
    ...(typeof isl === 'string'
      ? ['', '']
      : result === undefined
        ? ['', `> ${limit * 1000}`]
        : [milliseconds(result.first), milliseconds(result.ms)]),
    typeof isl === 'string'
      ? ''
      : result === undefined
        ? `> ${Math.floor((limit * 1000) / ours)}`
        : (result.ms / ours).toPrecision(3),
  ];
};

/** An evaluation again and again: its times by the processor's clock, and by the one on the wall. */
const repeated = async (
  evaluation: () => Regions | Promise<Regions>,
): Promise<{ readonly last: Regions; readonly processor: readonly number[]; readonly clock: readonly number[] }> => {
  const processor: number[] = [];
  const clock: number[] = [];
  let spent = 0;
  for (;;) {
    const started = performance.now();
    const start = process.cpuUsage();
    const last = await evaluation();
    const { user, system } = process.cpuUsage(start);
    clock.push(performance.now() - started);
    processor.push((user + system) / 1000);
    spent += clock[clock.length - 1];
    if (processor.length === MOST_RUNS || spent >= RUNS_MS) return { last, processor, clock };
  }
};

/** Random places; vectors as dense as rows are; the dense matrix of mm is full. */
const inputsOf = (solved: SolvedProgram, name: string, nnz: number): Record<string, CsrPattern> => {
  const random = seeded(12345);
  const inputs: Record<string, CsrPattern> = {};
  for (const a of solved.program.arrays) {
    if ((a.role !== 'input' && a.role !== 'inout') || (name === 'mm' && a.name === 'B')) continue;
    const [rows, cols] = a.shape.length === 2 ? a.shape : [a.shape[0], 1];
    const count = a.shape.length === 2 ? nnz : Math.max(1, Math.round(nnz / rows));
    const places = new Set<number>();
    while (places.size < count) places.add(Math.floor(random() * rows) * cols + Math.floor(random() * cols));
    const codes = Float64Array.from(places).sort();
    const rowPtr = new Int32Array(rows + 1);
    for (const c of codes) rowPtr[Math.floor(c / cols) + 1]++;
    for (let i = 0; i < rows; i++) rowPtr[i + 1] += rowPtr[i];
    inputs[a.name] = { rows, cols, rowPtr, colIdx: Int32Array.from(codes, (c) => c % cols) };
  }
  return inputs;
};

/** The middle value, the lower of two. */
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];

const right = <A>(e: E.Either<Diagnostics, A>): A => (E.isLeft(e) ? fail(e.left[0].code, e.left[0].message) : e.right);

const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
const milliseconds = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3));
