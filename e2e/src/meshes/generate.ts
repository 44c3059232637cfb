import type { Mesh } from './mesh.js';
import { randomNumbers } from './random.js';

/**
 * A triangulated rectangle of `nx` by `ny` vertices over [0, 1]², lifted by `height` (flat without it). Diagonals
 * alternate, so that vertices have four or eight neighbours.
 */
export const gridMesh = (nx: number, ny: number, height: (x: number, y: number) => number = () => 0): Mesh => {
  const vertices = new Float64Array(3 * nx * ny);
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const x = i / (nx - 1);
      const y = j / (ny - 1);
      vertices.set([x, y, height(x, y)], 3 * (j * nx + i));
    }
  const faces: number[] = [];
  for (let j = 0; j + 1 < ny; j++)
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d] = [j * nx + i, j * nx + i + 1, (j + 1) * nx + i + 1, (j + 1) * nx + i];
      if ((i + j) % 2 === 0) faces.push(a, b, c, a, c, d);
      else faces.push(a, b, d, b, c, d);
    }
  return { vertices, faces: Int32Array.from(faces), tets: new Int32Array(0) };
};

/** Every triangle cut in four at its edge midpoints, `times` over; midpoints of a shared edge are one vertex. */
export const subdivide = (mesh: Mesh, times = 1): Mesh =>
  times <= 0 ? mesh : subdivide(subdivideOnce(mesh), times - 1);

const subdivideOnce = (mesh: Mesh): Mesh => {
  const n = mesh.vertices.length / 3;
  const vertices = Array.from(mesh.vertices);
  const midpoints = new Map<number, number>();
  const midpoint = (a: number, b: number): number => {
    const key = Math.min(a, b) * n + Math.max(a, b);
    const known = midpoints.get(key);
    if (known !== undefined) return known;
    const fresh = vertices.length / 3;
    for (let k = 0; k < 3; k++) vertices.push((mesh.vertices[3 * a + k] + mesh.vertices[3 * b + k]) / 2);
    midpoints.set(key, fresh);
    return fresh;
  };
  const faces = new Int32Array(4 * mesh.faces.length);
  for (let f = 0; f < mesh.faces.length; f += 3) {
    const [a, b, c] = mesh.faces.subarray(f, f + 3);
    const [ab, bc, ca] = [midpoint(a, b), midpoint(b, c), midpoint(c, a)];
    faces.set([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], 4 * f);
  }
  return { vertices: Float64Array.from(vertices), faces, tets: new Int32Array(0) };
};

/**
 * The unit cube as `nx` by `ny` by `nz` cells of six tetrahedra each, all of positive volume. Inner vertices are moved by up
 * to `jitter` of a cell, so that the dual of the mesh is not degenerate.
 */
export const tetBox = (nx: number, ny: number, nz: number, jitter = 0, seed = 1): Mesh => {
  const random = randomNumbers(seed);
  const at = (i: number, j: number, k: number): number => (k * (ny + 1) + j) * (nx + 1) + i;
  const vertices = new Float64Array(3 * (nx + 1) * (ny + 1) * (nz + 1));
  for (let k = 0; k <= nz; k++)
    for (let j = 0; j <= ny; j++)
      for (let i = 0; i <= nx; i++) {
        const moved = (c: number, n: number): number => (c + (c > 0 && c < n ? jitter * (2 * random() - 1) : 0)) / n;
        vertices.set([moved(i, nx), moved(j, ny), moved(k, nz)], 3 * at(i, j, k));
      }
  const tets: number[] = [];
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++)
        for (const [path, even] of KUHN) {
          const corner = [i, j, k];
          const tet = [at(i, j, k)];
          for (const axis of path) {
            corner[axis]++;
            tet.push(at(corner[0], corner[1], corner[2]));
          }
          if (even) tets.push(...tet);
          else tets.push(tet[0], tet[1], tet[3], tet[2]);
        }
  return { vertices, faces: new Int32Array(0), tets: Int32Array.from(tets) };
};

/** The six orders of the axes, each the path of one tetrahedron along a cell's edges, and whether the order is even. */
const KUHN: readonly (readonly [readonly number[], boolean])[] = [
  [[0, 1, 2], true],
  [[1, 2, 0], true],
  [[2, 0, 1], true],
  [[0, 2, 1], false],
  [[2, 1, 0], false],
  [[1, 0, 2], false],
];
