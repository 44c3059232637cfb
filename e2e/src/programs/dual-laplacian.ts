import { assemblyOf, type Assembly } from './assembly.js';

/**
 * The dual Laplacian of a tetrahedral mesh and its Voronoi mass (paper §5.4; Alexa, Herholz, Kohlbrenner, Sorkine-Hornung
 * 2020). The weight of an edge is the area of its dual face (through the circumcentres of the tetrahedra and triangles
 * around it, and the edge's midpoint) over the length of the edge. Tetrahedra must have positive volume (`orientTets`).
 *
 * Within a tetrahedron the dual face of edge ij is two right triangles, one beside each face that has the edge: from the
 * edge's midpoint m to the centre f of the face's circumcircle, and on to the centre c of the circumsphere. Both legs are
 * normal to the edge, so (f − m)×(c − m) is along it, and the share of the weight is ((f − m)×(c − m))·(j − i) / 2|ij|².
 * It is negative where a centre lies beyond the edge or the face; the sums over faces are right all the same.
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
  for (let tet = 0; tet < tets.length; tet += 4) {
    const corners: number[][] = [];
    for (let i = 0; i < 4; i++) corners.push(position(V, tets[tet + i]));
    const centre = centreOfSphere(corners[0], corners[1], corners[2], corners[3]);
    for (let f = 0; f < 4; f++) {
      const face = INWARD_FACES[f];
      const faceCentre = centreOfCircle(corners[face[0]], corners[face[1]], corners[face[2]]);
      for (let e = 0; e < 3; e++) {
        const [i, j] = [face[e], face[(e + 1) % 3]];
        const edge = difference(corners[j], corners[i]);
        const middle = between(corners[i], corners[j]);
        const doubleArea = cross(difference(faceCentre, middle), difference(centre, middle));
        const alongEdge = dot(doubleArea, edge) / 2;
        const weight = alongEdge / dot(edge, edge);
        // The cell of i within this piece is a pyramid over the triangle, half the edge high; so is that of j.
        const cell = alongEdge / 6;
        M[tets[tet + i]] += cell;
        M[tets[tet + j]] += cell;
        const triplet = 12 * tet + 12 * f + 4 * e;
        L[slotsL[triplet]] -= weight;
        L[slotsL[triplet + 1]] -= weight;
        L[slotsL[triplet + 2]] += weight;
        L[slotsL[triplet + 3]] += weight;
      }
    }
  }
  return { L, M };
}

/**
 * The pattern of the dual Laplacian and the slots of its triplets, 48 a tetrahedron: for each face and each of its edges
 * the diagonal at both ends, then the edge in both directions.
 */
export const dualLaplacianAssembly = (tets: ArrayLike<number>, vertexCount: number): Assembly => {
  const rows: number[] = [];
  const cols: number[] = [];
  for (let tet = 0; tet < tets.length; tet += 4)
    for (const face of INWARD_FACES)
      for (let e = 0; e < 3; e++) {
        const i = tets[tet + face[e]];
        const j = tets[tet + face[(e + 1) % 3]];
        rows.push(i, j, i, j);
        cols.push(i, j, j, i);
      }
  return assemblyOf(vertexCount, vertexCount, rows, cols);
};

/** The face opposite each corner of a tetrahedron of positive volume, its corners in the order whose normal points inside. */
const INWARD_FACES = [
  [1, 3, 2],
  [0, 2, 3],
  [0, 3, 1],
  [0, 1, 2],
];

/**
 * The centre of the sphere through four points. Seen from the first it is the c with 2 c·x = x·x for the three others
 * x, y, z; solved by the vectors y×z, z×x, x×y, which are orthogonal to all but one of them.
 */
function centreOfSphere(origin: number[], p: number[], q: number[], r: number[]): number[] {
  const [x, y, z] = [difference(p, origin), difference(q, origin), difference(r, origin)];
  const [yz, zx, xy] = [cross(y, z), cross(z, x), cross(x, y)];
  const [xx, yy, zz] = [dot(x, x), dot(y, y), dot(z, z)];
  const twelveVolumes = 2 * dot(x, yz);
  const centre: number[] = [];
  for (let d = 0; d < 3; d++) centre.push(origin[d] + (xx * yz[d] + yy * zx[d] + zz * xy[d]) / twelveVolumes);
  return centre;
}

/** The centre of the circle through three points: the same in the plane of x and y, with n = x×y in place of z. */
function centreOfCircle(origin: number[], p: number[], q: number[]): number[] {
  const [x, y] = [difference(p, origin), difference(q, origin)];
  const n = cross(x, y);
  const [yn, nx] = [cross(y, n), cross(n, x)];
  const [xx, yy] = [dot(x, x), dot(y, y)];
  const eightAreas = 2 * dot(n, n);
  const centre: number[] = [];
  for (let d = 0; d < 3; d++) centre.push(origin[d] + (xx * yn[d] + yy * nx[d]) / eightAreas);
  return centre;
}

function between(a: number[], b: number[]): number[] {
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
}

function position(V: ArrayLike<number>, vertex: number): number[] {
  return [V[3 * vertex], V[3 * vertex + 1], V[3 * vertex + 2]];
}

function difference(a: number[], b: number[]): number[] {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** What the program of this file refers to, for whoever rewrites its source. */
export const dualLaplacianScope = {
  INWARD_FACES,
  centreOfSphere,
  centreOfCircle,
  between,
  position,
  difference,
  dot,
  cross,
};
