import { vertexCount, type Mesh } from '../meshes/index.js';
import { randomNumbers } from '../meshes/random.js';
import {
  barycentricMass,
  cotanAssembly,
  cotanLaplacian,
  diagonalMatrix,
  gridLaplacian,
  nonZeros,
  randomMatrix,
} from '../programs/index.js';
import type { NumericMatrix } from './matrix-problem.js';

/** Matrices with n rows and six random entries in each, one for each letter of `names` (paper §5.1). */
export const randomMatrices = (names: string, n: number, seed: number): Readonly<Record<string, NumericMatrix>> =>
  Object.fromEntries([...names].map((name, i) => [name, randomMatrix(n, n, 6, seed + i)]));

/** A mesh Laplacian of about n rows: that of a triangulated grid with random weights. */
export const laplacianOfSize = (n: number, seed: number): NumericMatrix =>
  gridLaplacian(Math.max(2, Math.round(Math.sqrt(n))), seed);

/** The cotan Laplacian of a mesh as a matrix. */
export const laplacianOfMesh = (mesh: Mesh): NumericMatrix => {
  const { pattern, slots } = cotanAssembly(mesh.faces, vertexCount(mesh));
  return { pattern, values: Float64Array.from(cotanLaplacian(mesh.vertices, mesh.faces, slots, nonZeros(pattern))) };
};

/** L, M and K of §5.2: a Laplacian, a diagonal mass, and six random entries a row. */
export const lmltMatrices = (from: Mesh | number, seed: number): Readonly<Record<'L' | 'M' | 'K', NumericMatrix>> => {
  const L = typeof from === 'number' ? laplacianOfSize(from, seed) : laplacianOfMesh(from);
  const { rows } = L.pattern;
  const random = randomNumbers(seed + 1);
  const mass =
    typeof from === 'number'
      ? Array.from({ length: rows }, () => 0.5 + random())
      : barycentricMass(from.vertices, from.faces, rows);
  return { L, M: diagonalMatrix(mass), K: randomMatrix(rows, rows, 6, seed + 2) };
};
