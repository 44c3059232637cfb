import { assemblyOf, type Assembly } from './assembly.js';

/**
 * The cotan Laplacian of a triangle mesh (paper §5.3), as the values of a fixed compressed pattern.
 * Off the diagonal stands cot α + cot β of the two angles opposite the edge, on it minus the sum of its row: rows sum to
 * zero, and linear functions of a flat mesh are in the kernel at inner vertices.
 *
 * It is the stiffness matrix of linear elements, times −2: on a face the gradient of a corner's hat function is the
 * opposite edge, turned by a right angle, over twice the area; so two gradients have the inner product of two edges.
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
  for (let f = 0; f < faces.length; f += 3) {
    const edges = oppositeEdges(V, faces[f], faces[f + 1], faces[f + 2]);
    const doubleArea = length(cross(edges[0], edges[1]));
    for (let k = 0; k < 3; k++) {
      // One of the two edges at corner k comes in, the other goes out: their product is minus that of the angle's sides.
      const cot = -dot(edges[(k + 1) % 3], edges[(k + 2) % 3]) / doubleArea;
      const triplet = 4 * (f + k);
      L[slots[triplet]] += cot;
      L[slots[triplet + 1]] += cot;
      L[slots[triplet + 2]] -= cot;
      L[slots[triplet + 3]] -= cot;
    }
  }
  return L;
}

/** The barycentric mass of each vertex: a third of the area of the triangles around it. */
export function barycentricMass(V: ArrayLike<number>, faces: ArrayLike<number>, vertexCount: number): number[] {
  const M = new Array<number>(vertexCount).fill(0);
  for (let f = 0; f < faces.length; f += 3) {
    const edges = oppositeEdges(V, faces[f], faces[f + 1], faces[f + 2]);
    const third = length(cross(edges[0], edges[1])) / 6;
    for (let k = 0; k < 3; k++) M[faces[f + k]] += third;
  }
  return M;
}

/**
 * The pattern of the cotan Laplacian and the slots of its triplets, twelve a face: for each corner the edge opposite to it,
 * in both directions, then the diagonal at both of its ends.
 */
export const cotanAssembly = (faces: ArrayLike<number>, vertexCount: number): Assembly => {
  const rows: number[] = [];
  const cols: number[] = [];
  for (let f = 0; f < faces.length; f += 3)
    for (let k = 0; k < 3; k++) {
      const from = faces[f + ((k + 1) % 3)];
      const to = faces[f + ((k + 2) % 3)];
      rows.push(from, to, from, to);
      cols.push(to, from, from, to);
    }
  return assemblyOf(vertexCount, vertexCount, rows, cols);
};

/** The edges b→c, c→a, a→b, each opposite to the corner that it leaves out. Their sum is zero. */
function oppositeEdges(V: ArrayLike<number>, a: number, b: number, c: number): number[][] {
  return [edge(V, b, c), edge(V, c, a), edge(V, a, b)];
}

function edge(V: ArrayLike<number>, from: number, to: number): number[] {
  return [V[3 * to] - V[3 * from], V[3 * to + 1] - V[3 * from + 1], V[3 * to + 2] - V[3 * from + 2]];
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function length(a: number[]): number {
  return Math.sqrt(dot(a, a));
}

/** The functions that the programs of this file call, for whoever rewrites their source. */
export const cotanScope = { oppositeEdges, edge, dot, cross, length };
