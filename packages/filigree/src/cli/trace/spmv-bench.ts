import type { Backend } from '@filigree/backend';
import type { RunningProducts } from '@filigree/baselines';
import { error, type Diagnostic, type Module, orThrow } from '@filigree/ir';
import { instantiate, type Instance } from '@filigree/runtime';
import { type Csr } from '@filigree/sparse/formats';
import { packValues } from '@filigree/sparse/trace';
import { compare, TOLERANCE, type Check } from '../compare.js';
import { COLD, coldMediansOf, mediansOf, THOROUGH, timerOf, type Timer } from '../measure.js';
import { randomValues } from '../random.js';
import type { Baselines } from '../load-baselines.js';
import type { Session } from '../session.js';
import { slabOf } from '../slab-of.js';
import { kindOf, type SpmvKernels } from './spmv-kernels.js';

/** Times of y = A·x in milliseconds, all measured side by side in this process; null where there is none. */
export interface SpmvSummary {
  /** What the cost model chose: no index table, some, or as many indices as compressed rows. */
  readonly chosen: 'affine' | 'mixed' | 'csr';
  /** The affine code of all pieces and nothing else. */
  readonly affineMs: number | null;
  /** Figure 1a of the paper, `-O3 -march=native`; without a C++ compiler the same loop on the backend. */
  readonly csrMs: number;
  /** Compressed rows, each by as many vectors as it is long. */
  readonly csrTunedMs: number | null;
  /** The product of MKL, where it is found. */
  readonly mklMs: number | null;
  readonly chosenMs: number;
  readonly speedup: number;
  readonly speedupTuned: number | null;
  readonly speedupAffine: number | null;
  /** The same of each where nothing is in caches, one call at a time. */
  readonly coldMs: Readonly<Record<string, number>>;
  readonly check: Check;
  /** What `csrMs` is. */
  readonly baseline: string;
  readonly indexBytes: number;
  /** Milliseconds to write, compile and load. */
  readonly buildMs: { readonly chosen: number; readonly affine: number | null };
  /** What was not measured, and why. */
  readonly skipped: Readonly<Record<string, string>>;
}

export interface SpmvOptions {
  readonly backend: Backend;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
  readonly seed: number;
  readonly cache: boolean;
}

/** Something that computes y = A·x: it runs once before it is timed, and its y is checked. */
interface Contender {
  readonly timer: Timer;
  readonly result: () => ArrayLike<number>;
}

/** Milliseconds that a compiler may take over the affine code. */
const LIMIT_MS = 60_000;

