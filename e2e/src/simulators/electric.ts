import { dense, fields, i, ij, kernel, layout, program, range, sum, vec } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { randomNumbers } from '../meshes/random.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import type { Simulator } from './simulator.js';

/** A charged ball among electrodes (thesis App. E.10): a network of two layers charges them so that it follows a moving goal. */
export const electric: Simulator = {
  name: 'electric',
  shows: 'a charged ball among eight electrodes: a small network learns to lead it after a goal',
  takes: 'steps=…, hidden=NEURONS',
  keys: ['steps', 'hidden'],
  iterations: 60,
  make: async (args, options) => {
    const steps = args.integer('steps', 256, 2, 1_000_000);
    const hidden = args.integer('hidden', 32, 1, 4096);
    const { x, v, goal, goalV } = fields(options.dtype, i, { x: 2, v: 2, goal: 2, goalV: 2 });
    const { w1, w2, h, charge } = fields(options.dtype, ij, ['w1', 'w2', 'h', 'charge']);
    const { b1, b2, loss } = fields(options.dtype, i, ['b1', 'b2', 'loss']);
    const given = { float: options.dtype, scope: { hidden, dt, drag, strength, near, PX, PY } };
    const think = kernel([x, v, goal, goalV, w1, b1, h, 'i32'], given, (x, v, goal, goalV, w1, b1, h, t) => {
      for (const k of range(hidden)) {
        const seen = (w: (n: number) => number): number =>
          (x[t].x - 0.5) * w(0) +
          (x[t].y - 0.5) * w(1) +
          v[t].x * w(2) +
          v[t].y * w(3) +
          (goal[t].x - 0.5) * w(4) +
          (goal[t].y - 0.5) * w(5) +
          goalV[t].x * w(6) +
          goalV[t].y * w(7);
        h[t][k] = Math.tanh(b1[k] + seen((n) => w1[k][n]));
      }
    });
    const act = kernel([h, w2, b2, charge, 'i32'], given, (h, w2, b2, charge, t) => {
      for (const e of range(8)) charge[t][e] = Math.tanh(b2[e] + sum(range(hidden), (k) => w2[e][k] * h[t][k]));
    });
    const move = kernel([x, v, charge, 'i32'], given, (x, v, charge, t) => {
      let force = vec(0.0, 0.0);
      for (const e of range(8)) {
        const away = x[t].sub(vec(PX[e], PY[e]));
        const r = away.norm() + near;
        force = force.add(away.mul((strength * charge[t][e]) / r ** 3));
      }
      const next = v[t].mul(drag).add(force.mul(dt));
      v[t + 1] = next;
      x[t + 1] = x[t].add(next.mul(dt));
    });
    const miss = kernel([x, goal, loss, 'i32'], given, (x, goal, loss, steps) => {
      loss[0] = 0.0;
      for (const t of range(1, steps)) loss[0] += x[t].sub(goal[t]).normSquared() / steps;
    });
    const sim = await program({
      layout: layout(
        dense(i, steps + 1).place(x, v, goal, goalV),
        dense(ij, [steps, hidden]).place(h),
        dense(ij, [steps, 8]).place(charge),
        dense(ij, [hidden, 8]).place(w1),
        dense(ij, [8, hidden]).place(w2),
        dense(i, hidden).place(b1),
        dense(i, 8).place(b2),
        dense(i, 1).place(loss),
      ),
      kernels: { think, act, move, miss },
      differentiate: [x, v, w1, w2, b1, b2, h, charge, loss],
      ...programOptions(options),
    });
    handOut(options, 'electric', sim);
    const path = goalPath(steps);
    sim.field(goal).fromArray(path.at);
    sim.field(goalV).fromArray(path.velocity);
    sim.field(x).set([0], [path.at[0], path.at[1]]);
    const random = randomNumbers(options.seed);
    const start = Float64Array.from({ length: 17 * hidden + 8 }, (_, n) =>
      n < 16 * hidden ? (random() - 0.5) / (n < 8 * hidden ? 1 : Math.sqrt(hidden)) : 0,
    );
    return {
      ...differentiated(sim, {
        loss,
        by: [
          { field: w1, to: [hidden, 8] },
          { field: w2, to: [8, hidden] },
          { field: b1, to: [hidden] },
          { field: b2, to: [8] },
        ],
        forward: () => {
          for (let t = 0; t < steps; t++) {
            sim.run.think(t);
            sim.run.act(t);
            sim.run.move(t);
          }
          sim.run.miss(steps);
        },
      }),
      start,
      optimiser: adam(0.01),
      plain: (weights) => plainMiss(weights, hidden, steps),
      difference: 1e-4,
      picture: () => {
        const { image, disc } = canvas();
        for (let t = 0; t <= steps; t++) {
          const [a, b] = sim.field(goal).get(t);
          disc(a, b, 0.006, [0, 114, 178]);
          const [p, q] = sim.field(x).get(t);
          disc(p, q, 0.006, [213, 94, 0]);
        }
        for (let e = 0; e < 8; e++) {
          const q = sim.field(charge).get([steps - 1, e]);
          disc(PX[e], PY[e], 0.01 + 0.02 * Math.abs(q), q > 0 ? [178, 24, 43] : [33, 102, 172]);
        }
        return image;
      },
      metrics: { steps, hidden },
      close: () => sim.dispose(),
    };
  },
};

