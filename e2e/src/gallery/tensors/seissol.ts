import { readBytesSync } from 'filigree';
import type { ExampleOptions } from 'filigree';
import { fail } from '@filigree/ir';
import type { Flops } from '@filigree/tensor';
import { randomNumbers } from '../../meshes/random.js';
import { atMost } from '../../fields/finding.js';
import { measurePeak } from '../../tensors/peak.js';
import { compileTets, TET_PARTS, type CompiledTets, type TetsProgram } from '../../tensors/seissol/compiled.js';
import { readMatrices, type Matrices } from '../../tensors/seissol/read-matrices.js';
import { dubinerMatrices } from '../../tensors/seissol/dubiner-matrices.js';
import { referenceTets } from '../../tensors/seissol/reference.js';
import { tetsSetup, type TetsSetup } from '../../tensors/seissol/setup.js';
import { elasticWaves, planeWave, starPattern } from '../../tensors/waves.js';
import { relativeDifference } from './relative-difference.js';
import { speedChart } from './speed-chart.js';
import { speedsOf, tensorExample, type Counted } from './tensor-example.js';

/** The kernels of SeisSol (§5.1, §6.3): compiled, checked against plain loops, and timed beside the machine's peak. */
export const seissolExample = tensorExample({
  name: 'seissol',
  summary:
    "SeisSol's ADER-DG kernels for elastic waves on tetrahedra (order=2…7, fused=SIMULATIONS, size=CUBES a side, matrices=FILE.xml",
  keys: ['order', 'fused', 'size', 'matrices'],
  run: async (args, options) => {
    const order = args.integer('order', 6, 2, 7);
    const fused = args.integer('fused', 1, 1, 64);
    const size = args.integer('size', fused >= 8 ? 3 : 4, 1, 32);
    const file = args.text('matrices', '');
    options.progress(0, 'matrices');
    const matrices = file === '' ? dubinerMatrices(order) : matricesOf(file, order);
    const setup = setupOf(order, fused, size, matrices, options.seed);
    options.progress(0.1, 'plan and compile');
    const compiled = await compiledFor(setup, options);
    try {
      const solver = compiled.start(setup);
      options.progress(0.5, 'check');
      const wrong = differenceFromPlain(setup, solver, options.seed);
      options.progress(0.7, 'time');
      const peak = await measurePeak(options.dtype, options.backend);
      const samples = options.bench ? 15 : 5;
      const speeds = speedsOf(countedOf(solver, setup), samples);
      const step = speeds[0];
      const single = options.bench && fused > 1 ? await singleMs(setup, solver, options, samples) : undefined;
      const flops = solver.flops();
      const total = (kind: 'nonzero' | 'hardware'): number =>
        TET_PARTS.reduce((sum, part) => sum + flops[part][kind], 0) / setup.mesh.size;
      return {
        metrics: {
          order,
          fused,
          backend: compiled.program.backend,
          elements: setup.mesh.size,
          kernels: Object.keys(compiled.program.kernels).length,
          nonzeroFlops: total('nonzero'),
          hardwareFlops: total('hardware'),
          nonzeroGflops: step.nonzero,
          hardwareGflops: step.hardware,
          peakGflops: peak,
          percentOfPeak: (100 * step.hardware) / peak,
          nonzeroPercentOfPeak: (100 * step.nonzero) / peak,
          mdofs: setup.start.length / step.ms / 1e3,
          ...Object.fromEntries(speeds.slice(1).map((s) => [`hardwareGflops.${s.name}`, s.hardware])),
          ...(single !== undefined && { speedup: single.ms / single.fused }),
        },
        ms: {
          plan: compiled.planMs,
          generate: compiled.program.ms.generate,
          compile: compiled.program.ms.compile,
          run: step.ms,
          ...Object.fromEntries(speeds.slice(1).map((s) => [s.name, s.ms])),
        },
        ...(single !== undefined && { baselines: { single: single.ms } }),
        findings: [atMost('difference from plain loops', wrong, options.dtype === 'f32' ? 3e-5 : 1e-12)],
        picture: {
          extension: 'svg',
          contents: speedChart(
            `SeisSol, order ${order}, ${options.dtype}, ${fused} simulation${fused > 1 ? 's' : ''}`,
            speeds,
            peak,
          ),
        },
      };
    } finally {
      compiled.close();
    }
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

const compiledFor = (setup: TetsSetup, { dtype, backend, threads }: ExampleOptions): Promise<TetsProgram> =>
  compileTets({
    order: setup.order,
    simulations: setup.simulations,
    matrices: setup.matrices,
    star: starPattern(WAVES),
    capacity: setup.mesh.size,
    dtype,
    backend,
    threads,
  });

/** After one step, at a few elements. */
const differenceFromPlain = (setup: TetsSetup, solver: CompiledTets, seed: number): number => {
  const random = randomNumbers(seed);
  const some = Array.from({ length: Math.min(8, setup.mesh.size) }, () => Math.floor(random() * setup.mesh.size));
  const elements = [...new Set(some)];
  const plain = referenceTets(setup, elements);
  plain.step(setup.dt);
  solver.step(setup.dt);
  return relativeDifference(
    solver.coefficients(),
    plain.coefficients(),
    elements,
    setup.start.length / setup.mesh.size,
  );
};

/** A whole step, then its parts. Times do not depend on values, which go on from step to step. */
const countedOf = (solver: CompiledTets, { dt }: TetsSetup): readonly Counted[] => {
  const flops = solver.flops();
  const whole = (kind: keyof Flops): number => TET_PARTS.reduce((sum, p) => sum + flops[p][kind], 0);
  return [
    {
      name: 'step',
      run: () => solver.step(dt),
      flops: { nonzero: whole('nonzero'), hardware: whole('hardware'), naive: whole('naive') },
    },
    ...TET_PARTS.map((part) => ({ name: part, run: () => solver.part(part, dt), flops: flops[part] })),
  ];
};

/** As many simulations one after another, beside the fused ones. */
const singleMs = async (
  setup: TetsSetup,
  solver: CompiledTets,
  options: ExampleOptions,
  samples: number,
): Promise<{ readonly ms: number; readonly fused: number }> => {
  const { simulations, start } = setup;
  const alone = { ...setup, simulations: 1, start: start.filter((_, i) => i % simulations === 0) };
  const compiled = await compiledFor(alone, options);
  try {
    const one = compiled.start(alone);
    const [single, fused] = speedsOf([countedOf(one, alone)[0], countedOf(solver, setup)[0]], samples);
    return { ms: simulations * single.ms, fused: fused.ms };
  } finally {
    compiled.close();
  }
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
