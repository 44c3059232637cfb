import { readBytesSync } from 'filigree';
import type { ExampleOptions, GemmLibrary } from 'filigree';
import { fail } from '@filigree/ir';
import { randomNumbers } from '../../meshes/random.js';
import { compileTets } from '../../tensors/seissol/compiled.js';
import { readMatrices, type Matrices } from '../../tensors/seissol/read-matrices.js';
import { dubinerMatrices } from '../../tensors/seissol/dubiner-matrices.js';
import { referenceTets } from '../../tensors/seissol/reference.js';
import { tetsSetup, type TetsSetup } from '../../tensors/seissol/setup.js';
import { elasticWaves, planeWave, starPattern } from '../../tensors/waves.js';
import { reportSolver, type Beside } from './solver-report.js';
import { tensorExample } from './tensor-example.js';

/** The kernels of SeisSol (§5.1, §6.3): compiled, checked against plain loops, and timed beside the machine's peak. */
export const seissolExample = tensorExample({
  name: 'seissol',
  shows: 'elastic waves through tetrahedra: the kernels of the earthquake solver SeisSol, discontinuous Galerkin',
  takes: 'order=2…7, fused=SIMULATIONS, size=CUBES a side, matrices=FILE.xml',
  keys: ['order', 'fused', 'size', 'matrices'],
  run: async (args, options) => {
    const order = args.integer('order', 6, 2, 7);
    const fused = args.integer('fused', 1, 1, 64);
    const size = args.integer('size', fused >= 8 ? 3 : 4, 1, 32);
    const file = args.text('matrices', '');
    options.progress(0, 'matrices');
    const matrices = file === '' ? dubinerMatrices(order) : matricesOf(file, order);
    const setup = setupOf(order, fused, size, matrices, options.seed);
    const { dtype } = options;
    const outcome = await reportSolver(
      {
        problem: {
          setup,
          elements: setup.mesh.size,
          compile: (gemm) => compiledFor(setup, options, gemm),
          plain: referenceTets,
          compared: someOf(setup.mesh.size, options.seed),
        },
        title: `SeisSol, order ${order}, ${dtype}, ${fused} simulation${fused > 1 ? 's' : ''}`,
        tolerance: dtype === 'f32' ? 3e-5 : 1e-12,
        ...(fused > 1 && { beside: async () => [await singleOf(setup, options)] }),
      },
      options,
    );
    return { ...outcome, metrics: { order, fused, ...outcome.metrics } };
  },
});

const WAVES = elasticWaves({ lambda: 2, mu: 1, rho: 1 });

const setupOf = (order: number, simulations: number, n: number, matrices: Matrices, seed: number): TetsSetup =>
  tetsSetup({
    order,
    n,
    waves: WAVES,
    // Each simulation has a wave in a direction of its own.
    solutions: Array.from({ length: simulations }, (_, s) =>
      planeWave(
        WAVES,
        [1 + (s % 2), Math.floor(s / 2) % 3, 1 + (Math.floor(s / 6) % 4)].map((k) => 2 * Math.PI * k),
      ),
    ),
    seed,
    matrices,
  });

const compiledFor = (setup: TetsSetup, { dtype, backend, threads }: ExampleOptions, gemm: GemmLibrary) =>
  compileTets({
    order: setup.order,
    simulations: setup.simulations,
    matrices: setup.matrices,
    star: starPattern(WAVES),
    capacity: setup.mesh.size,
    dtype,
    backend,
    threads,
    gemm,
  });

const someOf = (size: number, seed: number): readonly number[] => {
  const random = randomNumbers(seed);
  return [...new Set(Array.from({ length: Math.min(8, size) }, () => Math.floor(random() * size)))];
};

/** As many simulations one after another, beside the fused ones. */
const singleOf = async (setup: TetsSetup, options: ExampleOptions): Promise<Beside> => {
  const { simulations, start, dt } = setup;
  const alone = { ...setup, simulations: 1, start: start.filter((_, i) => i % simulations === 0) };
  const compiled = await compiledFor(alone, options, 'own');
  const one = compiled.start(alone);
  return { name: 'single', run: () => one.step(dt), times: simulations, close: compiled.close };
};

const matricesOf = (file: string, order: number): Matrices => {
  const found = readMatrices(file, new TextDecoder().decode(readBytesSync(file)));
  const expected = dubinerMatrices(order);
  for (const [name, { shape }] of Object.entries(expected)) {
    const other = found[name];
    if (!other?.values || other.shape.some((n, d) => n !== shape[d]))
      fail(
        'example/matrices',
        other ? `${name} of ${file} has ${other.shape.join(' × ')} entries` : `${file} has no matrix ${name}`,
        { remedy: `give the matrices of order ${order}: those of ${expected['kDivM(0)'].shape[0]} basis functions` },
      );
  }
  return found;
};
