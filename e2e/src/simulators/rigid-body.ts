import { accumulate, dense, fields, i, ij, kernel, layout, program, range, sum, unrolled, vec } from 'filigree';
import { canvas } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import { plainDistance } from './rigid-body/plain.js';
import { GROUND, inertiaOf, RIGID, robotOn } from './rigid-body/robot.js';
import type { Simulator } from './simulator.js';
import { twoLayers } from './two-layers.js';

/**
 * Robots of boxes (thesis §4.3, App. E.7): joints and muscles between them, impulses where corners hit the ground, with friction. When within a step a
 * corner hits is taken into account, or gradients would mislead. A network of two layers moves the muscles.
 */
export const rigidBody: Simulator = {
  name: 'rigid-body',
  shows: 'robots of boxes, joints and muscles on a rough floor: a small network learns to walk them',
  takes: 'legs=…, steps=…, hidden=NEURONS',
  keys: ['legs', 'steps', 'hidden'],
  iterations: 40,
  make: async (args, options) => {
    const robot = robotOn(args.integer('legs', 2, 1, 100));
    const steps = args.integer('steps', 512, 2, 1_000_000);
    const hidden = args.integer('hidden', 32, 1, 4096);
    const { dt, gravity, drag, friction, omega, waves, density } = RIGID;
    const { FROM, TO, AX, AY, BX, BY, rest, stiffness, damping, reach, halves, middles } = robot;
    const { mass, inertia } = inertiaOf(robot, density);
    const [boxes, springs] = [mass.length, rest.length];
    const inputs = waves + 6 * boxes;
    const { x, v, dv } = fields(options.dtype, ij, { x: 2, v: 2, dv: 2 });
    const { angle, spin, dw, w1, w2, h } = fields(options.dtype, ij, ['angle', 'spin', 'dw', 'w1', 'w2', 'h']);
    const { b1, b2, loss } = fields(options.dtype, i, ['b1', 'b2', 'loss']);
    const [ground, kept] = [GROUND, Math.exp(-drag * dt)];
    const HX = mass.map((_, b) => halves[2 * b]);
    const HY = mass.map((_, b) => halves[2 * b + 1]);
    const scope = {
      ...{ boxes, springs, hidden, waves, FROM, TO, AX, AY, BX, BY, HX, HY, rest, stiffness, damping, reach },
      ...{ mass, inertia, dt, gravity, friction, omega, ground, kept },
    };
    const given = { float: options.dtype, scope };
    const think = kernel([x, v, angle, spin, w1, b1, h, 'i32'], given, (x, v, angle, spin, w1, b1, h, t) => {
      for (const k of range(hidden)) {
        const beat = sum(range(waves), (n) => w1[k][n] * Math.sin(omega * t * dt + (2 * Math.PI * n) / waves));
        const bent = sum(range(boxes), (b) => {
          const at = waves + 6 * b;
          const away = x[t][b].sub(x[t][0]);
          const moves = w1[k][at + 2] * v[t][b].x + w1[k][at + 3] * v[t][b].y;
          return w1[k][at] * away.x + w1[k][at + 1] * away.y + moves + w1[k][at + 4] * angle[t][b] + w1[k][at + 5] * spin[t][b]; // prettier-ignore
        });
        h[t][k] = Math.tanh(b1[k] + beat + bent);
      }
    });
    const pull = kernel(
      [x, v, angle, spin, h, w2, b2, dv, dw, 'i32'],
      given,
      (x, v, angle, spin, h, w2, b2, dv, dw, t) => {
        for (const b of range(boxes)) {
          dv[t][b] = vec(0.0, 0.0);
          dw[t][b] = 0.0;
        }
        for (const s of range(springs)) {
          const act = Math.tanh(b2[s] + sum(range(hidden), (k) => w2[s][k] * h[t][k]));
          const [a, b] = [FROM[s], TO[s]];
          const [ca, sa] = [Math.cos(angle[t][a]), Math.sin(angle[t][a])];
          const [cb, sb] = [Math.cos(angle[t][b]), Math.sin(angle[t][b])];
          const armA = vec(ca * AX[s] - sa * AY[s], sa * AX[s] + ca * AY[s]);
          const armB = vec(cb * BX[s] - sb * BY[s], sb * BX[s] + cb * BY[s]);
          const moveA = v[t][a].add(vec(-armA.y, armA.x).mul(spin[t][a]));
          const moveB = v[t][b].add(vec(-armB.y, armB.x).mul(spin[t][b]));
          const apart = x[t][a].add(armA).sub(x[t][b].add(armB));
          const length = Math.sqrt(apart.normSquared() + 1e-12);
          const longer = (length - rest[s] * (1 + act * reach[s])) / length;
          const force = apart.mul(stiffness[s] * longer).add(moveA.sub(moveB).mul(damping[s]));
          const impulse = force.mul(dt);
          accumulate(dv, [t, a], impulse.div(-mass[a]));
          accumulate(dv, [t, b], impulse.div(mass[b]));
          dw[t][a] -= armA.cross(impulse) / inertia[a];
          dw[t][b] += armB.cross(impulse) / inertia[b];
        }
      },
    );
    const move = kernel([x, v, angle, spin, dv, dw, 'i32'], given, (x, v, angle, spin, dv, dw, t) => {
      for (const b of range(boxes)) {
        const from = v[t][b].add(dv[t][b]).mul(kept).sub(vec(0.0, dt * gravity)); // prettier-ignore
        const turns = kept * (spin[t][b] + dw[t][b]);
        const [c, s] = [Math.cos(angle[t][b]), Math.sin(angle[t][b])];
        let gain = vec(0.0, 0.0);
        let twist = 0.0;
        let shift = vec(0.0, 0.0);
        let turn = 0.0;
        for (const corner of unrolled(range(4))) {
          const px = (corner % 2 === 1 ? 1 : -1) * HX[b];
          const py = (corner >= 2 ? 1 : -1) * HY[b];
          const arm = vec(c * px - s * py, s * px + c * py);
          const speed = from.add(vec(-arm.y, arm.x).mul(turns));
          const height = x[t][b].y + arm.y - ground;
          if (height + dt * speed.y < 0 && speed.y < 0) {
            const normal = -speed.y / (1 / mass[b] + (arm.x * arm.x) / inertia[b]) / 2;
            const most = friction * normal;
            const stop = -speed.x / (1 / mass[b] + (arm.y * arm.y) / inertia[b]) / 2;
            const impulse = vec(Math.max(-most, Math.min(most, stop)), normal);
            const turned = arm.cross(impulse) / inertia[b];
            /* For as long as the corner had not hit the ground, the box went on as before. */
            const until = Math.max(0.0, Math.min(dt, -height / speed.y));
            gain = gain.add(impulse.div(mass[b]));
            twist += turned;
            shift = shift.sub(impulse.mul(until / mass[b])).sub(vec(0.0, 0.1 * Math.min(height, 0)));
            turn -= until * turned;
          }
        }
        v[t + 1][b] = from.add(gain);
        spin[t + 1][b] = turns + twist;
        x[t + 1][b] = x[t][b].add(from.add(gain).mul(dt)).add(shift);
        angle[t + 1][b] = angle[t][b] + dt * (turns + twist) + turn;
      }
    });
    const far = kernel([x, loss, 'i32'], given, (x, loss, t) => {
      loss[0] = -x[t][0].x;
    });
    const sim = await program({
      layout: layout(
        dense(ij, [steps + 1, boxes]).place(x, v, angle, spin, dv, dw),
        dense(ij, [steps + 1, hidden]).place(h),
        dense(ij, [hidden, inputs]).place(w1),
        dense(ij, [springs, hidden]).place(w2),
        dense(i, hidden).place(b1),
        dense(i, springs).place(b2),
        dense(i, 1).place(loss),
      ),
      kernels: { think, pull, move, far },
      differentiate: true,
      ...programOptions(options),
    });
    handOut(options, 'rigid-body', sim);
    sim.field(x).fromArray(middles, { from: [0, 0], to: [1, boxes] });
    const { by, start } = twoLayers({ w1, w2, b1, b2 }, { inputs, hidden, outputs: springs }, options.seed);
    return {
      ...differentiated(sim, {
        loss,
        by,
        forward: () => {
          for (let t = 0; t < steps; t++) {
            sim.run.think(t);
            sim.run.pull(t);
            sim.run.move(t);
          }
          sim.run.far(steps);
        },
      }),
      start,
      optimiser: adam(0.01),
      plain: (weights) => -plainDistance(robot, steps, hidden, weights),
      difference: 1e-7,
      picture: () => {
        const { image, line } = canvas(768);
        line(0, GROUND - 0.008, 1, GROUND - 0.008, 0.012, [90, 90, 90]);
        for (let shown = 0; shown < 5; shown++) {
          const t = Math.round((shown * steps) / 4);
          for (let b = 0; b < boxes; b++) {
            const [p, q] = sim.field(x).get([t, b]);
            const a = sim.field(angle).get([t, b]);
            const at = (u: number, w: number): readonly [number, number] => [
              p + Math.cos(a) * u * HX[b] - Math.sin(a) * w * HY[b],
              q + Math.sin(a) * u * HX[b] + Math.cos(a) * w * HY[b],
            ];
            const pale = 200 - 40 * shown;
            const corners = [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)];
            corners.forEach((c, k) => line(...c, ...corners[(k + 1) % 4], 0.005, b === 0 ? [pale, pale, 220] : [220, pale, pale])); // prettier-ignore
          }
        }
        return image;
      },
      metrics: { boxes, springs, steps, hidden },
      close: () => sim.dispose(),
    };
  },
};
