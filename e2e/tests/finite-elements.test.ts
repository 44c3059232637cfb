import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from 'filigree';
import { describe, expect, it } from 'vitest';
import { orientTets, tetBox, tetCount, vertexCount } from '../src/index.js';
import { SHARED_DATA, sharedMesh } from './data.js';

type Vector = readonly number[];

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Stiffness of a tetrahedron of linearly elastic material, 12 × 12. */
const stiffness = (a: Vector, b: Vector, c: Vector, d: Vector, lambda: number, mu: number): number[][] => {
  const [u, v, w] = [minus(b, a), minus(c, a), minus(d, a)];
  const normals = [cross(v, w), cross(w, u), cross(u, v)];
  const six = dot(u, normals[0]);
  const g = normals.map((n) => [n[0] / six, n[1] / six, n[2] / six]);
  const gradients = [[0, 1, 2].map((i) => -(g[0][i] + g[1][i] + g[2][i])), ...g];
  return Array.from({ length: 12 }, (_row, r) =>
    Array.from({ length: 12 }, (_column, s) => {
      const [p, i, q, j] = [gradients[Math.floor(r / 3)], r % 3, gradients[Math.floor(s / 3)], s % 3];
      const shear = p[j] * q[i] + (i === j ? dot(p, q) : 0);
      return (six / 6) * (lambda * p[i] * q[j] + mu * shear);
    }),
  );
};

/** All entries of the matrix of a mesh, in the order in which elements first meet them. */
const assemble = (points: readonly Vector[], tets: readonly number[][], lambda: number, mu: number): number[] => {
  const entries = new Map<string, number>();
  for (const t of tets) {
    const K = stiffness(points[t[0]], points[t[1]], points[t[2]], points[t[3]], lambda, mu);
    for (let r = 0; r < 12; r++)
      for (let s = 0; s < 12; s++) {
        const key = `${3 * t[Math.floor(r / 3)] + (r % 3)} ${3 * t[Math.floor(s / 3)] + (s % 3)}`;
        const sum = entries.get(key);
        entries.set(key, sum === undefined ? K[r][s] : sum + K[r][s]);
      }
  }
  return [...entries.values()];
};

describe.each([
  ['igl_octopus-low.mesh', () => tetBox(5, 6, 7, 0.25)],
  ['cloth-and-tets/tetsphere1', () => tetBox(12, 12, 12, 0.25)],
])('linear elasticity on %s', (name, otherwise) => {
  it('has few kernels, and the entries of plain code to the last bit', async () => {
    const mesh = orientTets(sharedMesh(name, otherwise));
    const n = vertexCount(mesh);
    const tets = Array.from({ length: Math.min(tetCount(mesh), 1200) }, (_, t) => [
      ...mesh.tets.subarray(4 * t, 4 * t + 4),
    ]);
    const program = await compile(
      {
        inputs: { points: [n, 3], material: 2 },
        run: ({ points, material }) => ({ K: assemble(points, tets, material[0], material[1]) }),
      },
      { scope: { assemble, tets, stiffness, minus, dot, cross } },
    );
    program.inputs.points.set(mesh.vertices);
    program.inputs.material.set([1.25, 0.75]);
    program.run();
    const points = Array.from({ length: n }, (_, v) => [...mesh.vertices.subarray(3 * v, 3 * v + 3)]);
    expect(program.outputs.K).toEqual(Float64Array.from(assemble(points, tets, 1.25, 0.75)));
    /* On the boxes that stand in for the meshes there are more than on these. */
    expect(program.stats.kernels).toBeLessThanOrEqual(existsSync(join(SHARED_DATA, 'meshes', name)) ? 60 : 120);
    program.dispose();
  }, 120_000);
});
