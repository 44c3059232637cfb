import { assemblyOf, type Assembly } from './assembly.js';

/**
 * The Hessian of the stretch and shear energy of a cloth (paper §5.6; Baraff, Witkin 1998), derived by hand, as the
 * values of the lower triangle of a 3n x 3n matrix; unknown 3i + c is coordinate c of vertex i.
 *
 * @param X vertex coordinates, three a vertex
 * @param faces three vertex indices a triangle
 * @param areas, gradients the shape at rest, of `clothRest`
 * @param slots where the 81 entries of each face's block go, of `clothAssembly`
 */
export function clothHessian(
  X: ArrayLike<number>,
  faces: ArrayLike<number>,
  areas: ArrayLike<number>,
  gradients: ArrayLike<number>,
  stretch: number,
  shear: number,
  slots: ArrayLike<number>,
  nonZeros: number,
): number[] {
  const H = new Array<number>(nonZeros).fill(0);
  const blocks = clothHessianBlocks(X, faces, areas, gradients, stretch, shear);
  for (let t = 0; t < blocks.length; t++) if (slots[t] >= 0) H[slots[t]] += blocks[t];
  return H;
}

/** The 9x9 Hessian of each face, rows first, one after another: the values alone, not yet a matrix. */
export function clothHessianBlocks(
  X: ArrayLike<number>,
  faces: ArrayLike<number>,
  areas: ArrayLike<number>,
  gradients: ArrayLike<number>,
  stretch: number,
  shear: number,
): number[] {
  const blocks: number[] = [];
  for (let f = 0; 3 * f < faces.length; f++) {
    const block = faceHessian(cornersOf(X, faces, f), gradientsOf(gradients, f), areas[f], stretch, shear);
    for (let i = 0; i < 81; i++) blocks.push(block[i]);
  }
  return blocks;
}

/** The energy of the whole cloth, to differentiate: Σ k_stretch/2 (C_u² + C_v²) + k_shear/2 C_s². */
export function clothEnergy(
  X: ArrayLike<number>,
  faces: ArrayLike<number>,
  areas: ArrayLike<number>,
  gradients: ArrayLike<number>,
  stretch: number,
  shear: number,
): number {
  let energy = 0;
  for (let f = 0; 3 * f < faces.length; f++) {
    const { u, v } = tangents(cornersOf(X, faces, f), gradientsOf(gradients, f));
    const stretchU = areas[f] * (Math.sqrt(dot(u, u)) - 1);
    const stretchV = areas[f] * (Math.sqrt(dot(v, v)) - 1);
    const shearUV = areas[f] * dot(u, v);
    energy += (stretch * (stretchU * stretchU + stretchV * stretchV) + shear * shearUV * shearUV) / 2;
  }
  return energy;
}

/**
 * The Hessian of one face's energy. The energy depends on the corners only by way of the tangents u and v, and these are
 * linear in the corners, u = Σ_i b_iu x_i. So the block of corners i and j is a², of the area at rest, times
 *   b_iu b_ju E_uu + b_iv b_jv E_vv + b_iu b_jv E_uv + b_iv b_ju E_uvᵀ
 * with the second derivatives by the tangents, for the stiffnesses s and h:
 *   E = s/2 (|u| − 1)² + s/2 (|v| − 1)² + h/2 (u·v)²,
 *   E_uu = s ((1 − 1/|u|) 1 + u uᵀ/|u|³) + h v vᵀ,   E_uv = h (v uᵀ + u·v 1).
 */
function faceHessian(x: number[], gradients: number[], area: number, stretch: number, shear: number): number[] {
  const { u, v } = tangents(x, gradients);
  const uv = byTwoTangents(u, v, shear);
  const uu = byOneTangent(u, v, stretch, shear);
  const vv = byOneTangent(v, u, stretch, shear);
  const H: number[] = [];
  for (let row = 0; row < 9; row++)
    for (let col = 0; col < 9; col++) {
      const [i, p] = [Math.floor(row / 3), row % 3];
      const [j, q] = [Math.floor(col / 3), col % 3];
      const [iu, iv] = [gradients[2 * i], gradients[2 * i + 1]];
      const [ju, jv] = [gradients[2 * j], gradients[2 * j + 1]];
      const bent =
        iu * uu[3 * p + q] * ju + iv * vv[3 * p + q] * jv + iu * uv[3 * p + q] * jv + iv * uv[3 * q + p] * ju;
      H.push(area * area * bent);
    }
  return H;
}

