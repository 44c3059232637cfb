/**
 * The energy of a cloth after St. Venant and Kirchhoff: Σ A (μ |E|² + λ/2 tr(E)²) over faces, with the strain E = (JᵀJ − 1) / 2 of the map J from the face at rest.
 *
 * @param x positions of the vertices, three coordinates a vertex
 * @param faces three vertex indices a triangle
 * @param areas, gradients the shape at rest, of `clothRest`
 */
export function stvkCloth(
  x: ArrayLike<number>,
  faces: ArrayLike<number>,
  areas: ArrayLike<number>,
  gradients: ArrayLike<number>,
  mu: number,
  lambda: number,
): number {
  let energy = 0;
  for (let f = 0; 3 * f < faces.length; f++) {
    const J = mapToSpace(x, faces, gradients, f);
    const a = (J[0] * J[0] + J[2] * J[2] + J[4] * J[4] - 1) / 2;
    const b = (J[0] * J[1] + J[2] * J[3] + J[4] * J[5]) / 2;
    const c = (J[1] * J[1] + J[3] * J[3] + J[5] * J[5] - 1) / 2;
    energy += areas[f] * (mu * (a * a + 2 * b * b + c * c) + (lambda / 2) * (a + c) * (a + c));
  }
  return energy;
}

/** The map of one face, rows first. */
function mapToSpace(x: ArrayLike<number>, faces: ArrayLike<number>, gradients: ArrayLike<number>, f: number): number[] {
  const J = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < 3; i++)
    for (let c = 0; c < 3; c++) {
      const coordinate = x[3 * faces[3 * f + i] + c];
      J[2 * c] += gradients[6 * f + 2 * i] * coordinate;
      J[2 * c + 1] += gradients[6 * f + 2 * i + 1] * coordinate;
    }
  return J;
}

/** What the program of this file refers to, for whoever rewrites its source. */
export const stvkClothScope = { mapToSpace };
