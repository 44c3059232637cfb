import { imagePng } from '../../draw/index.js';
import { atLeast, atMost, type Finding } from '../../fields/finding.js';
import { observedOrder, travel, type Travelled } from '../../tensors/convergence.js';
import { compileCells } from '../../tensors/lina/compiled.js';
import { nodalError } from '../../tensors/lina/cells.js';
import { cellsSetup } from '../../tensors/lina/setup.js';
import { compileTets } from '../../tensors/seissol/compiled.js';
import { dubinerMatrices } from '../../tensors/seissol/dubiner-matrices.js';
import { simulation, tetsSetup } from '../../tensors/seissol/setup.js';
import { acousticWaves, elasticWaves, planeWave, starPattern, type Solution } from '../../tensors/waves.js';
import type { ExampleOptions } from 'filigree';
import { cellsPicture, tetsPicture } from '../../tensors/wave-picture.js';
import type { Image } from '../../draw/index.js';
import { tensorExample } from './tensor-example.js';

/** Plane waves through a periodic square or cube on finer and finer meshes (§5): the error falls at the order of the scheme. */
export const planeWaveExample = tensorExample({
  name: 'plane-wave',
  shows: 'plane waves on finer and finer meshes: the error of either solver falls at its order',
  takes:
    'method=seissol|lina, order=2…7, fused=SIMULATIONS, dim=2|3 of lina, size=ELEMENTS a side of the coarsest, levels=MESHES',
  keys: ['method', 'order', 'fused', 'dim', 'size', 'levels'],
  run: async (args, options) => {
    const method = args.word('method', 'seissol', ['seissol', 'lina']);
    const order = args.integer('order', 4, 2, method === 'seissol' ? 7 : 16);
    const levels = args.integer('levels', 2, 2, 5);
    const dimensions = args.word('dim', method === 'seissol' ? '3' : '2', method === 'seissol' ? ['3'] : ['2', '3']);
    const fused = args.integer('fused', 1, 1, method === 'seissol' ? 64 : 1);
    const coarsest = args.integer('size', method === 'seissol' ? (order < 4 ? 3 : 2) : order < 4 ? 8 : 4, 1, 64);
    // Meshes of tetrahedra differ in more than their size, so that it takes a larger step to see the order.
    const finer = method === 'seissol' || order < 4 ? 2 : 1.5;
    const sizes = Array.from({ length: levels }, (_, k) => Math.round(coarsest * finer ** k));
    const found =
      method === 'seissol'
        ? await onTets(order, fused, sizes, options)
        : await onCells(order, dimensions === '2' ? 2 : 3, sizes, options);
    const { waves, ms } = found;
    const [coarse, fine] = waves.slice(-2);
    const orders = fine.errors.map((_, s) => observedOrder(coarse, fine, s));
    const error = Math.max(...fine.errors);
    return {
      metrics: {
        method,
        order,
        observedOrder: Math.min(...orders),
        fused,
        backend: found.backend,
        ...Object.fromEntries(waves.map(({ n, errors }) => [`error.${n}`, Math.max(...errors)])),
        steps: fine.steps,
      },
      ms,
      findings: [
        // Rounding ends the descent: where errors are as small as it they tell nothing of the order.
        atLeast('least observed order', Math.min(...orders), order - 0.5),
        atMost('largest error', error, RESOLVED),
        ...found.findings,
      ],
      why:
        error > RESOLVED && found.findings.every((f) => f.passed)
          ? `no mesh is fine enough for the wave, of which ${fine.n} a side leave an error of ${error.toFixed(2)}: give a larger size`
          : undefined,
      picture: { extension: 'png', contents: imagePng(found.picture) },
    };
  },
});

interface Found {
  readonly waves: readonly Travelled[];
  readonly ms: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  readonly backend: string;
  readonly picture: Image;
}

