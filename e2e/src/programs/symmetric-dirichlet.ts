/**
 * The symmetric Dirichlet energy of a flat image of a mesh (Smith, Schaefer 2015): Σ A (|J|² + |J⁻¹|²) over faces with the map J from the face to the plane.
 * It is 4 A where nothing is distorted, and infinite where a face degenerates. J⁻¹ of two by two has the norm of J over its determinant.
 *
 * @param uv image of the vertices, two coordinates a vertex
 * @param faces three vertex indices a triangle
 * @param areas, gradients the shape of the faces, of `clothRest`
 */
export function symmetricDirichlet(
  uv: ArrayLike<number>,
  faces: ArrayLike<number>,
  areas: ArrayLike<number>,
  gradients: ArrayLike<number>,
): number {
  let energy = 0;
  for (let f = 0; 3 * f < faces.length; f++) {
    const J = planarMap(uv, faces, gradients, f);
    const det = J[0] * J[3] - J[1] * J[2];
    const square = J[0] * J[0] + J[1] * J[1] + J[2] * J[2] + J[3] * J[3];
    energy += areas[f] * square * (1 + 1 / (det * det));
  }
  return energy;
}

/** The map of one face, rows first. */
function planarMap(uv: ArrayLike<number>, faces: ArrayLike<number>, gradients: ArrayLike<number>, f: number): number[] {
  const J = [0, 0, 0, 0];
  for (let i = 0; i < 3; i++)
    for (let c = 0; c < 2; c++) {
      const x = uv[2 * faces[3 * f + i] + c];
      J[2 * c] += gradients[6 * f + 2 * i] * x;
      J[2 * c + 1] += gradients[6 * f + 2 * i + 1] * x;
    }
  return J;
}

/** The least determinant of all faces: not positive where one is turned over. */
export const leastDeterminant = (
  uv: ArrayLike<number>,
  faces: ArrayLike<number>,
  gradients: ArrayLike<number>,
): number => {
  let least = Infinity;
  for (let f = 0; 3 * f < faces.length; f++) {
    const J = planarMap(uv, faces, gradients, f);
    least = Math.min(least, J[0] * J[3] - J[1] * J[2]);
  }
  return least;
};

/** What the programs of this file refer to, for whoever rewrites their source. */
export const symmetricDirichletScope = { planarMap };