/** E_uu of `faceHessian`, rows first; with the tangents exchanged, E_vv. */
function byOneTangent(u: number[], v: number[], s: number, h: number): number[] {
  const length = Math.sqrt(dot(u, u));
  const outer = s / (length * length * length);
  const E: number[] = [];
  for (let p = 0; p < 3; p++)
    for (let q = 0; q < 3; q++) {
      const entry = outer * u[p] * u[q] + h * v[p] * v[q];
      E.push(p === q ? entry + s * (1 - 1 / length) : entry);
    }
  return E;
}

/** E_uv of `faceHessian`, rows first. */
function byTwoTangents(u: number[], v: number[], h: number): number[] {
  const product = dot(u, v);
  const E: number[] = [];
  for (let p = 0; p < 3; p++)
    for (let q = 0; q < 3; q++) E.push(p === q ? h * (v[p] * u[q] + product) : h * v[p] * u[q]);
  return E;
}

/** The images u and v of the two unit vectors of the rest shape's plane: the columns of the deformation gradient. */
function tangents(x: number[], gradients: number[]): { u: number[]; v: number[] } {
  const u = [0, 0, 0];
  const v = [0, 0, 0];
  for (let i = 0; i < 3; i++)
    for (let c = 0; c < 3; c++) {
      u[c] += gradients[2 * i] * x[3 * i + c];
      v[c] += gradients[2 * i + 1] * x[3 * i + c];
    }
  return { u, v };
}

function cornersOf(X: ArrayLike<number>, faces: ArrayLike<number>, f: number): number[] {
  const x: number[] = [];
  for (let i = 0; i < 3; i++) for (let c = 0; c < 3; c++) x.push(X[3 * faces[3 * f + i] + c]);
  return x;
}

function gradientsOf(gradients: ArrayLike<number>, f: number): number[] {
  const own: number[] = [];
  for (let i = 0; i < 6; i++) own.push(gradients[6 * f + i]);
  return own;
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/**
 * The shape at rest: the area of each face, and the gradients of its three hat functions in the plane of the face, whose
 * first axis is along the first edge (3x2 numbers a face, rows first). A map that sends the corners to x_i has the columns
 * u = Σ_i b_iu x_i and v = Σ_i b_iv x_i.
 */
export const clothRest = (
  rest: ArrayLike<number>,
  faces: ArrayLike<number>,
): { areas: number[]; gradients: number[] } => {
  const areas: number[] = [];
  const gradients: number[] = [];
  for (let f = 0; f < faces.length; f += 3) {
    const flat = flattened(rest, faces[f], faces[f + 1], faces[f + 2]);
    const doubleArea = flat[1][0] * flat[2][1];
    areas.push(doubleArea / 2);
    for (let k = 0; k < 3; k++) {
      // The opposite edge turned by a right angle, towards the corner.
      const [from, to] = [flat[(k + 1) % 3], flat[(k + 2) % 3]];
      gradients.push((from[1] - to[1]) / doubleArea, (to[0] - from[0]) / doubleArea);
    }
  }
  return { areas, gradients };
};

/** A triangle in the plane: its first corner at the origin, its second on the first axis, its third above it. */
const flattened = (points: ArrayLike<number>, a: number, b: number, c: number): [number, number][] => {
  const from = (i: number, j: number): number[] => [0, 1, 2].map((d) => points[3 * j + d] - points[3 * i + d]);
  const [base, side] = [from(a, b), from(a, c)];
  const along = Math.hypot(...base);
  const x = dot(base, side) / along;
  const y = Math.hypot(...side.map((s, d) => s - (x / along) * base[d]));
  return [
    [0, 0],
    [along, 0],
    [x, y],
  ];
};

/** The pattern of the lower triangle, and where the 81 entries of each face's block go (−1: above the diagonal). */
export const clothAssembly = (faces: ArrayLike<number>, vertexCount: number): Assembly => {
  const rows: number[] = [];
  const cols: number[] = [];
  for (let f = 0; f < faces.length; f += 3)
    for (let i = 0; i < 9; i++)
      for (let j = 0; j < 9; j++) {
        const row = 3 * faces[f + Math.floor(i / 3)] + (i % 3);
        const col = 3 * faces[f + Math.floor(j / 3)] + (j % 3);
        rows.push(row >= col ? row : -1);
        cols.push(col);
      }
  return assemblyOf(3 * vertexCount, 3 * vertexCount, rows, cols);
};

/** What the programs of this file refer to, for whoever rewrites their source. */
export const clothScope = {
  clothHessianBlocks,
  faceHessian,
  byOneTangent,
  byTwoTangents,
  tangents,
  cornersOf,
  gradientsOf,
  dot,
};
