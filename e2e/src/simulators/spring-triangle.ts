import { accumulate, dense, fields, i, ij, kernel, layout, program, range, vec } from 'filigree';
import { canvas, type Image } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { reached } from '../fields/finding.js';
import { differentiated } from './differentiated.js';
import { descent } from './optimisers.js';
import type { Simulator } from './simulator.js';

/** Steps in which springs open the triangle, and iterations in which their lengths are found. */
const [STEPS, ITERATIONS] = [1024, 200];

/** Three springs between three points (thesis §3.2): rest lengths with which the triangle comes to have a given area. */
export const springTriangle: Simulator = {
  name: 'spring-triangle',
  shows: 'three springs: rest lengths with which they open a triangle to a given area',
  takes: 'steps=…',
  keys: ['steps'],
  iterations: ITERATIONS,
  make: async (args, options) => {
    const steps = args.integer('steps', STEPS, 2, 1_000_000);
    const { x, v, force } = fields(options.dtype, ij, { x: 2, v: 2, force: 2 });
    const { rest, loss } = fields(options.dtype, i, ['rest', 'loss']);
    const given = { float: options.dtype, scope: { FROM, TO, LEAST, stiffness, kept, dt, target } };
    const pull = kernel([x, force, rest, 'i32'], given, (x, force, rest, t) => {
      for (const p of range(3)) force[t][p] = vec(0, 0);
      for (const s of range(3)) {
        const [a, b] = [FROM[s], TO[s]];
        const apart = x[t - 1][a].sub(x[t - 1][b]);
        const length = apart.norm() + LEAST;
        const f = apart.mul(((length - rest[s]) * stiffness) / length);
        accumulate(force, [t, a], f.neg());
        accumulate(force, [t, b], f);
      }
    });
    const move = kernel([x, v, force, 'i32'], given, (x, v, force, t) => {
      for (const p of range(3)) {
        v[t][p] = v[t - 1][p].mul(kept).add(force[t][p].mul(dt));
        x[t][p] = x[t - 1][p].add(v[t - 1][p].mul(kept).add(force[t][p].mul(dt)).mul(dt));
      }
    });
    const miss = kernel([x, loss, 'i32'], given, (x, loss, t) => {
      const area = Math.abs(x[t][0].sub(x[t][1]).cross(x[t][0].sub(x[t][2])) / 2);
      loss[0] = (area - target) ** 2;
    });
    const sim = await program({
      layout: layout(dense(ij, [steps, 3]).place(x, v, force), dense(i, 3).place(rest), dense(i, 1).place(loss)),
      kernels: { pull, move, miss },
      differentiate: true,
      ...programOptions(options),
    });
    handOut(options, 'spring-triangle', sim);
    sim.field(x).fromArray(START, { from: [0, 0], to: [1, 3] });
    const points = (): ArrayLike<number | bigint> => sim.field(x).toArray({ from: [steps - 1, 0], to: [steps, 3] });
    return {
      ...differentiated(sim, {
        loss,
        by: [{ field: rest, to: [3] }],
        forward: () => {
          for (let t = 1; t < steps; t++) {
            sim.run.pull(t);
            sim.run.move(t);
          }
          sim.run.miss(steps - 1);
        },
      }),
      start: Float64Array.of(0.1, 0.1, 0.1 * Math.SQRT2),
      optimiser: descent(1),
      plain: (lengths) => (area(plainTriangle(lengths, steps)) - target) ** 2,
      difference: 1e-3,
      picture: () => triangleImage(Array.from(points(), Number)),
      findings: (_, iterations) => [
        reached(
          'distance from the area of 0.2',
          Math.abs(area(Array.from(points(), Number)) - target),
          1e-3,
          steps >= STEPS && iterations >= ITERATIONS,
        ),
      ],
      metrics: { steps },
      close: () => sim.dispose(),
    };
  },
};

const FROM = [0, 1, 2];
const TO = [1, 2, 0];
/** Corners x, y of the first triangle. */
const START = [0.3, 0.5, 0.3, 0.4, 0.4, 0.4];
const [dt, damping, stiffness, target] = [0.001, 20, 10, 0.2];
const kept = Math.exp(-dt * damping);
/** Added to lengths, which are divided by. */
const LEAST = 1e-4;

/** The corners after all steps, step by step as it is told. */
const plainTriangle = (rest: Float64Array, steps: number): readonly number[] => {
  const x = START.slice();
  const v = x.map(() => 0);
  for (let t = 1; t < steps; t++) {
    const force = x.map(() => 0);
    for (let s = 0; s < 3; s++) {
      const [a, b] = [2 * FROM[s], 2 * TO[s]];
      const [dx, dy] = [x[a] - x[b], x[a + 1] - x[b + 1]];
      const length = Math.sqrt(dx * dx + dy * dy) + LEAST;
      const pull = (stiffness * (length - rest[s])) / length;
      force[a] -= pull * dx;
      force[a + 1] -= pull * dy;
      force[b] += pull * dx;
      force[b + 1] += pull * dy;
    }
    for (let k = 0; k < 6; k++) {
      v[k] = kept * v[k] + dt * force[k];
      x[k] += dt * v[k];
    }
  }
  return x;
};

const area = (x: readonly number[]): number =>
  Math.abs((x[0] - x[2]) * (x[1] - x[5]) - (x[1] - x[3]) * (x[0] - x[4])) / 2;

const triangleImage = (x: readonly number[]): Image => {
  const { image, line, disc } = canvas();
  for (let s = 0; s < 3; s++)
    line(x[2 * FROM[s]], x[2 * FROM[s] + 1], x[2 * TO[s]], x[2 * TO[s] + 1], 0.012, [213, 94, 0]);
  for (let p = 0; p < 3; p++) disc(x[2 * p], x[2 * p + 1], 0.02, [0, 114, 178]);
  return image;
};
