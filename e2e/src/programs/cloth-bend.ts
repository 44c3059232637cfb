/**
 * The bending energy of a cloth (Baraff, Witkin 1998): k/2 θ² of each inner edge, where θ is the angle between the normals of its two faces.
 *
 * @param X vertex coordinates, three a vertex
 * @param hinges four vertex indices an inner edge, of `clothHinges`
 */
export function bendEnergy(X: ArrayLike<number>, hinges: ArrayLike<number>, stiffness: number): number {
  let energy = 0;
  for (let e = 0; e < hinges.length; e += 4) {
    const edge = between(X, hinges[e], hinges[e + 1]);
    const left = crossed(edge, between(X, hinges[e], hinges[e + 2]));
    const right = crossed(between(X, hinges[e], hinges[e + 3]), edge);
    const sine = inner(crossed(left, right), edge) / Math.sqrt(inner(edge, edge));
    const angle = Math.atan2(sine, inner(left, right));
    energy += (stiffness / 2) * angle * angle;
  }
  return energy;
}

function between(X: ArrayLike<number>, i: number, j: number): number[] {
  return [X[3 * j] - X[3 * i], X[3 * j + 1] - X[3 * i + 1], X[3 * j + 2] - X[3 * i + 2]];
}

function crossed(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function inner(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** The inner edges of an oriented mesh: from, to, the third corner of the face on its left, and of that on its right. */
export const clothHinges = (faces: ArrayLike<number>, vertexCount: number): number[] => {
  const third = new Map<number, number>();
  for (let k = 0; k < faces.length; k++) {
    const [from, to] = [faces[k], faces[k % 3 === 2 ? k - 2 : k + 1]];
    third.set(from * vertexCount + to, faces[k % 3 === 0 ? k + 2 : k - 1]);
  }
  const hinges: number[] = [];
  for (const [key, left] of third) {
    const [from, to] = [Math.floor(key / vertexCount), key % vertexCount];
    const right = third.get(to * vertexCount + from);
    if (from < to && right !== undefined) hinges.push(from, to, left, right);
  }
  return hinges;
};

/** What the programs of this file refer to, for whoever rewrites their source. */
export const clothBendScope = { between, crossed, inner };