/** Compiles both kernels, checks every y against a plain sum, and times all beside one another. Values are random. */
export const benchSpmv = async (
  pattern: Csr<unknown>['pattern'],
  kernels: SpmvKernels,
  { csrKernel, compressedRows, prepare }: Baselines,
  options: SpmvOptions,
  { progress }: Session,
): Promise<SpmvSummary> => {
  const { backend, dtype, threads, seed } = options;
  const cache = options.cache ? undefined : (false as const);
  const rounded = (v: Float64Array): Float64Array => (dtype === 'f32' ? Float64Array.from(Float32Array.from(v)) : v);
  const values = rounded(randomValues(pattern.colIdx.length, seed));
  const x = rounded(randomValues(pattern.cols, seed + 7919));
  const inOrder = (A: Float64Array): void => A.set(values);
  const open: { dispose: () => void }[] = [];
  const contenders: Record<string, Contender> = {};
  const skipped: Record<string, string> = {};
  const load = async (
    module: Module,
    fill: (A: Float64Array) => void,
    limitMs = 600_000,
  ): Promise<Instance | Diagnostic> => {
    const made = await instantiate(module, backend, { threads, limitMs, ...(cache === false ? { cache } : {}) })();
    if (made._tag === 'Left' && made.left[0].code === 'cpp/timeout') return made.left[0];
    const instance = orThrow(made);
    open.push(instance);
    const [a, to, y] = ['A', 'x', 'y'].map((name) => instance.buffer(name));
    const matrix = a.read() as Float64Array;
    fill(matrix);
    a.write(matrix);
    to.write((to.read() as Float64Array).map((_, n) => x[n]));
    /* What a kernel forgets to write is then seen. */
    y.write((y.read() as Float64Array).fill(NaN));
    return instance;
  };
  try {
    await progress.at(0.62, 'compiling the C++ baseline');
    progress.listen();
    const problem = { matrix: { pattern, values }, x, dtype, threads };
    const native = backend.name === 'cpp' ? await prepare(compressedRows, problem, cache) : OTHER;
    if (typeof native === 'string') {
      skipped['csrTuned'] = native;
      const csr = (await load(csrKernel(pattern, dtype), inOrder)) as Instance;
      contenders['csr'] = contenderOf(csr, undefined);
    } else {
      open.push({ dispose: native.close });
      contenders['csr'] = { timer: native.timer('plain'), result: native.result };
      contenders['csrTuned'] = { timer: native.timer('tuned'), result: native.result };
      if (native.mkl) contenders['mkl'] = { timer: native.mkl, result: native.result };
    }
    const clock = typeof native === 'string' ? undefined : native;

    await progress.at(0.65, 'compiling the chosen kernel');
    progress.listen();
    const chosen = (await load(kernels.chosen.module, (A) => packValues(kernels.chosen, values, A))) as Instance;
    contenders['chosen'] = contenderOf(chosen, clock);

    let affineBuilt: number | null = null;
    if (typeof kernels.affine === 'string') skipped['affine'] = kernels.affine;
    else {
      await progress.at(0.7, 'compiling the affine code of all pieces');
      progress.listen();
      const affine = await load(kernels.affine, inOrder, LIMIT_MS);
      if ('code' in affine) skipped['affine'] = affine.message;
      else {
        contenders['affine'] = contenderOf(affine, clock);
        affineBuilt = builtMs(affine);
      }
    }

    await progress.at(0.85, 'checking and timing');
    progress.listen();
    const check = checkAll(contenders, productOf({ pattern, values }, x), TOLERANCE[dtype]);
    const timers = Object.fromEntries(Object.entries(contenders).map(([name, { timer }]) => [name, timer]));
    const ms: Readonly<Record<string, number | undefined>> = await mediansOf(timers, THOROUGH);
    const coldMs = await coldMediansOf(timers, COLD);
    const [csrMs, chosenMs] = [ms['csr']!, ms['chosen']!];
    const [csrTunedMs, affineMs] = [ms['csrTuned'] ?? null, ms['affine'] ?? null];
    return {
      chosen: kindOf(kernels.chosen, pattern),
      affineMs,
      csrMs,
      csrTunedMs,
      mklMs: ms['mkl'] ?? null,
      chosenMs,
      speedup: csrMs / chosenMs,
      speedupTuned: csrTunedMs === null ? null : csrTunedMs / chosenMs,
      speedupAffine: affineMs === null ? null : csrMs / affineMs,
      coldMs,
      check,
      baseline: clock === undefined ? `compressed rows on ${backend.name}` : 'a plain loop in C++, -O3 -march=native',
      indexBytes: kernels.chosen.indexBytes,
      buildMs: { chosen: builtMs(chosen), affine: affineBuilt },
      skipped,
    };
  } finally {
    for (const o of open) o.dispose();
  }
};

const OTHER = 'the C++ baseline is measured beside kernels of the cpp backend only';

const contenderOf = (instance: Instance, clock: RunningProducts | undefined): Contender => ({
  timer:
    clock?.timerOfKernel({
      library: instance.artifact.path!,
      ...slabOf(instance.module, 'y', instance.buffers['y'] as Float64Array),
    }) ?? timerOf(() => instance.run()),
  result: () => instance.buffer('y').read() as Float64Array,
});

const builtMs = ({ ms }: Instance): number => ms.emit + ms.compile + ms.load;

/** Row by row in f64. */
const productOf = ({ pattern: p, values }: Csr<Float64Array>, x: Float64Array): Float64Array => {
  const y = new Float64Array(p.rows);
  for (let i = 0; i < p.rows; i++)
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) y[i] += values[e] * x[p.colIdx[e]];
  return y;
};

/** Runs each once; the worst of all. */
const checkAll = (
  contenders: Readonly<Record<string, Contender>>,
  expected: Float64Array,
  tolerance: number,
): Check => {
  const errors = Object.values(contenders).map(({ timer, result }) => {
    timer(1);
    return compare(result(), expected, tolerance).maxRelError ?? Infinity;
  });
  const worst = Math.max(...errors);
  return { maxRelError: Number.isFinite(worst) ? worst : null, passed: worst <= tolerance, tolerance };
};

/** What is wrong with kernels that come to another result. */
export const wrongSpmv = ({ check }: SpmvSummary): Diagnostic | undefined =>
  check.passed
    ? undefined
    : error('trace/check', `a product with a vector differs by ${check.maxRelError ?? 'values that are not finite'}`, {
        remedy: 'its times are not to be trusted; this is a defect: please report it with the matrix',
      });
