import { dense, fields, i, ij, kernel, layout, program, range, vec } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { differentiated } from './differentiated.js';
import { descent } from './optimisers.js';
import type { Simulator } from './simulator.js';

/** Billiards (thesis App. E.6): where a ball is put and how it is hit, so that another one reaches a goal. */
export const billiards: Simulator = {
  name: 'billiards',
  shows: 'billiards: where the white ball is put and how it is hit, so that another one reaches a goal',
  takes: 'layers=…, steps=…',
  keys: ['layers', 'steps'],
  iterations: 200,
  make: async (args, options) => {
    const layers = args.integer('layers', 4, 1, 100);
    const steps = args.integer('steps', 1024, 2, 1_000_000);
    const start = rack(layers);
    const count = start.length / 2;
    const dt = TIME / steps;
    const { x, v } = fields(options.dtype, ij, { x: 2, v: 2 });
    const { loss } = fields(options.dtype, i, ['loss']);
    const given = { float: options.dtype, scope: { count, dt, radius, elasticity, slow, goalX, goalY } };
    const step = kernel([x, v, 'i32'], given, (x, v, t) => {
      for (const a of range(count)) {
        let impulse = vec(0.0, 0.0);
        let shift = vec(0.0, 0.0);
        for (const b of range(count)) {
          const away = x[t - 1][a].add(v[t - 1][a].mul(dt)).sub(x[t - 1][b].add(v[t - 1][b].mul(dt)));
          const length = away.norm();
          if (a !== b && length < 2 * radius) {
            const direction = away.div(length);
            const speed = direction.dot(v[t - 1][a].sub(v[t - 1][b]));
            if (speed < 0) {
              const push = direction.mul(-0.5 * (1 + elasticity) * speed);
              /* For as long as they had not met yet they flew on as before. */
              const until = (length - 2 * radius) / Math.min(-slow, speed);
              impulse = impulse.add(push);
              shift = shift.add(push.mul(Math.min(until - dt, 0)));
            }
          }
        }
        v[t][a] = v[t - 1][a].add(impulse);
        x[t][a] = x[t - 1][a].add(v[t - 1][a].add(impulse).mul(dt)).add(shift);
      }
    });
    const miss = kernel([x, loss, 'i32'], given, (x, loss, t) => {
      const away = x[t][count - 1].sub(vec(goalX, goalY));
      loss[0] = away.normSquared();
    });
    const sim = await program({
      layout: layout(dense(ij, [steps + 1, count]).place(x, v), dense(i, 1).place(loss)),
      kernels: { step, miss },
      differentiate: true,
      ...programOptions(options),
    });
    handOut(options, 'billiards', sim);
    sim.field(x).fromArray(start, { from: [0, 0], to: [1, count] });
    return {
      ...differentiated(sim, {
        loss,
        by: [
          { field: x, to: [1, 1] },
          { field: v, to: [1, 1] },
        ],
        forward: () => {
          for (let t = 1; t <= steps; t++) sim.run.step(t);
          sim.run.miss(steps);
        },
      }),
      start: Float64Array.of(start[0], start[1], 0.3, 0),
      /* Half a ball's width at most: of one that is missed nothing says where it is. */
      optimiser: descent(0.01, radius),
      plain: (shot) => plainMiss(start, shot, steps),
      difference: 1e-7,
      picture: () => {
        const { image, disc } = canvas(512, [232, 240, 232]);
        const colour = (a: number) =>
          a === 0 ? ([255, 255, 255] as const) : a === count - 1 ? ([0, 114, 178] as const) : ([213, 94, 0] as const);
        disc(goalX, goalY, radius, [0, 0, 0]);
        for (let a = 0; a < count; a++) {
          for (let t = 0; t < steps; t += 4) {
            const [p, q] = sim.field(x).get([t, a]);
            disc(p, q, 0.003, colour(a));
          }
          const [p, q] = sim.field(x).get([steps, a]);
          disc(p, q, radius, colour(a));
        }
        return image;
      },
      metrics: { balls: count, steps },
      close: () => sim.dispose(),
    };
  },
};

const TIME = 3;
const [radius, elasticity, goalX, goalY] = [0.03, 0.8, 0.9, 0.75];
/** Speeds below this are not divided by. */
const slow = 1e-3;

/** The white ball, and rows of one to `layers` balls; x and y of each. */
const rack = (layers: number): readonly number[] => {
  const places = [0.1, 0.5];
  for (let row = 0; row < layers; row++)
    for (let k = 0; k <= row; k++) places.push(0.5 + row * 2 * radius, 0.5 + k * 2 * radius - row * 0.7 * radius);
  return places;
};

/** The square of the distance by which the last ball misses the goal. */
const plainMiss = (start: readonly number[], shot: Float64Array, steps: number): number => {
  const dt = TIME / steps;
  let x = Float64Array.from(start);
  let v = x.map(() => 0);
  x.set(shot.subarray(0, 2));
  v.set(shot.subarray(2));
  for (let t = 0; t < steps; t++) {
    const nextV = v.slice();
    const shift = x.map(() => 0);
    for (let a = 0; a < x.length; a += 2)
      for (let b = 0; b < x.length; b += 2) {
        const [dx, dy] = [0, 1].map((c) => x[a + c] + dt * v[a + c] - x[b + c] - dt * v[b + c]);
        const length = Math.sqrt(dx * dx + dy * dy);
        if (a === b || length >= 2 * radius) continue;
        const speed = (dx * (v[a] - v[b]) + dy * (v[a + 1] - v[b + 1])) / length;
        if (speed >= 0) continue;
        const late = Math.min((length - 2 * radius) / Math.min(-slow, speed) - dt, 0);
        [dx, dy].forEach((d, c) => {
          const push = (-0.5 * (1 + elasticity) * speed * d) / length;
          nextV[a + c] += push;
          shift[a + c] += push * late;
        });
      }
    x = x.map((p, k) => p + dt * nextV[k] + shift[k]);
    v = nextV;
  }
  const at = x.length - 2;
  return (x[at] - goalX) ** 2 + (x[at + 1] - goalY) ** 2;
};
