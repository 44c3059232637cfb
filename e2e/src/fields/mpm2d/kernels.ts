import { accumulate, active, append, assumeInRange, cache, clear, i32, identity, idiv, kernel } from '@filigree/lang';
import { mat, ndrange, polar2, range, unrolled, vec, zeros } from '@filigree/lang';
import type { Grid3, MatGrid1, Vec, VecGrid1, VecGrid2 } from '@filigree/lang';
import { dense, dynamic, field, ij, k, layout, matrixField, vectorField } from '@filigree/sparse';
import { inGroups, type Blocks } from '../layouts.js';
import type { MpmSetup } from '../mpm/mpm.js';

/**
 * One step of the simulation, and where its data lie. A grid node's `g` is its momentum and mass, then its velocity, and a
 * number that fills it up to a vector; a block of them keeps a list of the particles `at` it, those whose first node it holds.
 */
export const mpm2d = (setup: MpmSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall } = setup;
  const [x, v, g] = [2, 2, 4].map((size, k) => vectorField('xvg'[k], float, size));
  const [C, F] = ['C', 'F'].map((name) => matrixField(name, float, 2, 2));
  const at = field('at', 'i32');
  const count = setup.body.length;
  const grid = blocks(ij, n / 8).fork(dense(ij, 8).place(g), dynamic(k, 4096).place(at));

  /** The first of the nodes around a place, the distance to it, and the quadratic weights of three along each axis. */
  const spline = (x: Vec<2>) => {
    const base = i32(x.mul(n).sub(0.5));
    const f = x.mul(n).sub(base);
    const ends = [f.sub(1.5).pow(2).div(2), f.sub(0.5).pow(2).div(2)];
    return [base, f, mat(ends[0], f.sub(1).pow(2).neg().add(0.75), ends[1])] as const;
  };
  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);

  /** The first node of a particle in a block, of which it is known that the block holds it. */
  const within = (base: Vec<2>, i: number, j: number) =>
    vec(assumeInRange(base.x, 8 * i, 0, 8), assumeInRange(base.y, 8 * j, 0, 8));

  const step = kernel(
    [x, v, C, F, g, at],
    (x: VecGrid1<2>, v: VecGrid1<2>, C: MatGrid1<2, 2>, F: MatGrid1<2, 2>, g: VecGrid2<4>, at: Grid3) => {
      clear(g);
      for (const p of active(x)) {
        F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
        const J = F[p].determinant();
        const [R] = polar2(F[p]);
        const stress = F[p].sub(R).mul(F[p].transpose()).mul(2 * mu); // prettier-ignore
        const force = stress.add(identity(2).mul(lambda * (J - 1) * J));
        C[p] = C[p].mul(mass).sub(force.mul(4 * n * n * dt * volume));
      }
      for (const p of range(count)) {
        const [base] = spline(x[p]);
        append(at[idiv(base.x, 8)][idiv(base.y, 8)], p);
      }
      for (const [i, j, k] of active(at)) {
        cache(g);
        const p = at[i][j][k];
        const [base, f, w] = spline(x[p]);
        const { x: bx, y: by } = within(base, i, j);
        for (const [a, b] of unrolled(ndrange(3, 3))) {
          const q = v[p].mul(mass).add(C[p].mul(vec(a, b).sub(f).div(n)));
          accumulate(g, bx + a, by + b, vec(q.x, q.y, mass, 0).mul(w[a].x * w[b].y));
        }
      }
      for (const [i, j] of active(g)) {
        const [x, y, m] = g[i][j];
        if (m > 0) g[i][j] = vec(free(i, x / m), free(j, y / m - gravity * dt), 0, 0);
      }
      for (const [i, j, k] of active(at)) {
        cache(g);
        const p = at[i][j][k];
        const [base, f, w] = spline(x[p]);
        const { x: bx, y: by } = within(base, i, j);
        let [sum, slope] = [vec(0, 0, 0, 0), zeros(4, 2)];
        for (const [a, b] of unrolled(ndrange(3, 3))) {
          const part = g[bx + a][by + b].mul(w[a].x * w[b].y);
          sum = sum.add(part);
          slope = slope.add(part.outer(vec(a, b).sub(f)));
        }
        v[p] = vec(sum.x, sum.y);
        C[p] = mat(slope[0], slope[1]).mul(4 * n);
        x[p] = x[p].add(v[p].mul(dt));
      }
    },
    { float, scope: { n, count, dt, mass, volume, mu, lambda, gravity, wall, spline, free, within } },
  );
  return {
    layout: layout(inGroups(count, x), inGroups(count, v, C, F), grid),
    kernels: { step },
    fields: { x, v, C, F },
  };
};
