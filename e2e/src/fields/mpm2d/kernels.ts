import { accumulate, active, append, at, cache, clear, columns, identity, idiv, kernel } from '@filigree/lang/kernels';
import { permutation, polar2, quadraticSpline, range, splineNodes, sum, vec } from '@filigree/lang/kernels';
import { dense, dynamic, fields, i, ij, ijk, k, layout } from '@filigree/sparse/fields';
import { inGroups, type Blocks } from '../layouts.js';
import type { MpmSetup } from '../mpm/mpm.js';

/**
 * One step of the simulation, and where its data lie. A grid node's `g` is its momentum and mass, then its velocity, and a
 * number that fills it up to a vector; a block of them keeps a `list` of its particles, those whose first node it holds.
 */
export const mpm2d = (setup: MpmSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall } = setup;
  const { x, v, C, F } = fields(float, i, { x: 2, v: 2, C: [2, 2], F: [2, 2] });
  const { g } = fields(float, ij, { g: 4 });
  const { list } = fields('i32', ijk, ['list']);
  const grid = blocks(ij, n / 8).fork(dense(ij, 8).place(g), dynamic(k, 4096).place(list));
  const count = setup.body.length;

  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);

  const scope = { ...setup, count, free };
  const step = kernel([x, v, C, F, g, list], { float, scope }, (x, v, C, F, g, list) => {
    clear(g);
    for (const p of active(x)) {
      F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
      const J = F[p].determinant();
      const [R] = polar2(F[p]);
      const shear = F[p].sub(R).mul(F[p].transpose());
      const stress = shear.mul(2 * mu).add(identity(2).mul(lambda * (J - 1) * J));
      C[p] = C[p].mul(mass).sub(stress.mul(4 * n * n * dt * volume));
    }
    for (const p of range(count)) append(at(list, idiv(quadraticSpline(x[p].mul(n)).base, 8)), p);
    for (const [i, j, k] of active(list)) {
      cache(g);
      const p = list[i][j][k];
      for (const [node, weight, away] of splineNodes(x[p].mul(n), [8 * i, 8 * j], 8)) {
        const momentum = v[p].mul(mass).add(C[p].mul(away.div(n)));
        accumulate(g, node, vec(momentum, mass, 0).mul(weight));
      }
    }
    for (const [i, j] of active(g)) {
      const [x, y, m] = g[i][j];
      if (m > 0) g[i][j] = vec(free(i, x / m), free(j, y / m - gravity * dt), 0, 0);
    }
    for (const [i, j, k] of active(list)) {
      cache(g);
      const p = permutation(list[i][j][k], count);
      const nodes = splineNodes(x[p].mul(n), [8 * i, 8 * j], 8);
      /* The velocity around the particle, and its moment along each axis. */
      const m = sum(nodes, ([node, weight, away]) => vec(1, away).outer(at(g, node).mul(weight)));
      v[p] = m[0].xy;
      C[p] = columns(m[1].xy, m[2].xy).mul(4 * n);
      x[p] = x[p].add(v[p].mul(dt));
    }
  });
  return { layout: layout(inGroups(count, x, v, C, F), grid), kernels: { step }, fields: { x, v, C, F } };
};
