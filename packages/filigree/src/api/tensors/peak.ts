import {
  declareBuffer,
  buildKernel,
  makeModule,
  type Value,
  checkOptions,
  type OptionSpec,
  orThrow,
} from '@filigree/ir';
import { instantiate } from '@filigree/runtime';
import { checkDtype } from './check-given.js';
import { tensorSpec, type TensorOptions } from './program.js';
import { tensorBackend } from './target.js';

/** What one core can do at most, ready to be timed in turns with something else. */
export interface PeakMeter {
  /** Floating-point operations of a run, which takes about a quarter of a millisecond. */
  readonly flops: number;
  readonly run: () => void;
  readonly dispose: () => void;
}

/**
 * Multiply-adds of independent vectors that stay in registers: the most that one core reaches with a backend and the vectors
 * that tensor kernels use there. Rejects with a `DiagnosticError`.
 */
export const peakMeter = async (
  dtype: 'f32' | 'f64',
  given?: Pick<TensorOptions, 'backend' | 'target'>,
): Promise<PeakMeter> => {
  checkDtype(dtype);
  const options = checkOptions('peakMeter', given, meterSpec);
  const { backend, target } = await tensorBackend(options);
  const lanes = target.vectorBytes / (dtype === 'f64' ? 8 : 4);
  const sums = target.registers === 32 ? 24 : 12;
  const buffers = [declareBuffer('x', dtype, (sums + 2) * lanes, 'inout')];
  const kernel = buildKernel(
    'peak',
    { n: 'i32' },
    (b, { n }) => {
      const [a, c] = [b.load('x', b.i32(sums * lanes), lanes), b.load('x', b.i32((sums + 1) * lanes), lanes)];
      const start = Array.from({ length: sums }, (_, k) => b.load('x', b.i32(k * lanes), lanes));
      const end = b.for(b.i32(0), n, b.i32(1), {}, start, (_, values) =>
        values.map((v): Value => b.add(b.mul(v, a), c)),
      );
      end.forEach((v, k) => b.store('x', v, b.i32(k * lanes)));
    },
    buffers,
  );
  const { buffer, launch, dispose } = orThrow(await instantiate(makeModule('peak', buffers, [kernel]), backend)());
  /* Values stay near one: numbers that are very small or not finite would be slower. */
  const x = buffer('x');
  x.write((x.read() as Float64Array).fill(0.5));
  const timed = (trips: number): number => {
    const started = performance.now();
    launch('peak', [trips]);
    return performance.now() - started;
  };
  let trips = 10_000;
  for (let run = 0; run < 4; run++) {
    const ms = Math.min(timed(trips), timed(trips));
    trips = Math.min(2e9, Math.max(1, Math.ceil(trips * Math.min(100, RUN_MS / Math.max(ms, 1e-3)))));
  }
  return { flops: 2 * lanes * sums * trips, run: () => launch('peak', [trips]), dispose };
};

const meterSpec: OptionSpec<Pick<TensorOptions, 'backend' | 'target'>> = {
  backend: tensorSpec.backend,
  target: tensorSpec.target,
};

const RUN_MS = 0.25;

/**
 * What `peakMeter` reaches, in GFLOP/s: the best of many runs. Takes about 50 ms. Rejects with a `DiagnosticError`.
 */
export const measurePeak = async (
  dtype: 'f32' | 'f64',
  options?: Pick<TensorOptions, 'backend' | 'target'>,
): Promise<number> => {
  const { flops, run, dispose } = await peakMeter(dtype, options);
  try {
    let least = Infinity;
    for (let sample = 0; sample < 150; sample++) {
      const started = performance.now();
      run();
      least = Math.min(least, performance.now() - started);
    }
    return flops / (least * 1e6);
  } finally {
    dispose();
  }
};
