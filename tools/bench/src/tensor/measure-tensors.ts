import { DiagnosticError } from '@filigree/ir';
import {
  acousticWaves,
  CELL_PARTS,
  cellsSetup,
  compileCells,
  compileTets,
  dubinerMatrices,
  elasticWaves,
  measurePeak,
  planeWave,
  seissolKernels,
  starPattern,
  TET_PARTS,
  tetsSetup,
  referenceCells,
  referenceTets,
} from '@filigree/e2e';
import { planKernel, type Flops } from '@filigree/tensor';
import { maxRelError } from '../measure.js';

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
  /** The peak, measured just before. */
  readonly peak: number;
  /** 10⁶ degrees of freedom a second. */
  readonly mdofs: number;
  readonly compileMs: number;
}

export interface MeasureTensorOptions {
  readonly dtype: 'f32' | 'f64';
  readonly order: number;
  /** Cubes or cells a side. */
  readonly size: number;
  readonly rounds: number;
  readonly backend?: string | undefined;
}

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
  const compiled = await compileTets({ ...setup, star: starPattern(waves), capacity: setup.mesh.size, dtype, backend });
  try {
    const solver = compiled.start(setup);
    const some = [0, Math.floor(setup.mesh.size / 2)];
    const plain = referenceTets(setup, some);
    plain.step(setup.dt);
    solver.step(setup.dt);
    mustAgree(`seissol, order ${order}`, solver.coefficients(), plain.coefficients(), some, setup.mesh.size, dtype);
    const flops = solver.flops();
    return await speedOf(
      { label: 'seissol', simulations, elements: setup.mesh.size, unknowns: setup.start.length, ...options },
      TET_PARTS.map((p) => flops[p]),
      () => solver.step(setup.dt),
      compiled.program.ms,
    );
  } finally {
    compiled.close();
  }
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
  const setup = cellsSetup({ order, n: size, waves, solution });
  const cells = size ** dimensions;
  const compiled = await compileCells({ order, waves, capacity: cells, dtype, backend });
  try {
    const solver = compiled.start(setup);
    const plain = referenceCells(setup, [0]);
    plain.step(setup.dt);
    solver.step(setup.dt);
    mustAgree(`lina, order ${order}`, solver.coefficients(), plain.coefficients(), [0], cells, dtype);
    return await speedOf(
      { label: `lina ${dimensions}-D`, simulations: 1, elements: cells, unknowns: setup.start.length, ...options },
      CELL_PARTS.map((p) => solver.flops[p]),
      () => solver.step(setup.dt),
      compiled.program.ms,
    );
  } finally {
    compiled.close();
  }
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

const speedOf = async (
  {
    unknowns,
    rounds,
    backend,
    ...row
  }: Pick<TensorSpeed, 'label' | 'simulations' | 'elements' | 'dtype' | 'order'> & {
    readonly unknowns: number;
    readonly rounds: number;
    readonly backend?: string | undefined;
    readonly size: number;
  },
  parts: readonly Flops[],
  step: () => void,
  compiling: { readonly generate: number; readonly compile: number },
): Promise<TensorSpeed> => {
  const peak = await measurePeak(row.dtype, backend);
  const once = timed(step, 1);
  const repetitions = Math.max(1, Math.ceil(1 / Math.max(once, 1e-3)));
  const ms = Math.min(...Array.from({ length: rounds }, () => timed(step, repetitions)));
  const total = (kind: 'nonzero' | 'hardware'): number => parts.reduce((sum, f) => sum + f[kind], 0);
  const { label, simulations, elements, dtype, order } = row;
  return {
    label,
    simulations,
    elements,
    dtype,
    order,
    ms,
    nonzero: total('nonzero') / ms / 1e6,
    hardware: total('hardware') / ms / 1e6,
    peak,
    mdofs: unknowns / ms / 1e3,
    compileMs: compiling.generate + compiling.compile,
  };
};

const timed = (run: () => void, repetitions: number): number => {
  const begin = performance.now();
  for (let k = 0; k < repetitions; k++) run();
  return (performance.now() - begin) / repetitions;
};

const mustAgree = (
  what: string,
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  elements: readonly number[],
  count: number,
  dtype: 'f32' | 'f64',
): void => {
  const each = expected.length / count;
  const at = (all: ArrayLike<number>): number[] =>
    elements.flatMap((e) => Array.from({ length: each }, (_, i) => all[e * each + i]));
  const error = maxRelError(at(found), at(expected));
  if (!(error <= (dtype === 'f32' ? 1e-4 : 1e-10)))
    throw new Error(`${what} is off by ${error.toExponential(2)} after a step`);
};
