import { declareBuffer, buildKernel, makeModule, type Value } from '@filigree/ir';
import { instantiate } from '@filigree/runtime';
import { right } from '../build.js';
import type { TensorOptions } from './program.js';
import { tensorBackend } from './target.js';

/**
 * The most floating-point operations per second that one core of this machine reaches with a backend and the vectors
 * that tensor kernels use there, in GFLOP/s: multiply-adds of independent vectors that stay in registers, the best of
 * several runs. Takes about 50 ms. Rejects with a `DiagnosticError`.
 */
export const measurePeak = async (
  dtype: 'f32' | 'f64',
  options: Pick<TensorOptions, 'backend' | 'target'> = {},
): Promise<number> => {
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
  const instance = right(await instantiate(makeModule('peak', buffers, [kernel]), backend)());
  try {
    /* Values stay near one: numbers that are very small or not finite would be slower. */
    (instance.buffers['x'] as Float64Array).fill(0.5);
    let best = 0;
    let trips = 10_000;
    for (let run = 0; run < 12; run++) {
      const started = performance.now();
      instance.launch('peak', [trips]);
      const ms = performance.now() - started;
      best = Math.max(best, (2 * lanes * sums * trips) / (ms * 1e6));
      if (ms < 3) trips = Math.min(2e9, Math.ceil(trips * Math.min(100, 4 / Math.max(ms, 0.01))));
    }
    return best;
  } finally {
    instance.dispose();
  }
};
