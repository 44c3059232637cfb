import { adjointField, dense, fields, hostStep, i, i32, ij, ijk, kernel, layout, ndrange, program } from 'filigree';
import { imageOf } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { atLeast } from '../fields/finding.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import { plainWave, waveKernels } from './wave.js';
import { classifierOf, pictureOf, SHAPES } from './water-renderer/classifier.js';
import type { Simulator } from './simulator.js';

/**
 * A picture seen through moving water (thesis App. E.8): first heights of the water with which it is taken for another picture. Simulation and rendering
 * are kernels, the classifier is a step of the host with a derivative of its own.
 */
export const waterRenderer: Simulator = {
  name: 'water-renderer',
  shows: 'a picture seen through waves: first heights of the water that make a classifier see another one',
  takes: 'size=NODES, steps=…, from=SHAPE, to=SHAPE',
  keys: ['size', 'steps', 'from', 'to'],
  iterations: 60,
  make: async (args, options) => {
    const n = args.integer('size', 64, 8, 4096);
    const steps = args.integer('steps', 64, 3, 100_000);
    const shown = args.word('from', 'ring', SHAPES);
    const wanted = args.word('to', 'frame', SHAPES);
    const classifier = classifierOf(n);
    const ground = pictureOf(shown, n);
    const { u, step, still } = waveKernels(n, options.dtype);
    const { bottom, seen } = fields(options.dtype, ij, ['bottom', 'seen']);
    const { loss } = fields(options.dtype, i, ['loss']);
    const scope = { n, depth, eta };
    const look = kernel([u, bottom, seen, 'i32'], { float: options.dtype, scope }, (u, bottom, seen, t) => {
      for (const [i, j] of ndrange([1, n - 1], [1, n - 1])) {
        const dx = ((u[t][i + 1][j] - u[t][i - 1][j]) * n) / 2;
        const dy = ((u[t][i][j + 1] - u[t][i][j - 1]) * n) / 2;
        const up = 1 / Math.sqrt(1 + dx * dx + dy * dy);
        /* A ray from straight above is bent towards the upright of the surface, and goes on down to the ground. */
        const bent = eta * up - Math.sqrt(1 - eta * eta * (1 - up * up));
        const far = (depth + u[t][i][j]) / (eta - bent * up);
        const x = Math.min(Math.max(i - n * far * bent * up * dx, 0), n - 1.001);
        const y = Math.min(Math.max(j - n * far * bent * up * dy, 0), n - 1.001);
        const [k, l] = [i32(x), i32(y)];
        const [s, r] = [x - k, y - l];
        seen[i][j] =
          (1 - s) * ((1 - r) * bottom[k][l] + r * bottom[k][l + 1]) +
          s * ((1 - r) * bottom[k + 1][l] + r * bottom[k + 1][l + 1]);
      }
    });
    const sim = await program({
      layout: layout(dense(ijk, [steps, n, n]).place(u), dense(ij, n).place(bottom, seen), dense(i, 1).place(loss)),
      kernels: { step, still, look },
      differentiate: [u, seen, loss],
      ...programOptions(options),
    });
    handOut(options, 'water-renderer', sim);
    sim.field(bottom).fromArray(ground);
    const picture = (): Float64Array => Float64Array.from(sim.field(seen).toArray(), Number);
    return {
      ...differentiated(sim, {
        loss,
        by: [{ field: u, to: [1, n, n] }],
        forward: () => {
          sim.run.still();
          for (let t = 2; t < steps; t++) sim.run.step(t);
          sim.run.look(steps - 1);
          hostStep(sim, {
            reads: [seen],
            writes: [loss],
            forward: () => sim.field(loss).set(0, classifier.loss(picture(), wanted)),
            backward: () => {
              const by = sim.field(adjointField(seen));
              const scale = Number(sim.field(adjointField(loss)).get(0));
              const had = Array.from(by.toArray(), Number);
              classifier.gradient(picture(), wanted).forEach((g, k) => (had[k] += scale * g));
              by.fromArray(had);
            },
          });
        },
      }),
      start: Float64Array.from({ length: n * n }, (_, k) => swell(Math.floor(k / n) / n, (k % n) / n)),
      optimiser: adam(0.002),
      plain: (heights) => classifier.loss(plainLook(plainWave(heights, n, steps), ground, n), wanted),
      difference: 1e-7,
      picture: () => {
        const zoom = Math.max(1, Math.floor(512 / n));
        const [left, right] = [ground, picture()];
        /* What lies on the ground stands left of what is seen. */
        return imageOf(2 * n * zoom, n * zoom, (x, y) => {
          const [a, b] = [Math.floor(x / zoom), n - 1 - Math.floor(y / zoom)];
          const v = 255 * (a < n ? left : right)[n * (a % n) + b];
          return [v, v, v];
        });
      },
      findings: () => [
        atLeast(`certainty of a ${wanted}`, classifier.probabilities(picture())[SHAPES.indexOf(wanted)], 0.9),
      ],
      metrics: { size: n, steps, from: shown, to: wanted },
      close: () => sim.dispose(),
    };
  },
};

/** Waves that are never flat everywhere at once, so that nothing is seen from exactly where a pixel is: there the derivative jumps. */
const swell = (x: number, y: number): number => 0.006 * (Math.sin(20 * x + 13 * y) + Math.sin(9 * x - 6 * y));

/** Of the water, in sides of the square. */
const depth = 0.5;
/** How much slower light is in water. */
const eta = 1 / 1.333;

/** What is seen through water of these heights. */
const plainLook = (u: Float64Array, ground: Float64Array, n: number): Float64Array => {
  const seen = new Float64Array(n * n);
  for (let i = 1; i < n - 1; i++)
    for (let j = 1; j < n - 1; j++) {
      const k = n * i + j;
      const slope = [((u[k + n] - u[k - n]) * n) / 2, ((u[k + 1] - u[k - 1]) * n) / 2];
      const size = Math.hypot(1, ...slope);
      /* Snell's law along the slope: angles to the upright of the surface. */
      const inside = Math.asin(eta * Math.sin(Math.atan(Math.hypot(...slope))));
      const sideways = Math.tan(Math.atan(Math.hypot(...slope)) - inside);
      const steep = Math.hypot(...slope) || size;
      const at = [i, j].map((v, axis) =>
        Math.min(Math.max(v + (n * (depth + u[k]) * sideways * slope[axis]) / steep, 0), n - 1.001),
      );
      const [a, b] = at.map(Math.floor);
      const along = (row: number): number =>
        ground[n * row + b] + (at[1] - b) * (ground[n * row + b + 1] - ground[n * row + b]);
      seen[k] = along(a) + (at[0] - a) * (along(a + 1) - along(a));
    }
  return seen;
};
