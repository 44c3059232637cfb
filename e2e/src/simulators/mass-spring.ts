import { accumulate, dense, fields, i, ij, kernel, layout, program, range, sum, vec } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { differentiated } from './differentiated.js';
import { plainDistance, type MassSpringScene } from './mass-spring/plain.js';
import { ROBOTS, robotOf, WAVES } from './mass-spring/robots.js';
import { adam } from './optimisers.js';
import type { Simulator } from './simulator.js';
import { twoLayers } from './two-layers.js';

/** Robots of points and springs (thesis App. E.5): a network of two layers pulls their springs so that they run to the right. */
export const massSpring: Simulator = {
  name: 'mass-spring',
  shows: 'robots of points and springs: a small network learns to pull the springs so that they run',
  takes: `robot=1|2|3, steps=…, hidden=NEURONS`,
  keys: ['robot', 'steps', 'hidden'],
  iterations: 100,
  make: async (args, options) => {
    const robot = robotOf(Number(args.word('robot', '1', ROBOTS)));
    const steps = args.integer('steps', 512, 2, 1_000_000);
    const hidden = args.integer('hidden', 32, 1, 4096);
    const points = robot.points.length / 2;
    const springs = robot.rest.length;
    const inputs = WAVES + 4 * points + 2;
    const scene: MassSpringScene = { ...robot, ...CONSTANTS, steps, hidden, inputs };
    const { FROM, TO, rest, stiffness, reach } = robot;
    const { dt, gravity, ground, omega, kept, goal } = CONSTANTS;
    const { x, v, force } = fields(options.dtype, ij, { x: 2, v: 2, force: 2 });
    const { middle } = fields(options.dtype, i, { middle: 2 });
    const { w1, w2, h, act } = fields(options.dtype, ij, ['w1', 'w2', 'h', 'act']);
    const { b1, b2, loss } = fields(options.dtype, i, ['b1', 'b2', 'loss']);
    const scope = {
      ...{ points, springs, hidden, WAVES, FROM, TO, rest, stiffness, reach, dt, gravity, ground, omega, kept, goal },
    };
    const given = { float: options.dtype, scope };
    const centre = kernel([x, middle, 'i32'], given, (x, middle, t) => {
      let all = vec(0.0, 0.0);
      for (const p of range(points)) all = all.add(x[t][p]);
      middle[t] = all.div(points);
    });
    const think = kernel([x, v, middle, w1, b1, h, 'i32'], given, (x, v, middle, w1, b1, h, t) => {
      for (const k of range(hidden)) {
        const beat = sum(range(WAVES), (n) => w1[k][n] * Math.sin(omega * t * dt + (2 * Math.PI * n) / WAVES));
        const bent = sum(range(points), (p) => {
          const at = WAVES + 4 * p;
          const away = x[t][p].sub(middle[t]);
          const moves = v[t][p].mul(0.05);
          return w1[k][at] * away.x + w1[k][at + 1] * away.y + w1[k][at + 2] * moves.x + w1[k][at + 3] * moves.y;
        });
        const last = WAVES + 4 * points;
        const left = w1[k][last] * (goal - middle[t].x) + w1[k][last + 1] * (ground - middle[t].y);
        h[t][k] = Math.tanh(b1[k] + beat + bent + left);
      }
    });
    const pull = kernel([x, h, w2, b2, act, force, 'i32'], given, (x, h, w2, b2, act, force, t) => {
      for (const s of range(springs)) act[t][s] = Math.tanh(b2[s] + sum(range(hidden), (k) => w2[s][k] * h[t][k]));
      for (const p of range(points)) force[t][p] = vec(0.0, 0.0);
      for (const s of range(springs)) {
        const [a, b] = [FROM[s], TO[s]];
        const apart = x[t][a].sub(x[t][b]);
        const length = apart.norm() + 1e-4;
        const wanted = rest[s] * (1 + act[t][s] * reach[s]);
        const impulse = apart.mul((dt * (length - wanted) * stiffness[s]) / length);
        accumulate(force, [t, a], impulse.neg());
        accumulate(force, [t, b], impulse);
      }
    });
    const move = kernel([x, v, force, 'i32'], given, (x, v, force, t) => {
      for (const p of range(points)) {
        const speed = v[t][p]
          .mul(kept)
          .add(vec(0.0, dt * gravity))
          .add(force[t][p]);
        const from = x[t][p];
        const hits = from.y + dt * speed.y < ground && speed.y < -1e-4;
        const next = hits ? vec(0.0, 0.0) : speed;
        const until = hits ? (ground - from.y) / speed.y : 0.0;
        v[t + 1][p] = next;
        x[t + 1][p] = from.add(speed.mul(until)).add(next.mul(dt - until));
      }
    });
    const far = kernel([x, loss, 'i32'], given, (x, loss, t) => {
      loss[0] = -x[t][0].x;
    });
    const sim = await program({
      layout: layout(
        dense(ij, [steps + 1, points]).place(x, v, force),
        dense(i, steps + 1).place(middle),
        dense(ij, [steps + 1, hidden]).place(h),
        dense(ij, [steps + 1, springs]).place(act),
        dense(ij, [hidden, inputs]).place(w1),
        dense(ij, [springs, hidden]).place(w2),
        dense(i, hidden).place(b1),
        dense(i, springs).place(b2),
        dense(i, 1).place(loss),
      ),
      kernels: { centre, think, pull, move, far },
      differentiate: true,
      ...programOptions(options),
    });
    handOut(options, 'mass-spring', sim);
    sim.field(x).fromArray(robot.points, { from: [0, 0], to: [1, points] });
    const { by, start } = twoLayers({ w1, w2, b1, b2 }, { inputs, hidden, outputs: springs }, options.seed);
    return {
      ...differentiated(sim, {
        loss,
        by,
        forward: () => {
          for (let t = 0; t < steps; t++) {
            sim.run.centre(t);
            sim.run.think(t);
            sim.run.pull(t);
            sim.run.move(t);
          }
          sim.run.far(steps);
        },
      }),
      start,
      optimiser: adam(0.01),
      plain: (weights) => -plainDistance(scene, weights),
      difference: 1e-6,
      picture: () => {
        const { image, line, disc } = canvas(768);
        line(0, ground - 0.01, 1, ground - 0.01, 0.012, [90, 90, 90]);
        for (let shown = 0; shown < 6; shown++) {
          const t = Math.round((shown * steps) / 5);
          const at = Array.from({ length: points }, (_, p) => sim.field(x).get([t, p]));
          FROM.forEach((a, s) => {
            const pale = 200 - 32 * shown;
            line(...at2(at[a]), ...at2(at[TO[s]]), 0.006, reach[s] > 0 ? [220, pale, pale] : [pale, pale, 220]);
          });
          at.forEach((p) => disc(p[0], p[1], 0.008, [60, 60, 60]));
        }
        return image;
      },
      metrics: { steps, points, springs, hidden },
      close: () => sim.dispose(),
    };
  },
};

const at2 = (p: readonly number[]): readonly [number, number] => [p[0], p[1]];

const STEP = 0.004;
const CONSTANTS = { dt: STEP, gravity: -4.8, ground: 0.1, omega: 10, kept: Math.exp(-15 * STEP), goal: 0.9 };
