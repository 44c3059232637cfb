import { accumulate, active, append, assumeInRange, cache, clear, i32, identity, idiv, kernel } from '@filigree/lang';
import { mat, ndrange, range, unrolled, vec, zeros } from '@filigree/lang';
import type { Grid4, Mat, MatGrid1, Vec, VecGrid1, VecGrid3 } from '@filigree/lang';
import { dense, dynamic, field, ijk, l, layout, matrixField, vectorField } from '@filigree/sparse';
import { inGroups, type Blocks } from '../layouts.js';
import type { MpmSetup } from '../mpm/mpm.js';

/**
 * One step of the simulation, and where its data lie. A grid node's `g` is its momentum and mass, then its velocity; a
 * block of them keeps a list of the particles `at` it, those whose first node it holds.
 */
export const mpm3d = (setup: MpmSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { n, dt, mass, volume, mu, lambda, gravity, wall } = setup;
  const [x, v, g] = [3, 3, 4].map((size, k) => vectorField('xvg'[k], float, size));
  const [C, F] = ['C', 'F'].map((name) => matrixField(name, float, 3, 3));
  const at = field('at', 'i32');
  const count = setup.body.length;
  const grid = blocks(ijk, n / 4).fork(dense(ijk, 4).place(g), dynamic(l, 4096).place(at));

  /** The first of the nodes around a place, the distance to it, and the quadratic weights of three along each axis. */
  const spline = (x: Vec<3>) => {
    const base = i32(x.mul(n).sub(0.5));
    const f = x.mul(n).sub(base);
    const ends = [f.sub(1.5).pow(2).div(2), f.sub(0.5).pow(2).div(2)];
    return [base, f, mat(ends[0], f.sub(1).pow(2).neg().add(0.75), ends[1])] as const;
  };
  /** Velocity of node k along an axis, which does not lead into a wall. */
  const free = (k: number, v: number) => (k < wall ? Math.max(v, 0) : k > n - wall ? Math.min(v, 0) : v);

  /** The rotation nearest to F, by Newton's iteration. */
  const rotation = (F: Mat<3, 3>) => {
    let R = F;
    for (const _ of range(6)) R = R.add(R.inverse().transpose()).div(2);
    return R;
  };

  /** The first node of a particle in a block, of which it is known that the block holds it. */
  const within = (base: Vec<3>, i: number, j: number, k: number) =>
    vec(assumeInRange(base.x, 4 * i, 0, 4), assumeInRange(base.y, 4 * j, 0, 4), assumeInRange(base.z, 4 * k, 0, 4));

  const step = kernel(
    [x, v, C, F, g, at],
    (x: VecGrid1<3>, v: VecGrid1<3>, C: MatGrid1<3, 3>, F: MatGrid1<3, 3>, g: VecGrid3<4>, at: Grid4) => {
      clear(g);
      for (const p of active(x)) {
        F[p] = F[p].add(C[p].mul(F[p]).mul(dt));
        const J = F[p].determinant();
        const stress = F[p].sub(rotation(F[p])).mul(F[p].transpose()).mul(2 * mu); // prettier-ignore
        const force = stress.add(identity(3).mul(lambda * (J - 1) * J));
        C[p] = C[p].mul(mass).sub(force.mul(4 * n * n * dt * volume));
      }
      for (const p of range(count)) {
        const [base] = spline(x[p]);
        append(at[idiv(base.x, 4)][idiv(base.y, 4)][idiv(base.z, 4)], p);
      }
      for (const [i, j, k, l] of active(at)) {
        cache(g);
        const p = at[i][j][k][l];
        const [base, f, w] = spline(x[p]);
        const { x: bx, y: by, z: bz } = within(base, i, j, k);
        for (const [a, b, c] of unrolled(ndrange(3, 3, 3))) {
          const q = v[p].mul(mass).add(C[p].mul(vec(a, b, c).sub(f).div(n)));
          const weight = w[a].x * w[b].y * w[c].z;
          accumulate(g, bx + a, by + b, bz + c, vec(q.x, q.y, q.z, mass).mul(weight));
        }
      }
      for (const [i, j, k] of active(g)) {
        const [x, y, z, m] = g[i][j][k];
        if (m > 0) g[i][j][k] = vec(free(i, x / m), free(j, y / m - gravity * dt), free(k, z / m), 0);
      }
      for (const [i, j, k, l] of active(at)) {
        cache(g);
        const p = at[i][j][k][l];
        const [base, f, w] = spline(x[p]);
        const { x: bx, y: by, z: bz } = within(base, i, j, k);
        let [sum, slope] = [vec(0, 0, 0, 0), zeros(4, 3)];
        for (const [a, b, c] of unrolled(ndrange(3, 3, 3))) {
          const part = g[bx + a][by + b][bz + c].mul(w[a].x * w[b].y * w[c].z);
          sum = sum.add(part);
          slope = slope.add(part.outer(vec(a, b, c).sub(f)));
        }
        v[p] = vec(sum.x, sum.y, sum.z);
        C[p] = mat(slope[0], slope[1], slope[2]).mul(4 * n);
        x[p] = x[p].add(v[p].mul(dt));
      }
    },
    { float, scope: { n, count, dt, mass, volume, mu, lambda, gravity, wall, spline, free, rotation, within } },
  );
  return {
    layout: layout(inGroups(count, x), inGroups(count, v, C, F), grid),
    kernels: { step },
    fields: { x, v, C, F },
  };
};
