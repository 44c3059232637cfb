import {
  cnnSetup,
  compiledCnn,
  compiledFem,
  compiledMpm,
  compiledPoisson,
  compiledRenderer,
  fem,
  femSetup,
  LAYOUTS,
  maxRelError,
  mgpcg,
  mpm2d,
  mpm2dSetup,
  mpm3d,
  mpm3dSetup,
  nativeCnn,
  nativeFem,
  nativeMpm,
  nativePoisson,
  nativeRenderer,
  pathTracer,
  pathTracerSetup,
  poissonSetup,
  sparseCnn,
  type CompileOptions,
  type DType,
  type MpmSetup,
  type MpmState,
} from '@filigree/e2e';
import type { FieldProgramOptions } from 'filigree';
import { quantile } from '../measure.js';

/** The applications of sparse fields. */
export const APPLICATIONS = ['mpm2d', 'mpm3d', 'fem', 'mgpcg', 'sparse-cnn', 'path-tracer'] as const;

export type ApplicationName = (typeof APPLICATIONS)[number];

/** An application that is ready to run, by our kernels or by hand. */
export interface Ready {
  /** The work that is timed, once. */
  readonly run: () => void;
  /** What it computes, from the start; asked for once, before the first `run`. */
  readonly answer: () => ArrayLike<number>;
  readonly close: () => void;
}

/** An application at one size. */
export interface ApplicationCase {
  readonly name: ApplicationName;
  /** What is timed. */
  readonly title: string;
  /** Whether neighbouring iterations touch neighbouring elements, as all do but rays that scatter (thesis §2.6, table 2.1). */
  readonly coherent: boolean;
  readonly ours: (options: CompileOptions) => Promise<Ready>;
  /** Its kernels, and where the data lie. */
  readonly source: (dtype: DType) => Pick<FieldProgramOptions, 'layout' | 'kernels'>;
  /** The C++ by hand; a sentence where this machine cannot compile it. */
  readonly byHand: (dtype: DType, threads: number) => Promise<Ready | string>;
  /** How far an answer is from another, and how far it may be. */
  readonly distance: (found: ArrayLike<number>, expected: ArrayLike<number>) => number;
  readonly tolerance: Readonly<Record<DType, number>>;
}

const SIZES: Readonly<Record<ApplicationName, number>> = {
  mpm2d: 256,
  mpm3d: 64,
  fem: 64,
  mgpcg: 128,
  'sparse-cnn': 128,
  'path-tracer': 128,
};

/** An application at a size (nodes, cells, voxels or pixels along each axis, rounded up to whole blocks), that of the tables unless said otherwise. */
export const applicationCase = async (name: ApplicationName, size = SIZES[name]): Promise<ApplicationCase> => ({
  name,
  coherent: name !== 'path-tracer',
  distance: maxRelError,
  ...(await makers[name](8 * Math.max(2, Math.ceil(size / 8)))),
});

type Made = Pick<ApplicationCase, 'title' | 'source' | 'ours' | 'byHand' | 'tolerance'> & Partial<ApplicationCase>;

