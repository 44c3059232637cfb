import { dense, fields, i, i32, ij, kernel, layout, ndrange, program, steps as inSteps } from 'filigree';
import { imageOf, type Image } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import { patternOn } from './wave.js';
import type { Simulator } from './simulator.js';

/**
 * Smoke in a square whose edges are joined (thesis App. E.3): first velocities with which it comes to show a pattern. Each step makes velocities
 * free of divergence by sweeps of Jacobi's method, and lets them carry themselves and the smoke.
 */
export const smoke: Simulator = {
  name: 'smoke',
  shows: 'smoke in a plane: first velocities with which it drifts into a pattern',
  takes: 'size=CELLS, steps=…, sweeps=…',
  keys: ['size', 'steps', 'sweeps'],
  iterations: 40,
  make: async (args, options) => {
    const n = args.integer('size', 64, 4, 4096);
    const steps = args.integer('steps', 32, 1, 100_000);
    const sweeps = args.integer('sweeps', 6, 1, 10_000);
    const target = patternOn(n);
    const { ux, uy, dye, drifted } = fields(options.dtype, ij, ['ux', 'uy', 'dye', 'drifted']);
    const { vx, vy, div, p, q, wanted } = fields(options.dtype, ij, ['vx', 'vy', 'div', 'p', 'q', 'wanted']);
    const { loss } = fields(options.dtype, i, ['loss']);
    const given = { float: options.dtype, scope: { n } };
    const diverge = kernel([vx, vy, div, p], given, (vx, vy, div, p) => {
      for (const [i, j] of ndrange(n, n)) {
        div[i][j] = 0.5 * (vx[(i + 1) % n][j] - vx[(i + n - 1) % n][j] + vy[i][(j + 1) % n] - vy[i][(j + n - 1) % n]);
        p[i][j] = 0.0;
      }
    });
    const sweepTo = (from: typeof p, to: typeof p) =>
      kernel([div, from, to], given, (div, from, to) => {
        for (const [i, j] of ndrange(n, n))
          to[i][j] =
            (from[(i + 1) % n][j] +
              from[(i + n - 1) % n][j] +
              from[i][(j + 1) % n] +
              from[i][(j + n - 1) % n] -
              div[i][j]) /
            4;
      });
    const [there, back] = [sweepTo(p, q), sweepTo(q, p)];
    const last = sweeps % 2 === 0 ? p : q;
    const correct = kernel([vx, vy, ux, uy, last], given, (vx, vy, ux, uy, p) => {
      for (const [i, j] of ndrange(n, n)) {
        ux[i][j] = vx[i][j] - 0.5 * (p[(i + 1) % n][j] - p[(i + n - 1) % n][j]);
        uy[i][j] = vy[i][j] - 0.5 * (p[i][(j + 1) % n] - p[i][(j + n - 1) % n]);
      }
    });
    /* Between the nodes around where what is at a node comes from; all that is carried shares their weights. */
    const carryTo = (from: typeof dye, to: typeof dye) =>
      kernel([vx, vy, ux, uy, from, to], given, (vx, vy, ux, uy, from, to) => {
        for (const [i, j] of ndrange(n, n)) {
          const [x, y] = [i - ux[i][j], j - uy[i][j]];
          const [a, b] = [i32(Math.floor(x)), i32(Math.floor(y))];
          const [s, r] = [x - a, y - b];
          const [k, l] = [((a % n) + n) % n, ((b % n) + n) % n];
          const [m, o] = [(k + 1) % n, (l + 1) % n];
          const [w0, w1, w2, w3] = [(1 - s) * (1 - r), (1 - s) * r, s * (1 - r), s * r];
          vx[i][j] = w0 * ux[k][l] + w1 * ux[k][o] + w2 * ux[m][l] + w3 * ux[m][o];
          vy[i][j] = w0 * uy[k][l] + w1 * uy[k][o] + w2 * uy[m][l] + w3 * uy[m][o];
          to[i][j] = w0 * from[k][l] + w1 * from[k][o] + w2 * from[m][l] + w3 * from[m][o];
        }
      });
    const [carry, carryBack] = [carryTo(dye, drifted), carryTo(drifted, dye)];
    const shown = steps % 2 === 0 ? dye : drifted;
    const miss = kernel([shown, wanted, loss], given, (dye, wanted, loss) => {
      loss[0] = 0.0;
      for (const [i, j] of ndrange(n, n)) loss[0] += (dye[i][j] - wanted[i][j]) ** 2 / (n * n);
    });
    const sim = await program({
      layout: layout(
        ...[ux, uy, dye, drifted, vx, vy, div, p, q, wanted].map((f) => dense(ij, n).place(f)),
        dense(i, 1).place(loss),
      ),
      kernels: { diverge, there, back, correct, carry, carryBack, miss },
      differentiate: [vx, vy, ux, uy, dye, drifted, div, p, q, loss],
      ...programOptions(options),
    });
    handOut(options, 'smoke', sim);
    sim.field(wanted).fromArray(target);
    const first = firstDye(n);
    const step = (t: number): void => {
      sim.run.diverge();
      for (let s = 0; s < sweeps; s++) sim.run[s % 2 === 0 ? 'there' : 'back']();
      sim.run.correct();
      sim.run[t % 2 === 0 ? 'carry' : 'carryBack']();
    };
    return {
      ...differentiated(sim, {
        loss,
        by: [
          { field: vx, to: [n, n] },
          { field: vy, to: [n, n] },
        ],
        /* Each step overwrites all of these; of what is not used linearly only, velocities and smoke that are carried, the values are kept. */
        begin: () => sim.field(dye).fromArray(first),
        forward: () => {
          inSteps(sim, steps, step, { state: [vx, vy, ux, uy, dye, drifted, div, p, q], keep: 'all' });
          sim.run.miss();
        },
      }),
      /* A light wind, so that no smoke comes from exactly where a cell is: there the derivative jumps. */
      start: firstVelocity(n),
      optimiser: adam(0.02),
      plain: (v) => plainMiss(v, target, { n, steps, sweeps }),
      difference: 1e-4,
      picture: () => dyeImage(Array.from(sim.field(shown).toArray(), Number), n),
      metrics: { size: n, steps, sweeps },
      close: () => sim.dispose(),
    };
  },
};