const [dt, strength, near] = [0.03, 0.02, 0.05];
const drag = Math.exp(-dt);
/** Where the electrodes are: a grid without its middle. */
const PX = [0.2, 0.2, 0.2, 0.5, 0.5, 0.8, 0.8, 0.8];
const PY = [0.2, 0.5, 0.8, 0.2, 0.8, 0.2, 0.5, 0.8];

/** Where the goal is at each step, on an eight that lies on its side, and how fast it moves. */
const goalPath = (steps: number): { readonly at: number[]; readonly velocity: number[] } => {
  const [at, velocity]: number[][] = [[], []];
  for (let t = 0; t <= steps; t++) {
    const s = 0.5 * dt * t;
    at.push(0.5 + 0.2 * Math.cos(s), 0.5 + 0.1 * Math.sin(2 * s));
    velocity.push(-0.1 * Math.sin(s), 0.1 * Math.cos(2 * s));
  }
  return { at, velocity };
};

/** The mean square of distances from the goal. */
const plainMiss = (weights: Float64Array, hidden: number, steps: number): number => {
  const { at, velocity } = goalPath(steps);
  const b1 = 16 * hidden;
  let [x, y, u, v, total] = [at[0], at[1], 0, 0, 0];
  for (let t = 0; t < steps; t++) {
    if (t > 0) total += ((x - at[2 * t]) ** 2 + (y - at[2 * t + 1]) ** 2) / steps;
    const seen = [x - 0.5, y - 0.5, u, v, at[2 * t] - 0.5, at[2 * t + 1] - 0.5, velocity[2 * t], velocity[2 * t + 1]];
    const h = Array.from({ length: hidden }, (_, k) =>
      Math.tanh(seen.reduce((s, value, n) => s + value * weights[8 * k + n], weights[b1 + k])),
    );
    let [fx, fy] = [0, 0];
    for (let e = 0; e < 8; e++) {
      const q = Math.tanh(
        h.reduce((s, value, k) => s + value * weights[8 * hidden + hidden * e + k], weights[b1 + hidden + e]),
      );
      const [dx, dy] = [x - PX[e], y - PY[e]];
      const f = (strength * q) / (Math.sqrt(dx * dx + dy * dy) + near) ** 3;
      fx += f * dx;
      fy += f * dy;
    }
    u = drag * u + dt * fx;
    v = drag * v + dt * fy;
    x += dt * u;
    y += dt * v;
  }
  return total;
};
