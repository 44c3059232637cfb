import { assemblyOf, type Assembly } from './assembly.js';

/**
 * The dual Laplacian of a tetrahedral mesh and its Voronoi mass (paper §5.4; Alexa, Herholz, Kohlbrenner, Sorkine-Hornung
 * 2020). The weight of an edge is the area of its dual face (through the circumcentres of the tetrahedra and triangles
 * around it, and the edge's midpoint) over the length of the edge. Tetrahedra must have positive volume (`orientTets`).
 *
 * @param V vertex coordinates, three a vertex
 * @param tets four vertex indices a tetrahedron
 * @param slotsL where the 48 triplets of each tetrahedron go, of `dualLaplacianAssembly`
 * @returns the values of the Laplacian's pattern, off the diagonal positive, and the diagonal of the mass
 */
export function dualLaplacian(
  V: ArrayLike<number>,
  tets: ArrayLike<number>,
  slotsL: ArrayLike<number>,
  nonZeros: number,
  vertexCount: number,
): { L: number[]; M: number[] } {
  const L = new Array<number>(nonZeros).fill(0);
  const M = new Array<number>(vertexCount).fill(0);
  let t = 0;
  for (let k = 0; k < tets.length; k += 4) {
    const corners = [point(V, tets[k]), point(V, tets[k + 1]), point(V, tets[k + 2]), point(V, tets[k + 3])];
    const centre = circumcentreOfTet(corners);
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        if (i === j) continue;
        const faceCentre = circumcentreOfTriangle(corners[i], corners[j], corners[TURN[i][j]]);
        const middle = scale(0.5, add(corners[i], corners[j]));
        const volume = volumeOfTet(corners[i], middle, faceCentre, centre);
        const w = (6 * volume) / squaredNorm(sub(corners[i], corners[j]));
        L[slotsL[t++]] += w;
        L[slotsL[t++]] += w;
        L[slotsL[t++]] -= w;
        L[slotsL[t++]] -= w;
        M[tets[k + i]] += volume;
        M[tets[k + j]] += volume;
      }
    }
  }
  return { L, M };
}

/** The pattern of the dual Laplacian and the slots of its triplets, 48 a tetrahedron, in the order the program makes them. */
export const dualLaplacianAssembly = (tets: ArrayLike<number>, vertexCount: number): Assembly => {
  const rows: number[] = [];
  const cols: number[] = [];
  for (let k = 0; k < tets.length; k += 4)
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) {
        if (i === j) continue;
        const a = tets[k + i];
        const b = tets[k + j];
        rows.push(a, b, a, b);
        cols.push(b, a, a, b);
      }
  return assemblyOf(vertexCount, vertexCount, rows, cols);
};

/** For corners i and j, the third corner of one of the two triangles at their edge: (i, j) and (j, i) name both. */
const TURN = [
  [-1, 2, 3, 1],
  [3, -1, 0, 2],
  [1, 3, -1, 0],
  [2, 0, 1, -1],
];

/** The centre of the circle through three points, from its barycentric coordinates. */
function circumcentreOfTriangle(a: number[], b: number[], c: number[]): number[] {
  const la = squaredNorm(sub(b, c));
  const lb = squaredNorm(sub(a, c));
  const lc = squaredNorm(sub(a, b));
  const wa = la * (lb + lc - la);
  const wb = lb * (lc + la - lb);
  const wc = lc * (la + lb - lc);
  const sum = wa + wb + wc;
  return add(add(scale(wa / sum, a), scale(wb / sum, b)), scale(wc / sum, c));
}

/** The centre of the sphere through four points: the solution of a 3x3 system, by its inverse. */
function circumcentreOfTet(p: number[][]): number[] {
  const A = [sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0])];
  const n0 = squaredNorm(p[0]);
  const b = [squaredNorm(p[1]) - n0, squaredNorm(p[2]) - n0, squaredNorm(p[3]) - n0];
  const inverse = inverse3(A);
  const c = [0, 0, 0];
  for (let i = 0; i < 3; i++) c[i] = 0.5 * (inverse[i][0] * b[0] + inverse[i][1] * b[1] + inverse[i][2] * b[2]);
  return c;
}

function volumeOfTet(a: number[], b: number[], c: number[], d: number[]): number {
  return determinant3([sub(b, a), sub(c, a), sub(d, a)]) / 6;
}

function determinant3(A: number[][]): number {
  return (
    A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
    A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
    A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0])
  );
}

function inverse3(A: number[][]): number[][] {
  const scaleBy = 1 / determinant3(A);
  const R: number[][] = [];
  for (let i = 0; i < 3; i++) {
    const row: number[] = [];
    for (let j = 0; j < 3; j++) {
      const [r, s] = [(j + 1) % 3, (j + 2) % 3];
      const [u, v] = [(i + 1) % 3, (i + 2) % 3];
      row.push((A[r][u] * A[s][v] - A[r][v] * A[s][u]) * scaleBy);
    }
    R.push(row);
  }
  return R;
}

function point(V: ArrayLike<number>, i: number): number[] {
  return [V[3 * i], V[3 * i + 1], V[3 * i + 2]];
}

function add(a: number[], b: number[]): number[] {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function sub(a: number[], b: number[]): number[] {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function scale(s: number, a: number[]): number[] {
  return [s * a[0], s * a[1], s * a[2]];
}

function squaredNorm(a: number[]): number {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/** What the program of this file refers to, for whoever rewrites its source. */
export const dualLaplacianScope = {
  TURN,
  circumcentreOfTriangle,
  circumcentreOfTet,
  volumeOfTet,
  determinant3,
  inverse3,
  point,
  add,
  sub,
  scale,
  squaredNorm,
};
