import { dense, fields, i, ij, ijk, kernel, layout, ndrange, program } from 'filigree';
import { diverging, imageOf, type Image } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { differentiated } from './differentiated.js';
import { descent } from './optimisers.js';
import { pattern } from './pattern.js';
import type { Simulator } from './simulator.js';

/** Waves on shallow water (thesis App. E.4): first heights from which they come to show a pattern. */
export const wave: Simulator = {
  name: 'wave',
  shows: 'waves on shallow water: first heights from which they run together to a pattern',
  takes: 'size=NODES, steps=…',
  keys: ['size', 'steps'],
  iterations: 200,
  make: async (args, options) => {
    const n = args.integer('size', 64, 4, 4096);
    const steps = args.integer('steps', 128, 2, 100_000);
    const target = patternOn(n);
    const { u, step, still } = waveKernels(n, options.dtype);
    const { wanted } = fields(options.dtype, ij, ['wanted']);
    const { loss } = fields(options.dtype, i, ['loss']);
    const given = { float: options.dtype, scope: { n } };
    const reset = kernel([loss], given, (loss) => {
      loss[0] = 0;
    });
    const miss = kernel([u, wanted, loss, 'i32'], given, (u, wanted, loss, t) => {
      for (const [i, j] of ndrange(n, n)) loss[0] += (u[t][i][j] - wanted[i][j]) ** 2 / n ** 2;
    });
    const sim = await program({
      layout: layout(dense(ijk, [steps, n, n]).place(u), dense(ij, n).place(wanted), dense(i, 1).place(loss)),
      kernels: { step, still, reset, miss },
      differentiate: [u, loss],
      ...programOptions(options),
    });
    handOut(options, 'wave', sim);
    sim.field(wanted).fromArray(target);
    return {
      ...differentiated(sim, {
        loss,
        by: [{ field: u, to: [1, n, n] }],
        forward: () => {
          sim.run.reset();
          sim.run.still();
          for (let t = 2; t < steps; t++) sim.run.step(t);
          sim.run.miss(steps - 1);
        },
      }),
      start: new Float64Array(n * n),
      optimiser: descent(0.1 * n * n),
      plain: (heights) => plainWave(heights, n, steps).reduce((sum, h, k) => sum + (h - target[k]) ** 2, 0) / n ** 2,
      difference: 1e-2,
      picture: () => {
        const last = Array.from(sim.field(u).toArray({ from: [steps - 1, 0, 0], to: [steps, n, n] }), Number);
        return heightsImage(last, n);
      },
      metrics: { size: n, steps },
      close: () => sim.dispose(),
    };
  },
};

/** Heights of shallow water at each time, and the kernels that make those of a time from the two before it; at first it is still. */
export const waveKernels = (n: number, float: 'f32' | 'f64') => {
  const { u } = fields(float, ijk, ['u']);
  const [now, before] = waveCoefficients(n);
  const given = { float, scope: { n, now, before } };
  /* The edge is held at 0. */
  const step = kernel([u, 'i32'], given, (u, t) => {
    for (const [i, j] of ndrange([1, n - 1], [1, n - 1])) {
      const a = u[t - 1][i + 1][j] + u[t - 1][i - 1][j] + u[t - 1][i][j + 1] + u[t - 1][i][j - 1];
      const b = u[t - 2][i + 1][j] + u[t - 2][i - 1][j] + u[t - 2][i][j + 1] + u[t - 2][i][j - 1];
      u[t][i][j] =
        2 * u[t - 1][i][j] - u[t - 2][i][j] + now * (a - 4 * u[t - 1][i][j]) - before * (b - 4 * u[t - 2][i][j]);
    }
  });
  const still = kernel([u], given, (u) => {
    for (const [i, j] of ndrange(n, n)) u[1][i][j] = u[0][i][j];
  });
  return { u, step, still };
};

/** What a step multiplies differences from the neighbours by: those of now, and of the step before. */
export const waveCoefficients = (n: number): readonly [now: number, before: number] => {
  const [speed, damping] = [0.5, 0.1];
  const dt = 0.5 / (n * speed);
  const [c, d] = [(speed * dt * n) ** 2, speed * damping * dt * n ** 2 * 0.01];
  return [c + d, d];
};

/** Heights after all steps. */
export const plainWave = (first: ArrayLike<number>, n: number, steps: number): Float64Array => {
  const [now, before] = waveCoefficients(n);
  let [older, old] = [Float64Array.from(first), Float64Array.from(first)];
  for (let t = 2; t < steps; t++) {
    const next = new Float64Array(n * n);
    const bend = (u: Float64Array, k: number): number => u[k + 1] + u[k - 1] + u[k + n] + u[k - n] - 4 * u[k];
    for (let i = 1; i < n - 1; i++)
      for (let j = 1; j < n - 1; j++) {
        const k = n * i + j;
        next[k] = 2 * old[k] - older[k] + now * bend(old, k) - before * bend(older, k);
      }
    [older, old] = [old, next];
  }
  return old;
};

/** The pattern at the nodes of a grid. */
export const patternOn = (n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, k) => pattern((Math.floor(k / n) + 0.5) / n, ((k % n) + 0.5) / n));

/** Heights from −1 to 1, the first axis to the right and the second up. */
export const heightsImage = (heights: ArrayLike<number>, n: number): Image => {
  const zoom = Math.max(1, Math.floor(512 / n));
  return imageOf(n * zoom, n * zoom, (x, y) =>
    diverging(heights[n * Math.floor(x / zoom) + (n - 1 - Math.floor(y / zoom))]),
  );
};
