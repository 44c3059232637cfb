import { compile } from 'filigree';
import { describe, expect, it } from 'vitest';
import { faceCount, vertexCount } from '../src/index.js';
import { spot } from './data.js';

type Vector = readonly number[];

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The squared mean curvature of a closed surface: at each vertex that of the normal which the cotangents of its faces make, by its share of their areas. */
const willmore = (points: readonly Vector[], faces: readonly (readonly number[])[]): number => {
  const normals = points.map(() => [0, 0, 0]);
  const areas = points.map(() => 0);
  for (const face of faces)
    for (let c = 0; c < 3; c++) {
      const [i, j, k] = [face[c], face[(c + 1) % 3], face[(c + 2) % 3]];
      const [a, b] = [minus(points[i], points[k]), minus(points[j], points[k])];
      const n = cross(a, b);
      const twice = Math.sqrt(dot(n, n));
      const weight = dot(a, b) / twice / 2;
      for (let d = 0; d < 3; d++) {
        const pull = weight * (points[i][d] - points[j][d]);
        normals[i][d] += pull;
        normals[j][d] -= pull;
      }
      areas[i] += twice / 6;
    }
  return normals.map((n, v) => dot(n, n) / areas[v] / 4).reduce((sum, x) => sum + x);
};

describe('mean curvature of a mesh whose vertices have different numbers of neighbours', () => {
  it('is differentiated twice, face by face, from plain loops', async () => {
    const mesh = spot();
    const n = vertexCount(mesh);
    const faces = Array.from({ length: faceCount(mesh) }, (_, f) => [...mesh.faces.subarray(3 * f, 3 * f + 3)]);
    const program = await compile(
      {
        inputs: { points: [n, 3] },
        run: ({ points }, { gradient, hessian }) => {
          const energy = willmore(points, faces);
          return { energy, g: gradient(energy, points), H: hessian(energy, points) };
        },
      },
      { scope: { willmore, faces, minus, dot, cross }, backend: 'wasm' },
    );
    const x = Float64Array.from(mesh.vertices);
    const along = x.map((_, i) => Math.sin(1.7 * i));
    const moved = (t: number): Float64Array => x.map((v, i) => v + t * along[i]);
    const at = (y: Float64Array): { readonly energy: number; readonly g: Float64Array; readonly H: Float64Array } => {
      program.inputs.points.set(y);
      program.run();
      const { energy, g, H } = program.outputs;
      return { energy: energy[0], g: Float64Array.from(g), H: Float64Array.from(H) };
    };
    const plain = (y: Float64Array): number =>
      willmore(
        Array.from({ length: n }, (_, v) => [...y.subarray(3 * v, 3 * v + 3)]),
        faces,
      );
    const h = 1e-7;
    const [here, ahead, behind] = [x, moved(h), moved(-h)].map(at);
    expect(here.energy).toBe(plain(x));
    const slope = here.g.reduce((sum, g, i) => sum + g * along[i], 0);
    expect(slope / ((plain(moved(h)) - plain(moved(-h))) / (2 * h))).toBeCloseTo(1, 5);
    const { rowPtr, colIdx } = program.patterns.H;
    const changes = ahead.g.map((g, i) => (g - behind.g[i]) / (2 * h));
    const products = changes.map((_, i) =>
      colIdx.subarray(rowPtr[i], rowPtr[i + 1]).reduce((sum, j, e) => sum + here.H[rowPtr[i] + e] * along[j], 0),
    );
    const largest = changes.reduce((m, c) => Math.max(m, Math.abs(c)), 0);
    expect(products.reduce((m, p, i) => Math.max(m, Math.abs(p - changes[i])), 0) / largest).toBeLessThan(1e-7);
    program.dispose();
  }, 240_000);
});
