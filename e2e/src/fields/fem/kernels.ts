import { active, conjugateGradients, f64, identity, kernel, mat, ndrange, unrolled, vec } from '@filigree/lang/kernels';
import { componentsOf, dense, fields, ijk, layout } from '@filigree/sparse/fields';
import type { Blocks } from '../layouts.js';
import { CORNERS, type FemSetup } from './setup.js';

/** Of a cell's stiffness matrix the block between nodes a and b for λ = 1: integrals of dN_a/dx_u · dN_b/dx_v. */
const slopes = (a: number, b: number) => {
  const entry = (u: number, v: number) =>
    [0, 1, 2].reduce((product, axis) => {
      const [p, q] = [a, b].map((node) => 2 * CORNERS[node][axis] - 1);
      return product * (axis === u ? (axis === v ? p * q : p / 2) : axis === v ? q / 2 : (3 + p * q) / 12);
    }, 1);
  const row = (u: number) => vec(entry(u, 0), entry(u, 1), entry(u, 2));
  return mat(row(0), row(1), row(2));
};
const L = CORNERS.map((_, a) => CORNERS.map((_, b) => slopes(a, b)));
/* And for μ = 1. */
const M = L.map((row) => row.map((m) => m.transpose().add(identity(3).mul(m.trace()))));

/** Nodes of the empty blocks around the body: each node has neighbours on all sides. Node (i, j, k) is at i + MARGIN, … */
export const MARGIN = 8;

/** Where the data lie, and the kernels. */
export const fem = ({ n }: FemSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { u, p, q, r } = fields(float, ijk, { u: 3, p: 3, q: 3, r: 3 });
  const { lambda, mu, free } = fields(float, ijk, ['lambda', 'mu', 'free']);
  const parts = [u, p, q, r, lambda, mu, free].flatMap(componentsOf);
  const grid = blocks(ijk, (n + 2 * MARGIN) / 8).fork(...parts.map((f) => dense(ijk, 8).place(f)));
  /* q = K p where nodes may move; p · q. */
  const args = [p, q, lambda, mu, free] as const;
  const multiply = kernel(args, { float, scope: { L, M } }, (p, q, lambda, mu, free) => {
    let pq = f64(0);
    for (const [i, j, k] of active(free)) {
      let force = vec(0, 0, 0);
      for (const [a, b, c] of unrolled(ndrange(2, 2, 2))) {
        const [x, y, z, node] = [i + a - 1, j + b - 1, k + c - 1, 7 - 4 * a - 2 * b - c];
        let [byLambda, byMu] = [vec(0, 0, 0), vec(0, 0, 0)];
        for (const [d, e, f] of unrolled(ndrange(2, 2, 2))) {
          const u = p[x + d][y + e][z + f];
          byLambda = byLambda.add(L[node][4 * d + 2 * e + f].mul(u));
          byMu = byMu.add(M[node][4 * d + 2 * e + f].mul(u));
        }
        force = force.add(byLambda.mul(lambda[x][y][z])).add(byMu.mul(mu[x][y][z]));
      }
      q[i][j][k] = force.mul(free[i][j][k]);
      pq += f64(p[i][j][k].dot(q[i][j][k]));
    }
    return pq;
  });
  const kernels = { multiply, ...conjugateGradients({ x: u, p, q, r }) };
  return { layout: layout(grid), kernels, fields: { u, p, q, r, lambda, mu, free } };
};