/** Smoke in broad bands, one of which the pattern can be stirred from. */
export const firstDye = (n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, k) => 0.5 + 0.5 * Math.cos((4 * Math.PI * (k % n)) / n));

export const firstVelocity = (n: number): Float64Array =>
  Float64Array.from({ length: 2 * n * n }, (_, k) => 0.4 + 0.05 * Math.sin((2 * Math.PI * k) / n));

const dyeImage = (dye: readonly number[], n: number): Image => {
  const zoom = Math.max(1, Math.floor(512 / n));
  return imageOf(n * zoom, n * zoom, (x, y) => {
    const v = 255 * (1 - dye[n * Math.floor(x / zoom) + (n - 1 - Math.floor(y / zoom))]);
    return [v, v, v];
  });
};

/** The mean square by which smoke misses the pattern; `v` holds both components of the first velocities. */
const plainMiss = (
  v: Float64Array,
  target: Float64Array,
  { n, steps, sweeps }: { readonly n: number; readonly steps: number; readonly sweeps: number },
): number => {
  const wrap = (k: number): number => ((k % n) + n) % n;
  const at = (u: Float64Array, i: number, j: number): number => u[n * wrap(i) + wrap(j)];
  const filled = (f: (i: number, j: number) => number): Float64Array =>
    Float64Array.from({ length: n * n }, (_, k) => f(Math.floor(k / n), k % n));
  let [x, y, dye]: readonly Float64Array[] = [v.slice(0, n * n), v.slice(n * n), firstDye(n)];
  for (let t = 0; t < steps; t++) {
    const [vx, vy] = [x, y];
    const div = filled((i, j) => (at(vx, i + 1, j) - at(vx, i - 1, j) + at(vy, i, j + 1) - at(vy, i, j - 1)) / 2);
    let p: Float64Array = new Float64Array(n * n);
    for (let s = 0; s < sweeps; s++) {
      const q = p;
      p = filled((i, j) => (at(q, i + 1, j) + at(q, i - 1, j) + at(q, i, j + 1) + at(q, i, j - 1) - at(div, i, j)) / 4);
    }
    const ux = filled((i, j) => at(vx, i, j) - (at(p, i + 1, j) - at(p, i - 1, j)) / 2);
    const uy = filled((i, j) => at(vy, i, j) - (at(p, i, j + 1) - at(p, i, j - 1)) / 2);
    const carried = (u: Float64Array): Float64Array =>
      filled((i, j) => {
        const [a, b] = [i - at(ux, i, j), j - at(uy, i, j)];
        const [k, l] = [Math.floor(a), Math.floor(b)];
        const along = (m: number): number => at(u, m, l) + (b - l) * (at(u, m, l + 1) - at(u, m, l));
        return along(k) + (a - k) * (along(k + 1) - along(k));
      });
    [x, y, dye] = [carried(ux), carried(uy), carried(dye)];
  }
  return dye.reduce((s, d, k) => s + (d - target[k]) ** 2, 0) / n ** 2;
};
