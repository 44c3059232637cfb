import {
  accumulate,
  active,
  append,
  at,
  clear,
  columns,
  identity,
  idiv,
  kernel,
  nearestRotation,
  permutation,
  quadraticSpline,
  range,
  splineNodes,
  sum,
  vec,
} from '@filigree/lang/kernels';
import { dense, dynamic, fields, i, ijk, ijkl, l, layout } from '@filigree/sparse/fields';
import { atRest, lame, type MpmSetup } from '../../fields/mpm/mpm.js';
import { referenceMpm } from '../../fields/mpm/reference.js';
import { times, type QueuedCase } from '../case.js';

const BLOCK = 4;

/** Substeps of a step, two and two: each reads one grid and writes the other. */
const PAIRS = 5;

/** A cube of jelly, two particles a node and axis, that rests a little above the ground. */
const cube = (n: number): MpmSetup => {
  const side = Math.floor(n / 2);
  const places = Array.from({ length: side ** 3 }, (_, p) => [
    Math.floor(p / side ** 2),
    Math.floor(p / side) % side,
    p % side,
  ]);
  const wall = 3;
  const x = places.flatMap(([a, b, c]) => [
    0.375 + (a + 0.5) / (2 * n),
    (wall + 0.1) / n + (b + 0.5) / (2 * n),
    0.375 + (c + 0.5) / (2 * n),
  ]);
  const volume = 1 / (2 * n) ** 3;
  return {
    dim: 3,
    n,
    dt: 0.0256 / n,
    mass: 1000 * volume,
    volume,
    ...lame(2e4, 0.4),
    gravity: 9.8,
    wall,
    start: atRest(3, Float64Array.from(x)),
    body: new Uint8Array(places.length),
  };
};

/**
 * A falling cube by the material point method, with a list of the particles of each block, which is a permutation of all: so what particles
 * gather from one grid and what they scatter to the other is one loop (thesis §4.8.3, after Wang et al. 2020).
 */
export const mpmG2p2g: QueuedCase = {
  name: 'mpm-g2p2g',
  shows:
    'a cube falls by the material point method; what particles read from one grid and write to the next is one loop',
  n: 32,
  multiple: 8,
  most: 256,
  steps: 2,
  rounding: 1e6,
  make: (n, float) => {
    const setup = cube(n);
    const { dt, mass, volume, mu, lambda, gravity, wall } = setup;
    const count = setup.body.length;
    const { x, v, C, F } = fields(float, i, { x: 3, v: 3, C: [3, 3], F: [3, 3] });
    const { even, odd } = fields(float, ijk, { even: 4, odd: 4 });
    const { list } = fields('i32', ijkl, ['list']);
    /* Velocity of node k along an axis, which does not lead into a wall. */
    const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);
    const scope = { n, dt, mass, volume, mu, lambda, gravity, count, wall, free, BLOCK };
    const empty = (g: typeof even, name: string) =>
      kernel([g], { float, name }, (g) => {
        for (const [i, j, k] of active(g)) g[i][j][k] = vec(0, 0, 0, 0);
      });
    const scatter = (g: typeof even, name: string) =>
      kernel([x, v, C, F, g, list], { float, scope, name }, (x, v, C, F, g, list) => {
        for (const [i, j, k, l] of active(list)) {
          const p = permutation(list[i][j][k][l], count);
          const now = F[p].add(C[p].mul(F[p]).mul(dt));
          F[p] = now;
          const J = now.determinant();
          const shear = now.sub(nearestRotation(now)).mul(now.transpose());
          const stress = shear.mul(2 * mu).add(identity(3).mul(lambda * (J - 1) * J));
          const affine = C[p].mul(mass).sub(stress.mul(4 * n * n * dt * volume));
          for (const [node, weight, away] of splineNodes(quadraticSpline(x[p].mul(n)))) {
            const momentum = v[p].mul(mass).add(affine.mul(away.div(n)));
            accumulate(g, node, vec(momentum, mass).mul(weight));
          }
        }
      });
    const divide = (g: typeof even, name: string) =>
      kernel([g], { float, scope, name }, (g) => {
        for (const [i, j, k] of active(g)) {
          const [x, y, z, m] = g[i][j][k];
          if (m > 0) g[i][j][k] = vec(free(i, x / m), free(j, y / m - gravity * dt), free(k, z / m), 0);
        }
      });
    const gather = (g: typeof even, name: string) =>
      kernel([x, v, C, g, list], { float, scope, name }, (x, v, C, g, list) => {
        for (const [i, j, k, l] of active(list)) {
          const p = permutation(list[i][j][k][l], count);
          const nodes = splineNodes(quadraticSpline(x[p].mul(n)));
          /* The velocity around the particle, and its moment along each axis. */
          const m = sum(nodes, ([node, weight, away]) => vec(1, away).outer(at(g, node).mul(weight)));
          v[p] = m[0].xyz;
          C[p] = columns(m[1].xyz, m[2].xyz, m[3].xyz).mul(4 * n);
          x[p] = x[p].add(m[0].xyz.mul(dt));
        }
      });
    const kernels = {
      empty: kernel([list], { float }, (list) => {
        clear(list);
      }),
      sort: kernel([x, list], { float, scope }, (x, list) => {
        for (const p of range(count)) append(at(list, idiv(quadraticSpline(x[p].mul(n)).base, BLOCK)), p);
      }),
      emptyEven: empty(even, 'emptyEven'),
      emptyOdd: empty(odd, 'emptyOdd'),
      scatterEven: scatter(even, 'scatterEven'),
      scatterOdd: scatter(odd, 'scatterOdd'),
      divideEven: divide(even, 'divideEven'),
      divideOdd: divide(odd, 'divideOdd'),
      gatherEven: gather(even, 'gatherEven'),
      gatherOdd: gather(odd, 'gatherOdd'),
    };
    const sorted = (run: Readonly<Record<string, () => number>>): void => {
      run.empty();
      run.sort();
    };
    const between = (run: Readonly<Record<string, () => number>>, from: string, to: string): void => {
      run[`gather${from}`]();
      run[`empty${to}`]();
      run[`scatter${to}`]();
      run[`divide${to}`]();
    };
    return {
      layout: layout(
        dense(i, count).place(x, v, C, F),
        dense(ijk, n).place(even),
        dense(ijk, n).place(odd),
        dense(ijk, n / BLOCK)
          .pointer()
          .fork(dynamic(l, 4096).place(list)),
      ),
      kernels,
      start: (run, { field }) => {
        const { start } = setup;
        field(x).fromArray(float === 'f32' ? Float32Array.from(start.x) : start.x);
        field(F).fromArray(float === 'f32' ? Float32Array.from(start.F) : start.F);
        sorted(run);
        run.emptyEven();
        run.scatterEven();
        run.divideEven();
      },
      step: (run) =>
        times(PAIRS, () => {
          sorted(run);
          between(run, 'Even', 'Odd');
          sorted(run);
          between(run, 'Odd', 'Even');
        }),
      reference: (steps) => {
        const plain = referenceMpm(setup);
        void plain.step(2 * PAIRS * steps);
        const state = plain.state() as { readonly x: Float64Array; readonly v: Float64Array };
        return Object.fromEntries(
          [0, 1, 2].flatMap((axis) => [
            [`x_${axis}`, state.x.filter((_, k) => k % 3 === axis)],
            [`v_${axis}`, state.v.filter((_, k) => k % 3 === axis)],
          ]),
        );
      },
    };
  },
};
