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
    const x: number[] = [];
    for (let i = 0; i < 3; i++) for (let c = 0; c < 3; c++) x.push(X[3 * faces[3 * f + i] + c]);
    const B: number[] = [];
    for (let i = 0; i < 6; i++) B.push(gradients[6 * f + i]);
    const block = faceHessian(x, B, areas[f], stretch, shear);
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
    const u = [0, 0, 0];
    const v = [0, 0, 0];
    for (let i = 0; i < 3; i++)
      for (let c = 0; c < 3; c++) {
        u[c] += gradients[6 * f + 2 * i] * X[3 * faces[3 * f + i] + c];
        v[c] += gradients[6 * f + 2 * i + 1] * X[3 * faces[3 * f + i] + c];
      }
    const cu = areas[f] * (Math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) - 1);
    const cv = areas[f] * (Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - 1);
    const cs = areas[f] * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
    energy += 0.5 * stretch * (cu * cu + cv * cv) + 0.5 * shear * cs * cs;
  }
  return energy;
}

/**
 * The Hessian of one face's energy. u and v, the columns of the deformation gradient, are linear in the corners:
 * u = Σ_i B_iu x_i. With C_u = a(|u| − 1) and C_s = a u·v, every second derivative is a 3x3 matrix times a scalar of
 * each pair of corners.
 */
function faceHessian(x: number[], B: number[], area: number, stretch: number, shear: number): number[] {
  const u = [0, 0, 0];
  const v = [0, 0, 0];
  for (let i = 0; i < 3; i++)
    for (let c = 0; c < 3; c++) {
      u[c] += B[2 * i] * x[3 * i + c];
      v[c] += B[2 * i + 1] * x[3 * i + c];
    }
  const lu = Math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const lv = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const cu = area * (lu - 1);
  const cv = area * (lv - 1);
  const cs = area * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  const du = [u[0] / lu, u[1] / lu, u[2] / lu];
  const dv = [v[0] / lv, v[1] / lv, v[2] / lv];

  const H: number[] = [];
  for (let i = 0; i < 3; i++)
    for (let p = 0; p < 3; p++)
      for (let j = 0; j < 3; j++)
        for (let q = 0; q < 3; q++) {
          const same = p === q ? 1 : 0;
          const stretchU = area * area * du[p] * du[q] + cu * ((area * (same - du[p] * du[q])) / lu);
          const stretchV = area * area * dv[p] * dv[q] + cv * ((area * (same - dv[p] * dv[q])) / lv);
          const shearI = area * (B[2 * i] * v[p] + B[2 * i + 1] * u[p]);
          const shearJ = area * (B[2 * j] * v[q] + B[2 * j + 1] * u[q]);
          const shearIJ = same * area * (B[2 * i] * B[2 * j + 1] + B[2 * i + 1] * B[2 * j]);
          H.push(
            stretch * (B[2 * i] * B[2 * j] * stretchU + B[2 * i + 1] * B[2 * j + 1] * stretchV) +
              shear * (shearI * shearJ + cs * shearIJ),
          );
        }
  return H;
}

/**
 * The shape at rest: area of each face and, per face, how the deformation gradient depends on its corners (3x2 numbers,
 * rows first): u = Σ_i B_iu x_i, v = Σ_i B_iv x_i, with u along the first edge.
 */
export const clothRest = (
  rest: ArrayLike<number>,
  faces: ArrayLike<number>,
): { areas: number[]; gradients: number[] } => {
  const areas: number[] = [];
  const gradients: number[] = [];
  for (let f = 0; f < faces.length; f += 3) {
    const e = (k: number): number[] => [0, 1, 2].map((c) => rest[3 * faces[f + k] + c] - rest[3 * faces[f] + c]);
    const [a, b] = [e(1), e(2)];
    const along = Math.hypot(...a);
    const bx = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / along;
    const by = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) / along;
    // Inverse of the rest edges as columns, [[along, bx], [0, by]].
    const inverse = [1 / along, -bx / (along * by), 0, 1 / by];
    areas.push(0.5 * along * by);
    gradients.push(-inverse[0] - inverse[2], -inverse[1] - inverse[3], inverse[0], inverse[1], inverse[2], inverse[3]);
  }
  return { areas, gradients };
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
export const clothScope = { clothHessianBlocks, faceHessian };