const makers: Readonly<Record<ApplicationName, (size: number) => Made | Promise<Made>>> = {
  mpm2d: async (n) => mpm(2, await inMotion(mpm2dSetup({ n }))),
  mpm3d: async (n) => mpm(3, await inMotion(mpm3dSetup({ n }))),
  fem: (n) => {
    const setup = femSetup({ n });
    return {
      title: `linear elasticity, ${n}³ cells: the stiffness matrix by a vector`,
      source: (dtype) => fem(setup, dtype, LAYOUTS.pointer),
      tolerance: { f32: 1e-5, f64: 1e-13 },
      ours: async (options) => {
        const fem = await compiledFem(options)(setup);
        return { run: fem.runMultiply, answer: () => fem.multiply(setup.load), close: fem.close };
      },
      byHand: async (dtype, threads) =>
        made(await nativeFem(dtype, threads), (make) => {
          const fem = make(setup);
          return { run: () => fem.runMultiply(), answer: () => fem.multiply(setup.load), close: () => fem.close() };
        }),
    };
  },
  mgpcg: (n) => {
    const setup = poissonSetup({ n });
    return {
      title: `Poisson's equation by multigrid-preconditioned conjugate gradients, ${n}³ cells: a solution`,
      source: (dtype) => mgpcg(setup, dtype, LAYOUTS.pointer),
      tolerance: { f32: 1e-4, f64: 1e-5 },
      ours: async (options) => {
        const solver = await compiledPoisson(options)(setup);
        return { run: solver.run, answer: () => solver.solve().x, close: solver.close };
      },
      byHand: async (dtype, threads) =>
        made(await nativePoisson(dtype, threads), (make) => {
          const solver = make(setup);
          return { run: () => void solver.run(), answer: () => solver.solve().x, close: () => solver.close() };
        }),
    };
  },
  'sparse-cnn': (n) => {
    const setup = cnnSetup({ n });
    return {
      title: `3×3×3 convolution, 16 channels, surface voxels of ${n}³: a layer`,
      source: (dtype) => sparseCnn(setup, dtype, LAYOUTS.pointer),
      tolerance: { f32: 1e-5, f64: 1e-13 },
      ours: async (options) => {
        const cnn = await compiledCnn(options)(setup);
        return { run: cnn.run, answer: () => cnn.forward(), close: cnn.close };
      },
      byHand: async (dtype, threads) =>
        made(await nativeCnn(dtype, threads), (make) => {
          const cnn = make(setup);
          return { run: () => cnn.run(), answer: () => cnn.forward(), close: () => cnn.close() };
        }),
    };
  },
  'path-tracer': (size) => {
    const { cloud, view } = pathTracerSetup({ n: size, size, samples: 8 });
    return {
      title: `volumetric path tracer, ${cloud.n}³ cells: a picture of ${size}² pixels, ${view.samples} paths each`,
      source: (dtype) => pathTracer(cloud, dtype, LAYOUTS.pointer),
      distance: standardErrors,
      tolerance: { f32: 5, f64: 5 },
      ours: async (options) => {
        const renderer = await compiledRenderer(options)(cloud);
        return { run: () => renderer.run(view, 1), answer: () => renderer.render(view, 1), close: renderer.close };
      },
      byHand: async (dtype, threads) =>
        made(await nativeRenderer(dtype, threads), (make) => {
          const renderer = make(cloud);
          const render = (): Float64Array => renderer.render(view, 1);
          return { run: () => void render(), answer: render, close: () => renderer.close() };
        }),
    };
  },
};

const mpm = (dim: 2 | 3, setup: MpmSetup): Made => ({
  title: `material point method, ${setup.n}${dim === 2 ? '²' : '³'} nodes, ${setup.body.length.toLocaleString('en')} particles: a step`,
  tolerance: { f32: 1e-3, f64: 1e-11 },
  source: (dtype) => (dim === 2 ? mpm2d : mpm3d)(setup, dtype, LAYOUTS.pointer),
  ours: async (options) => {
    const sim = await compiledMpm(options)(setup);
    return { run: () => sim.step(1), answer: () => velocities(sim), close: () => sim.close() };
  },
  byHand: async (dtype, threads) =>
    made(await nativeMpm(dim, dtype, threads), (make) => {
      const sim = make(setup);
      return { run: () => sim.step(1), answer: () => velocities(sim), close: () => sim.close() };
    }),
});

/** The bodies when they have fallen on each other, where the C++ that moves them can be compiled: 0.2 seconds later. */
const inMotion = async (setup: MpmSetup): Promise<MpmSetup> => {
  const make = await nativeMpm(setup.dim, 'f32', 1);
  if (typeof make === 'string') return setup;
  const sim = make(setup);
  sim.step(Math.round(0.2 / setup.dt));
  const start = sim.state();
  sim.close();
  return { ...setup, start };
};

/** Velocities a few steps later, in the course of which most of what can be wrong shows. */
const velocities = (sim: { step(count: number): void; state(): MpmState }): Float64Array => {
  sim.step(5);
  return sim.state().v;
};

const made = <T>(make: T | string, ready: (make: T) => Ready): Ready | string =>
  typeof make === 'string' ? make : ready(make);

/** Pictures by other random numbers: how far their means are apart, in standard errors of the difference of pixels. */
const standardErrors = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  const n = expected.length;
  if (found.length !== n) return Infinity;
  const differences = Array.from(expected, (e, k) => found[k] - e);
  const mean = differences.reduce((sum, d) => sum + d, 0) / n;
  const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n - 1);
  const brightness = quantile(Array.from(expected), 0.5);
  return mean === 0 ? 0 : Math.abs(mean) / Math.max(Math.sqrt(variance / n), 1e-6 * brightness, Number.MIN_VALUE);
};
