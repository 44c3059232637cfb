import { accumulate, active, clear, i32, identity, kernel, mat, ndrange } from '@filigree/lang';
import { polar2, unrolled, vec, zeros } from '@filigree/lang';
import type { MatGrid1, Vec, VecGrid1, VecGrid2 } from '@filigree/lang';
import { dense, i, ij, layout, matrixField, vectorField } from '@filigree/sparse';
import type { Blocks } from '../layouts.js';
import type { MpmSetup } from '../mpm/mpm.js';

/** One step of the simulation, and where its data lie. A grid node's `g` is its momentum and mass, then its velocity. */
export const mpm2d = (setup: MpmSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall } = setup;
  const [x, v, g] = [2, 2, 3].map((size, k) => vectorField('xvg'[k], float, size));
  const [C, F] = ['C', 'F'].map((name) => matrixField(name, float, 2, 2));
  const particles = dense(i, setup.body.length).place(x, v, C, F);
  const grid = blocks(ij, n / 8)
    .dense(ij, 8)
    .place(g);

  /** The first of the nodes around a place, the distance to it, and the quadratic weights of three along each axis. */
  const spline = (x: Vec<2>) => {
    const base = i32(x.mul(n).sub(0.5));
    const f = x.mul(n).sub(base);
    const ends = [f.sub(1.5).pow(2).div(2), f.sub(0.5).pow(2).div(2)];
    return [base, f, mat(ends[0], f.sub(1).pow(2).neg().add(0.75), ends[1])] as const;
  };
  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);

  const step = kernel(
    [x, v, C, F, g],
    (x: VecGrid1<2>, v: VecGrid1<2>, C: MatGrid1<2, 2>, F: MatGrid1<2, 2>, g: VecGrid2<3>) => {
      clear(g);
      for (const p of active(x)) {
        const [base, f, w] = spline(x[p]);
        F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
        const J = F[p].determinant();
        const stress = F[p]
          .sub(polar2(F[p])[0])
          .mul(F[p].transpose())
          .mul(2 * mu);
        const force = stress.add(identity(2).mul(lambda * (J - 1) * J));
        const A = C[p].mul(mass).sub(force.mul(4 * n * n * dt * volume));
        for (const [a, b] of unrolled(ndrange(3, 3))) {
          const q = v[p].mul(mass).add(A.mul(vec(a, b).sub(f).div(n)));
          const weight = w[a].x * w[b].y;
          accumulate(g, base.x + a, base.y + b, vec(q.x, q.y, mass).mul(weight));
        }
      }
      for (const [i, j] of active(g)) {
        const [x, y, m] = g[i][j];
        if (m > 0) g[i][j] = vec(free(i, x / m), free(j, y / m - gravity * dt), 0);
      }
      for (const p of active(x)) {
        const [base, f, w] = spline(x[p]);
        let [sum, slope] = [vec(0, 0, 0), zeros(3, 2)];
        for (const [a, b] of unrolled(ndrange(3, 3))) {
          const part = g[base.x + a][base.y + b].mul(w[a].x * w[b].y);
          sum = sum.add(part);
          slope = slope.add(part.outer(vec(a, b).sub(f)).mul(4 * n));
        }
        v[p] = vec(sum.x, sum.y);
        C[p] = mat(slope[0], slope[1]);
        x[p] = x[p].add(v[p].mul(dt));
      }
    },
    { float, scope: { n, dt, mass, volume, mu, lambda, gravity, wall, spline, free } },
  );
  return { layout: layout(particles, grid), kernels: { step }, fields: { x, v, C, F } };
};