const onTets = async (
  order: number,
  fused: number,
  sizes: readonly number[],
  { dtype, backend, threads, seed, progress }: ExampleOptions,
): Promise<Found> => {
  const waves = elasticWaves({ lambda: 2, mu: 1, rho: 1 });
  const k = [1, 1, 0].map((x) => 2 * Math.PI * x);
  const wave = planeWave(waves, k);
  // As in §6.4 the amplitude of simulation s is 1/(1 + s).
  const solutions = Array.from({ length: fused }, (_, s) => scaled(wave, 1 / (1 + s)));
  const matrices = dubinerMatrices(order);
  progress(0.1, 'plan and compile');
  const compiled = await compileTets({
    order,
    simulations: fused,
    matrices,
    star: starPattern(waves),
    capacity: 6 * sizes[sizes.length - 1] ** 3,
    dtype,
    backend,
    threads,
  });
  try {
    const begin = performance.now();
    let picture: Image | undefined;
    let unlike = 0;
    const travelled = sizes.map((n, level): Travelled => {
      progress(0.4 + (0.5 * level) / sizes.length, `${n}³ cubes`);
      const setup = tetsSetup({ order, n, waves, solutions, seed, matrices });
      const solver = compiled.start(setup);
      const steps = travel(solver, setup.dt, END);
      const all = solver.coefficients();
      const each = solutions.map((_, s) => simulation(all, s, fused));
      // The equations are linear: simulation s is simulation 0 with another amplitude.
      each.forEach((c, s) => c.forEach((x, i) => (unlike = Math.max(unlike, Math.abs((1 + s) * x - each[0][i])))));
      if (level === sizes.length - 1) picture = tetsPicture(setup, each[0], waves.quantities.indexOf('u'));
      return { n, steps, errors: solutions.map((solution, s) => setup.modes.error(each[s], solution, END)) };
    });
    return {
      waves: travelled,
      ms: timesOf(compiled, performance.now() - begin),
      findings: fused > 1 ? [atMost('simulations are unlike', unlike, dtype === 'f32' ? 1e-3 : 1e-11)] : [],
      backend: compiled.program.backend,
      picture: picture!,
    };
  } finally {
    compiled.close();
  }
};

const onCells = async (
  order: number,
  dimensions: 2 | 3,
  sizes: readonly number[],
  { dtype, backend, threads, progress }: ExampleOptions,
): Promise<Found> => {
  const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
  const solution = planeWave(
    waves,
    [1, 1, 1].slice(0, dimensions).map((x) => 2 * Math.PI * x),
  );
  progress(0.1, 'plan and compile');
  const capacity = sizes[sizes.length - 1] ** dimensions;
  const compiled = await compileCells({ order, waves, capacity, dtype, backend, threads });
  try {
    const begin = performance.now();
    let picture: Image | undefined;
    const travelled = sizes.map((n, level): Travelled => {
      progress(0.4 + (0.5 * level) / sizes.length, `${n} cells a side`);
      const setup = cellsSetup({ order, n, waves, solution });
      const solver = compiled.start(setup);
      const steps = travel(solver, setup.dt, END);
      const values = solver.coefficients();
      if (level === sizes.length - 1) picture = cellsPicture(setup, values, 0);
      return { n, steps, errors: [nodalError(setup.basis, waves, n, values, solution, END)] };
    });
    return {
      waves: travelled,
      ms: timesOf(compiled, performance.now() - begin),
      findings: [],
      backend: compiled.program.backend,
      picture: picture!,
    };
  } finally {
    compiled.close();
  }
};

/** The largest error of a wave that is resolved: an order is seen only from there on. */
const RESOLVED = 0.2;

/** When the waves are compared with theory. */
const END = 0.2;

const scaled =
  (solution: Solution, by: number): Solution =>
  (x, t, q) => {
    solution(x, t, q);
    for (let p = 0; p < q.length; p++) q[p] *= by;
  };

const timesOf = (
  { planMs, program }: { readonly planMs: number; readonly program: { readonly ms: Readonly<Record<string, number>> } },
  run: number,
): Readonly<Record<string, number>> => ({ ...program.ms, plan: planMs, run });
