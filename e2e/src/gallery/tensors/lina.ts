import { atMost } from '../../fields/finding.js';
import { randomNumbers } from '../../meshes/random.js';
import { CELL_PARTS, compileCells, type CompiledCells } from '../../tensors/lina/compiled.js';
import { referenceCells } from '../../tensors/lina/reference.js';
import { cellsSetup, type CellsSetup } from '../../tensors/lina/setup.js';
import { measurePeak } from '../../tensors/peak.js';
import { acousticWaves, planeWave } from '../../tensors/waves.js';
import { relativeDifference } from './relative-difference.js';
import { speedChart } from './speed-chart.js';
import { speedsOf, tensorExample, type Counted } from './tensor-example.js';

/** The kernels of LinA (§5.2, §6.5): compiled, checked against plain loops, and timed beside the machine's peak. */
export const linaExample = tensorExample({
  name: 'lina',
  summary: "LinA's ADER spectral element kernels for sound on squares or cubes (dim=2|3, order=2…32, size=CELLS a side",
  keys: ['dim', 'order', 'size'],
  run: async (args, options) => {
    const dimensions = args.word('dim', '2', ['2', '3']) === '2' ? 2 : 3;
    const order = args.integer('order', dimensions === 2 ? 16 : 8, 2, 32);
    const size = args.integer('size', dimensions === 2 ? 8 : 3, 1, 64);
    const waves = acousticWaves(dimensions, { bulk: 2, rho: 0.7 });
    const k = [1, 2, 1].slice(0, dimensions).map((x) => 2 * Math.PI * x);
    const setup = cellsSetup({ order, n: size, waves, solution: planeWave(waves, k) });
    const cells = size ** dimensions;
    options.progress(0.1, 'plan and compile');
    const { dtype, backend, threads } = options;
    const compiled = await compileCells({ order, waves, capacity: cells, dtype, backend, threads });
    try {
      const solver = compiled.start(setup);
      options.progress(0.5, 'check');
      const wrong = differenceFromPlain(setup, solver, options.seed);
      options.progress(0.7, 'time');
      const peak = await measurePeak(dtype, backend);
      const speeds = speedsOf(countedOf(solver, setup), options.bench ? 15 : 5);
      const step = speeds[0];
      const total = (kind: 'nonzero' | 'hardware'): number =>
        CELL_PARTS.reduce((sum, part) => sum + solver.flops[part][kind], 0) / cells;
      return {
        metrics: {
          dim: dimensions,
          order,
          backend: compiled.program.backend,
          elements: cells,
          nonzeroFlops: total('nonzero'),
          hardwareFlops: total('hardware'),
          nonzeroGflops: step.nonzero,
          hardwareGflops: step.hardware,
          peakGflops: peak,
          percentOfPeak: (100 * step.hardware) / peak,
          nonzeroPercentOfPeak: (100 * step.nonzero) / peak,
          mdofs: setup.start.length / step.ms / 1e3,
          ...Object.fromEntries(speeds.slice(1).map((s) => [`hardwareGflops.${s.name}`, s.hardware])),
        },
        ms: {
          plan: compiled.planMs,
          generate: compiled.program.ms.generate,
          compile: compiled.program.ms.compile,
          run: step.ms,
          ...Object.fromEntries(speeds.slice(1).map((s) => [s.name, s.ms])),
        },
        findings: [atMost('difference from plain loops', wrong, dtype === 'f32' ? 1e-4 : 1e-10)],
        picture: {
          extension: 'svg',
          contents: speedChart(`LinA in ${dimensions} dimensions, order ${order}, ${dtype}`, speeds, peak),
        },
      };
    } finally {
      compiled.close();
    }
  },
});

/** After one step, at a few cells. */
const differenceFromPlain = (setup: CellsSetup, solver: CompiledCells, seed: number): number => {
  const random = randomNumbers(seed);
  const cells = setup.n ** setup.waves.dimensions;
  const some = [...new Set([0, Math.floor(random() * cells)])];
  const plain = referenceCells(setup, some);
  plain.step(setup.dt);
  solver.step(setup.dt);
  return relativeDifference(solver.coefficients(), plain.coefficients(), some, setup.start.length / cells);
};

const countedOf = (solver: CompiledCells, { dt }: CellsSetup): readonly Counted[] => {
  const { flops } = solver;
  const whole = (kind: keyof typeof flops.local): number => CELL_PARTS.reduce((sum, p) => sum + flops[p][kind], 0);
  return [
    {
      name: 'step',
      run: () => solver.step(dt),
      flops: { nonzero: whole('nonzero'), hardware: whole('hardware'), naive: whole('naive') },
    },
    ...CELL_PARTS.map((part) => ({ name: part, run: () => solver.part(part, dt), flops: flops[part] })),
  ];
};
