import { dense, fields, i, i32, ijk, kernel, layout, ndrange, program, range } from 'filigree';
import { imageOf, sequential } from '../draw/index.js';
import { handOut, programOptions } from '../fields/compile-options.js';
import { reached } from '../fields/finding.js';
import { differentiated } from './differentiated.js';
import { adam } from './optimisers.js';
import type { Simulator } from './simulator.js';

/** Sides from which a body is told, and iterations in which it is found. */
const [VIEWS, ITERATIONS] = [7, 40];

/** Shadows of a body from several sides (thesis App. E.9): the densities that cast them, found by ray marching and its derivatives. */
export const volumeRenderer: Simulator = {
  name: 'volume-renderer',
  shows: 'a body from its shadows: densities for which pictures from several sides come out as given',
  takes: 'size=CELLS, pixels=…, views=…',
  keys: ['size', 'pixels', 'views'],
  iterations: ITERATIONS,
  make: async (args, options) => {
    const n = args.integer('size', 24, 4, 1024);
    const pixels = args.integer('pixels', 32, 4, 4096);
    const views = args.integer('views', VIEWS, 1, 1000);
    const marches = 2 * n;
    const { density } = fields(options.dtype, ijk, ['density']);
    const { seen, wanted } = fields(options.dtype, ijk, ['seen', 'wanted']);
    const { loss } = fields(options.dtype, i, ['loss']);
    const given = { float: options.dtype, scope: { n, pixels, views, marches } };
    const render = kernel([density, seen, 'i32', 'f64', 'f64'], given, (density, seen, view, c, s) => {
      for (const [a, b] of ndrange(pixels, pixels)) {
        const across = (a + 0.5) / pixels - 0.5;
        const y = ((b + 0.5) / pixels) * (n - 1);
        let total = 0.0;
        for (const m of range(marches)) {
          const along = ((m + 0.5) / marches - 0.5) * 1.4;
          const x = (0.5 + c * across - s * along) * (n - 1);
          const z = (0.5 + s * across + c * along) * (n - 1);
          if (x >= 0 && z >= 0 && x < n - 1 && z < n - 1) {
            const [k, l, o] = [i32(x), i32(y), i32(z)];
            const [u, v, w] = [x - k, y - l, z - o];
            for (const [p, q, r] of ndrange(2, 2, 2)) {
              const weight = (p === 0 ? 1 - u : u) * (q === 0 ? 1 - v : v) * (r === 0 ? 1 - w : w);
              total += weight * density[k + p][l + q][o + r];
            }
          }
        }
        seen[view][a][b] = (total * 1.4) / marches;
      }
    });
    const miss = kernel([seen, wanted, loss], given, (seen, wanted, loss) => {
      loss[0] = 0.0;
      for (const [v, a, b] of ndrange(views, pixels, pixels))
        loss[0] += (seen[v][a][b] - wanted[v][a][b]) ** 2 / (views * pixels * pixels);
    });
    const sim = await program({
      layout: layout(
        dense(ijk, n).place(density),
        dense(ijk, [views, pixels, pixels]).place(seen, wanted),
        dense(i, 1).place(loss),
      ),
      kernels: { render, miss },
      differentiate: [density, seen, loss],
      ...programOptions(options),
    });
    handOut(options, 'volume-renderer', sim);
    const look = (): void => {
      for (let view = 0; view < views; view++) {
        const angle = (Math.PI * view) / views;
        sim.run.render(view, Math.cos(angle), Math.sin(angle));
      }
    };
    const body = bodyOf(n);
    sim.field(density).fromArray(body);
    look();
    sim.field(wanted).fromArray(sim.field(seen).toArray());
    const made = differentiated(sim, {
      loss,
      by: [{ field: density, to: [n, n, n] }],
      forward: () => {
        look();
        sim.run.miss();
      },
    });
    const apart = (x: Float64Array): number =>
      Math.sqrt(x.reduce((s, v, k) => s + (v - body[k]) ** 2, 0) / body.reduce((s, v) => s + v * v, 0));
    return {
      ...made,
      start: new Float64Array(n ** 3),
      optimiser: adam(0.05),
      plain: (x) => plainMiss(x, body, { n, pixels, views, marches }),
      difference: 1e-2,
      picture: () => {
        const zoom = Math.max(1, Math.floor(512 / pixels));
        const view = Math.floor(views / 2) * pixels * pixels;
        const [left, right] = [wanted, seen].map((f) => Array.from(sim.field(f).toArray(), Number));
        /* What is to be seen stands left of what is seen. */
        return imageOf(2 * pixels * zoom, pixels * zoom, (x, y) => {
          const [a, b] = [Math.floor(x / zoom), pixels - 1 - Math.floor(y / zoom)];
          return sequential(2 * (a < pixels ? left : right)[view + (a % pixels) * pixels + b]);
        });
      },
      findings: (x, iterations) => [
        reached(
          'distance from the body, relative',
          apart(x),
          0.9,
          iterations >= ITERATIONS && pixels >= n && views >= VIEWS,
        ),
      ],
      metrics: { size: n, pixels, views },
      close: () => sim.dispose(),
    };
  },
};

/** A ring that stands upright, and a ball within. */
const bodyOf = (n: number): Float64Array =>
  Float64Array.from({ length: n ** 3 }, (_, at) => {
    const [x, y, z] = [Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n].map((k) => (k + 0.5) / n - 0.5);
    const ring = Math.hypot(Math.hypot(x, y) - 0.3, z);
    return ring < 0.09 || Math.hypot(x, y, z) < 0.12 ? 1 : 0;
  });

interface Views {
  readonly n: number;
  readonly pixels: number;
  readonly views: number;
  readonly marches: number;
}

/** What a ray passes through, which goes through pixel (a, b) of a view. */
const plainRay = (
  x: Float64Array,
  { n, pixels, views, marches }: Views,
  view: number,
  a: number,
  b: number,
): number => {
  const angle = (Math.PI * view) / views;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  let total = 0;
  for (let m = 0; m < marches; m++) {
    const [across, along] = [(a + 0.5) / pixels - 0.5, ((m + 0.5) / marches - 0.5) * 1.4];
    const at = [0.5 + c * across - s * along, (b + 0.5) / pixels, 0.5 + s * across + c * along].map((v) => v * (n - 1));
    if (at.some((v) => v < 0 || v >= n - 1)) continue;
    for (let corner = 0; corner < 8; corner++) {
      const node = at.map((v, k) => Math.floor(v) + ((corner >> k) & 1));
      const weight = at.reduce((w, v, k) => w * (1 - Math.abs(v - node[k])), 1);
      total += weight * x[(node[0] * n + node[1]) * n + node[2]];
    }
  }
  return (total * 1.4) / marches;
};

const plainMiss = (x: Float64Array, body: Float64Array, setup: Views): number => {
  const { pixels, views } = setup;
  let total = 0;
  for (let view = 0; view < views; view++)
    for (let a = 0; a < pixels; a++)
      for (let b = 0; b < pixels; b++)
        total += (plainRay(x, setup, view, a, b) - plainRay(body, setup, view, a, b)) ** 2;
  return total / (views * pixels ** 2);
};
