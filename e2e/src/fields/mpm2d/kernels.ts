import { accumulate, active, append, assumeInRange, at, cache, clear, identity, idiv } from '@filigree/lang';
import { kernel, mat, polar2, quadraticSpline, range, splineNodes, vec, zeros } from '@filigree/lang';
import type { Grid3, MatGrid1, Vec, VecGrid1, VecGrid2 } from '@filigree/lang';
import { dense, dynamic, field, ij, k, layout, matrixField, vectorField } from '@filigree/sparse';
import { inGroups, type Blocks } from '../layouts.js';
import type { MpmSetup } from '../mpm/mpm.js';

/**
 * One step of the simulation, and where its data lie. A grid node's `g` is its momentum and mass, then its velocity, and a
 * number that fills it up to a vector; a block of them keeps a `list` of its particles, those whose first node it holds.
 */
export const mpm2d = (setup: MpmSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall } = setup;
  const [x, v, g] = [2, 2, 4].map((size, k) => vectorField('xvg'[k], float, size));
  const [C, F] = ['C', 'F'].map((name) => matrixField(name, float, 2, 2));
  const list = field('list', 'i32');
  const count = setup.body.length;
  const grid = blocks(ij, n / 8).fork(dense(ij, 8).place(g), dynamic(k, 4096).place(list));

  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);

  /** The nodes around a particle, of which it is known that the block holds the first. */
  const around = (x: Vec<2>, i: number, j: number) => {
    const { base, offset, weights } = quadraticSpline(x.mul(n));
    return splineNodes({ base: assumeInRange(base, [8 * i, 8 * j], 0, 8), offset, weights });
  };

  const step = kernel(
    [x, v, C, F, g, list],
    (x: VecGrid1<2>, v: VecGrid1<2>, C: MatGrid1<2, 2>, F: MatGrid1<2, 2>, g: VecGrid2<4>, list: Grid3) => {
      clear(g);
      for (const p of active(x)) {
        F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
        const J = F[p].determinant();
        const [R] = polar2(F[p]);
        const stress = F[p].sub(R).mul(F[p].transpose()).mul(2 * mu); // prettier-ignore
        const force = stress.add(identity(2).mul(lambda * (J - 1) * J));
        C[p] = C[p].mul(mass).sub(force.mul(4 * n * n * dt * volume));
      }
      for (const p of range(count)) append(at(list, idiv(quadraticSpline(x[p].mul(n)).base, 8)), p);
      for (const [i, j, k] of active(list)) {
        cache(g);
        const p = list[i][j][k];
        for (const [node, weight, away] of around(x[p], i, j)) {
          const q = v[p].mul(mass).add(C[p].mul(away.div(n)));
          accumulate(g, node, vec(q.x, q.y, mass, 0).mul(weight));
        }
      }
      for (const [i, j] of active(g)) {
        const [x, y, m] = g[i][j];
        if (m > 0) g[i][j] = vec(free(i, x / m), free(j, y / m - gravity * dt), 0, 0);
      }
      for (const [i, j, k] of active(list)) {
        cache(g);
        const p = list[i][j][k];
        let [sum, slope] = [vec(0, 0, 0, 0), zeros(4, 2)];
        for (const [node, weight, away] of around(x[p], i, j)) {
          const part = at(g, node).mul(weight);
          sum = sum.add(part);
          slope = slope.add(part.outer(away));
        }
        v[p] = vec(sum.x, sum.y);
        C[p] = mat(slope[0], slope[1]).mul(4 * n);
        x[p] = x[p].add(v[p].mul(dt));
      }
    },
    { float, scope: { n, count, dt, mass, volume, mu, lambda, gravity, wall, free, around } },
  );
  return {
    layout: layout(inGroups(count, x, v, C, F), grid),
    kernels: { step },
    fields: { x, v, C, F },
  };
};
