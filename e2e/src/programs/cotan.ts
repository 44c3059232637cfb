import { assemblyOf, type Assembly } from './assembly.js';

/**
 * The cotan Laplacian of a triangle mesh (paper §5.3), as the values of a fixed compressed pattern.
 * Off the diagonal stands cot α + cot β of the two angles opposite the edge, on it minus the sum of its row: rows sum to
 * zero, and linear functions of a flat mesh are in the kernel at inner vertices.
 *
 * @param V vertex coordinates, three a vertex
 * @param faces three vertex indices a triangle
 * @param slots where the twelve triplets of each face go, of `cotanAssembly`
 * @param nonZeros length of the result
 */
export function cotanLaplacian(
  V: ArrayLike<number>,
  faces: ArrayLike<number>,
  slots: ArrayLike<number>,
  nonZeros: number,
): number[] {
  const L = new Array<number>(nonZeros).fill(0);
  let t = 0;
  for (let f = 0; f < faces.length; f += 3) {
    const doubleArea = norm(cross(edge(V, faces[f + 1], faces[f]), edge(V, faces[f + 2], faces[f])));
    for (let j = 0; j < 3; j++) {
      const e0 = edge(V, faces[f + ((j + 1) % 3)], faces[f + j]);
      const e1 = edge(V, faces[f + ((j + 2) % 3)], faces[f + j]);
      const w = dot(e0, e1) / doubleArea;
      L[slots[t++]] -= w;
      L[slots[t++]] -= w;
      L[slots[t++]] += w;
      L[slots[t++]] += w;
    }
  }
  return L;
}

/** The barycentric mass of each vertex: a third of the area of the triangles around it. */
export function barycentricMass(V: ArrayLike<number>, faces: ArrayLike<number>, vertexCount: number): number[] {
  const M = new Array<number>(vertexCount).fill(0);
  for (let f = 0; f < faces.length; f += 3) {
    const third = norm(cross(edge(V, faces[f], faces[f + 1]), edge(V, faces[f], faces[f + 2]))) / 6;
    M[faces[f]] += third;
    M[faces[f + 1]] += third;
    M[faces[f + 2]] += third;
  }
  return M;
}

/** The pattern of the cotan Laplacian and the slots of its triplets, twelve a face, in the order the program makes them. */
export const cotanAssembly = (faces: ArrayLike<number>, vertexCount: number): Assembly => {
  const rows: number[] = [];
  const cols: number[] = [];
  for (let f = 0; f < faces.length; f += 3)
    for (let j = 0; j < 3; j++) {
      const a = faces[f + ((j + 1) % 3)];
      const b = faces[f + ((j + 2) % 3)];
      rows.push(a, b, a, b);
      cols.push(a, b, b, a);
    }
  return assemblyOf(vertexCount, vertexCount, rows, cols);
};

function edge(V: ArrayLike<number>, from: number, to: number): number[] {
  return [V[3 * to] - V[3 * from], V[3 * to + 1] - V[3 * from + 1], V[3 * to + 2] - V[3 * from + 2]];
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function norm(a: number[]): number {
  return Math.sqrt(dot(a, a));
}

/** The functions that the programs of this file call, for whoever rewrites their source. */
export const cotanScope = { edge, dot, cross, norm };
