import { dense, fields, i, kernel, layout, program, range } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { reached } from '../fields/finding.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import type { Simulator } from './simulator.js';

/** Steps that a pendulum may try, which are enough, and iterations in which speeds are found. */
const [TRIES, ITERATIONS] = [2000, 150];

/**
 * Pendulums with friction, each followed by steps that are as long as their error allows (Bogacki, Shampine 1989): a loop that runs until the time
 * is over, or is left when it has tried too often.
 */
export const adaptivePendulum: Simulator = {
  name: 'adaptive-pendulum',
  shows: 'pendulums, by steps of adaptive length: how each is to be pushed so that it ends upright, at rest',
  takes: 'size=PENDULUMS, tries=…',
  keys: ['size', 'tries'],
  iterations: ITERATIONS,
  make: async (args, options) => {
    const n = args.integer('size', 36, 1, 1_000_000);
    const most = args.integer('tries', TRIES, 1, 60_000);
    const { angle, speed, drag, lastAngle, lastSpeed, tries, loss } = fields(options.dtype, i, [
      ...['angle', 'speed', 'drag', 'lastAngle', 'lastSpeed', 'tries', 'loss'],
    ]);
    const fall = (a: number, w: number, d: number): number => -gravity * Math.sin(a) - d * w;
    const scope = { n, most, fall, gravity, TIME, TOLERANCE, FIRST, LEAST };
    const given = { float: options.dtype, scope };
    const swing = kernel(
      [angle, speed, drag, lastAngle, lastSpeed, tries],
      given,
      (angle, speed, drag, lastAngle, lastSpeed, tries) => {
        for (const p of range(n)) {
          const d = drag[p];
          let a = angle[p];
          let w = speed[p];
          let t = 0.0;
          let h = FIRST;
          let tried = 0;
          while (t < TIME) {
            if (tried >= most) break;
            tried++;
            const ends = h >= TIME - t;
            const s = ends ? TIME - t : h;
            const [a1, w1] = [w, fall(a, w, d)];
            const [a2, w2] = [w + (s / 2) * w1, fall(a + (s / 2) * a1, w + (s / 2) * w1, d)];
            const [a3, w3] = [w + 0.75 * s * w2, fall(a + 0.75 * s * a2, w + 0.75 * s * w2, d)];
            const nextA = a + (s / 9) * (2 * a1 + 3 * a2 + 4 * a3);
            const nextW = w + (s / 9) * (2 * w1 + 3 * w2 + 4 * w3);
            const w4 = fall(nextA, nextW, d);
            const offA = (s / 72) * (-5 * a1 + 6 * a2 + 8 * a3 - 9 * nextW);
            const offW = (s / 72) * (-5 * w1 + 6 * w2 + 8 * w3 - 9 * w4);
            const error = Math.sqrt(offA * offA + offW * offW) + LEAST;
            if (error <= TOLERANCE) {
              a = nextA;
              w = nextW;
              t = ends ? TIME : t + s;
            }
            h = s * Math.min(4, Math.max(0.25, 0.9 * Math.cbrt(TOLERANCE / error)));
          }
          lastAngle[p] = a;
          lastSpeed[p] = w;
          tries[p] = tried;
        }
      },
    );
    const miss = kernel([lastAngle, lastSpeed, loss], given, (lastAngle, lastSpeed, loss) => {
      loss[0] = 0.0;
      for (const p of range(n)) loss[0] += (1 + Math.cos(lastAngle[p]) + 0.1 * lastSpeed[p] ** 2) / n;
    });
    const sim = await program({
      layout: layout(dense(i, n).place(angle, speed, drag, lastAngle, lastSpeed, tries), dense(i, 1).place(loss)),
      kernels: { swing, miss },
      differentiate: [angle, speed, drag, lastAngle, lastSpeed, loss],
      ...programOptions(options),
    });
    handOut(options, 'adaptive-pendulum', sim);
    const drags = Float64Array.from({ length: n }, (_, p) => 0.1 + (0.3 * p) / n);
    const angles = Float64Array.from({ length: n }, (_, p) => (0.5 * p) / n);
    sim.field(drag).fromArray(drags);
    sim.field(angle).fromArray(angles);
    const last = (): Float64Array => Float64Array.from(sim.field(lastAngle).toArray(), Number);
    return {
      ...differentiated(sim, {
        loss,
        by: [{ field: speed, to: [n] }],
        forward: () => {
          sim.run.swing();
          sim.run.miss();
        },
      }),
      start: new Float64Array(n).fill(6),
      optimiser: adam(0.1),
      plain: (x) => plainMiss(angles, x, drags, most),
      difference: 1e-6,
      picture: () => {
        const { image, line, disc } = canvas();
        const across = Math.ceil(Math.sqrt(n));
        const rod = (p: number, a: number, colour: readonly [number, number, number]): void => {
          const [u, v] = [((p % across) + 0.5) / across, 1 - (Math.floor(p / across) + 0.5) / across];
          const r = 0.4 / across;
          const [s, t] = [u + r * Math.sin(a), v - r * Math.cos(a)];
          line(u, v, s, t, 0.008, colour);
          disc(s, t, 0.1 / across, colour);
        };
        last().forEach((a, p) => {
          rod(p, angles[p], [200, 200, 200]);
          rod(p, a, [213, 94, 0]);
        });
        return image;
      },
      findings: (_, iterations) => {
        const enough = most >= TRIES;
        const away = Math.max(...last().map((a) => 1 + Math.cos(a)));
        return [
          reached('furthest from upright', away, 0.5, enough && iterations >= ITERATIONS),
          reached('most steps tried', Math.max(...Array.from(sim.field(tries).toArray(), Number)), most - 1, enough),
        ];
      },
      metrics: { pendulums: n },
      close: () => sim.dispose(),
    };
  },
};

const [gravity, TIME, TOLERANCE, FIRST, LEAST] = [9.81, 1.2, 1e-5, 0.01, 1e-20];

/** The mean of what pendulums lack of being upright and at rest. */
const plainMiss = (angles: Float64Array, speeds: Float64Array, drags: Float64Array, most: number): number => {
  const n = drags.length;
  let total = 0;
  for (let p = 0; p < n; p++) {
    const slope = ([a, w]: readonly number[]): number[] => [w, -gravity * Math.sin(a) - drags[p] * w];
    const moved = (from: readonly number[], by: readonly (readonly [number, readonly number[]])[]): number[] =>
      from.map((v, k) => by.reduce((sum, [s, d]) => sum + s * d[k], v));
    let at = [angles[p], speeds[p]];
    let [t, h] = [0, FIRST];
    for (let tried = 0; t < TIME && tried < most; tried++) {
      const s = Math.min(h, TIME - t);
      const k1 = slope(at);
      const k2 = slope(moved(at, [[s / 2, k1]]));
      const k3 = slope(moved(at, [[0.75 * s, k2]]));
      const next = moved(at, [[(2 * s) / 9, k1], [s / 3, k2], [(4 * s) / 9, k3]]); // prettier-ignore
      const k4 = slope(next);
      const off = moved([0, 0], [[(-5 * s) / 72, k1], [s / 12, k2], [s / 9, k3], [-s / 8, k4]]); // prettier-ignore
      const error = Math.sqrt(off[0] ** 2 + off[1] ** 2) + LEAST;
      if (error <= TOLERANCE) [at, t] = [next, h >= TIME - t ? TIME : t + s];
      h = s * Math.min(4, Math.max(0.25, 0.9 * Math.cbrt(TOLERANCE / error)));
    }
    total += 1 + Math.cos(at[0]) + 0.1 * at[1] ** 2;
  }
  return total / n;
};
