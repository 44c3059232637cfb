import { dense, fields, i, ij, kernel, layout, program, range, vec } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { atLeast, atMost } from '../fields/finding.js';
import { differentiated } from './differentiated.js';
import { descent } from './optimisers.js';
import type { Simulator } from './simulator.js';

/**
 * A ball that falls onto the floor and bounces off (thesis §4.3, App. F). A step that finds the ball below the floor only turns its
 * velocity has a gradient of the wrong sign, one that takes into account when within the step it hits has the right one.
 */
export const timeOfImpact: Simulator = {
  name: 'time-of-impact',
  shows: 'a ball that bounces: the gradient has the right sign where steps know when it hits the floor',
  takes: 'impact=continuous|step, steps=…',
  keys: ['impact', 'steps'],
  iterations: 100,
  make: async (args, options) => {
    const steps = args.integer('steps', 500, 4, 1_000_000);
    const continuous = args.word('impact', 'continuous', ['continuous', 'step']) === 'continuous';
    const dt = 1 / steps;
    const { x, v } = fields(options.dtype, ij, { x: 2, v: 2 });
    const { loss } = fields(options.dtype, i, ['loss']);
    const given = { float: options.dtype, scope: { continuous, dt, radius } };
    const step = kernel([x, v, 'i32'], given, (x, v, t) => {
      for (const p of range(1)) {
        const from = x[t - 1][p];
        const speed = v[t - 1][p];
        const there = from.add(speed.mul(dt));
        const hits = there.y < radius && speed.y < 0;
        const next = hits ? vec(speed.x, -speed.y) : speed;
        const before = hits ? (continuous ? (radius - from.y) / speed.y : 0.0) : 0.0;
        v[t][p] = next;
        x[t][p] = from.add(speed.mul(before)).add(next.mul(dt - before));
      }
    });
    const height = kernel([x, loss, 'i32'], given, (x, loss, t) => {
      loss[0] = x[t][0].y;
    });
    const sim = await program({
      layout: layout(dense(ij, [steps + 1, 1]).place(x, v), dense(i, 1).place(loss)),
      kernels: { step, height },
      differentiate: true,
      ...programOptions(options),
    });
    handOut(options, 'time-of-impact', sim);
    sim.field(v).set([0, 0], VELOCITY);
    const made = differentiated(sim, {
      loss,
      by: [{ field: x, to: [1, 1] }],
      forward: () => {
        for (let t = 1; t <= steps; t++) sim.run.step(t);
        sim.run.height(steps);
      },
    });
    const slope = made.gradient(START).gradient[1];
    return {
      ...made,
      start: START,
      optimiser: descent(0.002),
      plain: (at) => plainHeight(at, steps, continuous),
      difference: 1e-7,
      picture: () => {
        const { image, disc, line } = canvas();
        line(0, 0, 1, 0, 0.02, [90, 90, 90]);
        for (let t = 0; t <= steps; t += Math.max(1, Math.floor(steps / 60))) {
          const [a, b] = sim.field(x).get([t, 0]);
          disc(a, b, radius, [0, 114, 178], 0.15);
        }
        return image;
      },
      /* Where it starts higher, it hits later and ends lower. */
      findings: () => [
        continuous ? atMost('slope of the last height', slope, -0.9) : atLeast('slope of the last height', slope, 0.9),
      ],
      falls: continuous,
      metrics: { steps, impact: continuous ? 'continuous' : 'step' },
      close: () => sim.dispose(),
    };
  },
};

const radius = 0.05;
const START = Float64Array.of(0.1, 0.4003);
const VELOCITY = [0.6, -0.7];

/** The last height of the ball, told by itself. */
const plainHeight = ([, y]: Float64Array, steps: number, continuous: boolean): number => {
  let [height, speed] = [y, VELOCITY[1]];
  for (let t = 0; t < steps; t++) {
    const down = height - radius;
    if (height + speed / steps < radius && speed < 0) {
      const until = continuous ? down / -speed : 0;
      height += speed * until;
      speed = -speed;
      height += speed * (1 / steps - until);
    } else height += speed / steps;
  }
  return height;
};
