import { active, i32, range, type Grid1, type Grid2 } from '@filigree/lang/kernels';

/** Nodes along a side of the unit square: in the scope of kernels. */
declare const n: number;

/** The weight of one of three nodes along an axis; `d` is the distance from the first. */
export const weight = (k: number, d: number): number =>
  k === 0 ? 0.5 * (1.5 - d) * (1.5 - d) : k === 1 ? 0.75 - (d - 1) * (d - 1) : 0.5 * (d - 0.5) * (d - 0.5);

/** The body of a kernel that gives particles the velocity of the nodes around them, and how it changes from place to place. */
export const gather = (
  x: Grid1,
  y: Grid1,
  u: Grid1,
  v: Grid1,
  cxx: Grid1,
  cxy: Grid1,
  cyx: Grid1,
  cyy: Grid1,
  gu: Grid2,
  gv: Grid2,
): void => {
  for (const p of active(x)) {
    const a = i32(Math.floor(x[p] * n - 0.5));
    const b = i32(Math.floor(y[p] * n - 0.5));
    let [nu, nv, xx, xy, yx, yy] = [0, 0, 0, 0, 0, 0];
    for (const k of range(3))
      for (const l of range(3)) {
        const w = weight(k, x[p] * n - a) * weight(l, y[p] * n - b);
        const dx = (a + k) / n - x[p];
        const dy = (b + l) / n - y[p];
        nu += w * gu[a + k][b + l];
        nv += w * gv[a + k][b + l];
        xx += w * gu[a + k][b + l] * dx;
        xy += w * gu[a + k][b + l] * dy;
        yx += w * gv[a + k][b + l] * dx;
        yy += w * gv[a + k][b + l] * dy;
      }
    u[p] = nu;
    v[p] = nv;
    cxx[p] = 4 * n * n * xx;
    cxy[p] = 4 * n * n * xy;
    cyx[p] = 4 * n * n * yx;
    cyy[p] = 4 * n * n * yy;
  }
};

/** The nodes around a place, with their weights and where they are from there: the same for plain programs. */
export const nodesAround = (
  n: number,
  x: number,
  y: number,
  visit: (node: number, w: number, dx: number, dy: number) => void,
): void => {
  const [a, b] = [x, y].map((z) => Math.floor(z * n - 0.5));
  const [wx, wy] = [x * n - a, y * n - b].map((d) => [0.5 * (1.5 - d) ** 2, 0.75 - (d - 1) ** 2, 0.5 * (d - 0.5) ** 2]);
  for (let k = 0; k < 3; k++)
    for (let l = 0; l < 3; l++) visit((a + k) * n + b + l, wx[k] * wy[l], (a + k) / n - x, (b + l) / n - y);
};

/** Velocities of particles in a plain program, from those of nodes; the four numbers of `C` lie together for each. */
export const gathered = (
  n: number,
  [x, y, u, v, C]: readonly Float64Array[],
  [gu, gv]: readonly Float64Array[],
): void => {
  for (let p = 0; p < x.length; p++) {
    u[p] = v[p] = 0;
    C.fill(0, 4 * p, 4 * p + 4);
    nodesAround(n, x[p], y[p], (node, w, dx, dy) => {
      u[p] += w * gu[node];
      v[p] += w * gv[node];
      C[4 * p] += 4 * n * n * w * gu[node] * dx;
      C[4 * p + 1] += 4 * n * n * w * gu[node] * dy;
      C[4 * p + 2] += 4 * n * n * w * gv[node] * dx;
      C[4 * p + 3] += 4 * n * n * w * gv[node] * dy;
    });
  }
};
