import { DiagnosticError, fail } from '@filigree/ir';
import {
  acousticWaves,
  cellsSetup,
  checkedSolver,
  compileCells,
  compileTets,
  dubinerMatrices,
  elasticWaves,
  flopsOfStep,
  librarySolver,
  planeWave,
  referenceCells,
  referenceTets,
  seissolKernels,
  starPattern,
  tetsSetup,
  type SolverProblem,
} from '@filigree/e2e';
import { planKernel } from '@filigree/tensor/einsum';
import { peakMeter } from 'filigree';
import { quantile } from '../measure.js';

/** How fast the steps of a solver were. */
export interface TensorSpeed {
  readonly label: string;
  readonly dtype: 'f32' | 'f64';
  readonly order: number;
  readonly simulations: number;
  readonly elements: number;
  /** The fastest of some steps, milliseconds (§6.1). */
  readonly ms: number;
  /** 10⁹ operations a second. */
  readonly nonzero: number;
  readonly hardware: number;
  /** The peak, measured in turns with the steps. */
  readonly peak: number;
  /** 10⁶ degrees of freedom a second. */
  readonly mdofs: number;
  readonly compileMs: number;
  /** How many times faster it is than the same kernels with LIBXSMM, and how many of their products that library does; or why this is not known. */
  readonly library:
    | { readonly ratio: number; readonly products: { readonly all: number; readonly library: number } }
    | { readonly missing: string };
}

export interface MeasureTensorOptions {
  readonly dtype: 'f32' | 'f64';
  readonly order: number;
  /** Cubes or cells a side. */
  readonly size: number;
  readonly rounds: number;
  readonly backend?: string | undefined;
}

/**
 * Cubes a side of the mesh for so many simulations, if `size` are for the most: meshes that take about the same memory, so that all come
 * from the same cache.
 */
export const sizeFor = (order: number, simulations: number, most: number, size: number): number =>
  Math.round(size * Math.cbrt(numbersOfElement(order, most) / numbersOfElement(order, simulations)));

/** Coefficients and their integrals in time, and the two flux solvers of each side. */
const numbersOfElement = (order: number, simulations: number): number =>
  2 * simulations * QUANTITIES * ((order * (order + 1) * (order + 2)) / 6) + 8 * QUANTITIES ** 2;

const QUANTITIES = elasticWaves({ lambda: 2, mu: 1, rho: 1 }).quantities.length;

/** A step of SeisSol's scheme with all kernels, after the first was compared with plain loops at a few elements. */
export const measureSeissol = async ({
  simulations,
  ...options
}: MeasureTensorOptions & { readonly simulations: number }): Promise<TensorSpeed> => {
  const { dtype, order, size, backend } = options;
  const waves = elasticWaves({ lambda: 2, mu: 1, rho: 1 });
  const solutions = Array.from({ length: simulations }, (_, s) =>
    planeWave(
      waves,
      [1 + (s % 2), s % 3, s % 4].map((k) => 2 * Math.PI * k),
    ),
  );
  const setup = tetsSetup({ order, n: size, waves, solutions });
  const elements = setup.mesh.size;
  return speedOf(
    { label: 'seissol', simulations, ...options },
    {
      setup,
      elements,
      compile: (gemm) => compileTets({ ...setup, capacity: elements, dtype, backend, gemm }),
      plain: referenceTets,
      compared: [0, Math.floor(elements / 2)],
    },
  );
};

/** A step of LinA's scheme, in the same way. */
export const measureLina = async ({
  dimensions,
  ...options
}: MeasureTensorOptions & { readonly dimensions: 2 | 3 }): Promise<TensorSpeed> => {
  const { dtype, order, size, backend } = options;
  const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
  const solution = planeWave(
    waves,
    [1, 2, 1].slice(0, dimensions).map((k) => 2 * Math.PI * k),
  );
  const elements = size ** dimensions;
  return speedOf(
    { label: `lina ${dimensions}-D`, simulations: 1, ...options },
    {
      setup: cellsSetup({ order, n: size, waves, solution }),
      elements,
      compile: (gemm) => compileCells({ order, waves, capacity: elements, dtype, backend, gemm }),
      plain: referenceCells,
      compared: [0],
    },
  );
};

