import { error, type Diagnostic } from '@filigree/ir';
import { randomNumbers } from '../../meshes/random.js';
import { compileCells } from '../../tensors/lina/compiled.js';
import { referenceCells } from '../../tensors/lina/reference.js';
import { nativeCells } from '../../tensors/lina/native.js';
import { cellsSetup, type CellsSetup } from '../../tensors/lina/setup.js';
import { acousticWaves, planeWave } from '../../tensors/waves.js';
import { reportSolver, type Beside } from './solver-report.js';
import { tensorExample } from './tensor-example.js';

/** The kernels of LinA (§5.2, §6.5): compiled, checked against plain loops, and timed beside the machine's peak. */
export const linaExample = tensorExample({
  name: 'lina',
  shows: 'sound through squares or cubes: the kernels of the wave solver LinA, spectral elements of high order',
  takes: 'dim=2|3, order=2…32, size=CELLS a side',
  keys: ['dim', 'order', 'size'],
  run: async (args, options) => {
    const dimensions = args.word('dim', '2', ['2', '3']) === '2' ? 2 : 3;
    const order = args.integer('order', dimensions === 2 ? 16 : 8, 2, 32);
    const size = args.integer('size', dimensions === 2 ? 8 : 3, 1, 64);
    const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
    const k = [1, 2, 1].slice(0, dimensions).map((x) => 2 * Math.PI * x);
    const cells = size ** dimensions;
    const { dtype, backend, threads } = options;
    const setup = cellsSetup({ order, n: size, waves, solution: planeWave(waves, k) });
    const outcome = await reportSolver(
      {
        problem: {
          setup,
          elements: cells,
          compile: (gemm) => compileCells({ order, waves, capacity: cells, dtype, backend, threads, gemm }),
          plain: referenceCells,
          compared: [...new Set([0, Math.floor(randomNumbers(options.seed)() * cells)])],
        },
        title: `LinA in ${dimensions} dimensions, order ${order}, ${dtype}`,
        tolerance: dtype === 'f32' ? 1e-4 : 1e-10,
        beside: async () => [await byHand(setup, dtype, threads)],
      },
      options,
    );
    return { ...outcome, metrics: { dim: dimensions, order, ...outcome.metrics } };
  },
});

/** Loops in C++ by hand, or why there are none. */
const byHand = async (setup: CellsSetup, dtype: 'f32' | 'f64', threads: number): Promise<Beside | Diagnostic> => {
  const native = await nativeCells(setup, dtype, threads);
  if (typeof native === 'string')
    return error('example/baseline', `the baseline by hand was not compiled: ${native}`, {
      remedy: 'install a C++17 compiler with OpenMP',
    });
  native.step(setup.dt);
  return {
    name: 'native',
    run: () => native.step(setup.dt),
    times: 1,
    after: native.coefficients(),
    close: native.close,
  };
};