/** Milliseconds that planning SeisSol's whole set of kernels takes: all derivatives, the sum, the volume, 4 local and 48 neighbour fluxes. */
export const planningMs = (order: number, dtype: 'f32' | 'f64', simulations: number): number => {
  const waves = elasticWaves({ lambda: 2, mu: 1, rho: 1 });
  const matrices = dubinerMatrices(order);
  const begin = performance.now();
  const k = seissolKernels({ order, matrices, simulations, star: starPattern(waves) });
  for (const kernel of [...k.derivatives, k.taylor, k.volume, ...k.localFlux, ...k.neighbourFlux]) {
    const plan = planKernel(kernel, { type: dtype });
    if (plan._tag === 'Left') throw new DiagnosticError(plan.left);
  }
  return performance.now() - begin;
};

const speedOf = async <S extends { readonly start: Float64Array; readonly dt: number }, P extends string>(
  row: MeasureTensorOptions & Pick<TensorSpeed, 'label' | 'simulations'>,
  problem: SolverProblem<S, P>,
): Promise<TensorSpeed> => {
  const { label, simulations, dtype, order, rounds, backend } = row;
  const { dt, start } = problem.setup;
  const compiled = compiledTogether(problem);
  const ours = await checkedSolver(compiled);
  const open = [ours.close];
  try {
    mustAgree(`${label}, order ${order}`, ours.wrong, dtype);
    const library = await librarySolver(compiled, ours.after);
    if (!('code' in library)) {
      open.push(library.close);
      mustAgree(`${label}, order ${order}, with LIBXSMM`, library.wrong, dtype);
    }
    const meter = await peakMeter(dtype, { backend });
    open.push(meter.dispose);
    const [peaks, own, theirs] = samplesOf(
      [
        meter.run,
        ...[ours, ...('code' in library ? [] : [library])].map(
          ({ solver }) =>
            () =>
              solver.step(dt),
        ),
      ],
      rounds,
    );
    const ms = Math.min(...own);
    const flops = flopsOfStep(ours.solver);
    return {
      label,
      simulations,
      elements: problem.elements,
      dtype,
      order,
      ms,
      nonzero: flops.nonzero / ms / 1e6,
      hardware: flops.hardware / ms / 1e6,
      peak: meter.flops / Math.min(...peaks) / 1e6,
      mdofs: start.length / ms / 1e3,
      compileMs: ours.program.ms.generate + ours.program.ms.compile,
      library:
        'code' in library
          ? { missing: library.message }
          : {
              ratio: quantile(
                theirs.map((x, round) => x / own[round]),
                0.5,
              ),
              products: library.products,
            },
    };
  } finally {
    for (const close of open) close();
  }
};

/** The C++ compiler takes most of the time that a case takes: it works on both programs at once. */
const compiledTogether = <S extends { readonly start: Float64Array; readonly dt: number }, P extends string>(
  problem: SolverProblem<S, P>,
): SolverProblem<S, P> => {
  const [own, library] = (['own', 'libxsmm'] as const).map((gemm) => problem.compile(gemm));
  /* Whoever asks for it gets the reason; nobody may ask, where the other failed. */
  library.catch(() => undefined);
  return { ...problem, compile: (gemm) => (gemm === 'own' ? own : library) };
};

/**
 * Milliseconds of each function in each round, in an order that changes from round to round; short ones are repeated. There are at least
 * so many rounds, and as many as take a few seconds: for tenths of a second a processor that others share may be slow throughout.
 */
const samplesOf = (runs: readonly (() => void)[], rounds: number): readonly (readonly number[])[] => {
  const repetitions = runs.map((run) => Math.max(1, Math.ceil(1 / Math.max(timed(run, 1), 1e-3))));
  const samples = runs.map((): number[] => []);
  const until = performance.now() + LEAST_MS;
  for (let round = 0; round < rounds || performance.now() < until; round++)
    for (let i = 0; i < runs.length; i++) {
      const k = (i + round) % runs.length;
      samples[k].push(timed(runs[k], repetitions[k]));
    }
  return samples;
};

const LEAST_MS = 3000;

const timed = (run: () => void, repetitions: number): number => {
  const begin = performance.now();
  for (let k = 0; k < repetitions; k++) run();
  return (performance.now() - begin) / repetitions;
};

const mustAgree = (what: string, error: number, dtype: 'f32' | 'f64'): void => {
  if (!(error <= (dtype === 'f32' ? 1e-4 : 1e-10)))
    fail('bench/wrong-result', `${what} is off by ${error.toExponential(2)} after a step`);
};
