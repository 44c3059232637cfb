import { fail, type Loc } from '@filigree/ir';

/**
 * A mesh in space. `vertices` holds x, y, z of each vertex; `faces` three vertex indices a triangle; `tets` four a
 * tetrahedron. Indices count from 0. A surface has no tetrahedra; a volume may come with its boundary triangles.
 */
export interface Mesh {
  readonly vertices: Float64Array;
  readonly faces: Int32Array;
  readonly tets: Int32Array;
}

/** How a reader treats triangles and tetrahedra without area or volume: an error, or left out of the mesh. */
export interface ReadOptions {
  readonly degenerate?: 'error' | 'drop';
}

/** What a reader gathered: numbers in file order and, for each element, the line it stood on. */
export interface RawMesh {
  readonly vertices: readonly number[] | Float64Array;
  readonly faces: readonly number[] | Int32Array;
  readonly tets: readonly number[] | Int32Array;
  readonly faceLines: readonly number[];
  readonly tetLines: readonly number[];
}

export const vertexCount = (mesh: Mesh): number => mesh.vertices.length / 3;
export const faceCount = (mesh: Mesh): number => mesh.faces.length / 3;
export const tetCount = (mesh: Mesh): number => mesh.tets.length / 4;

/**
 * The mesh a reader found, once it is sound: at least one vertex and one element, every index names a vertex
 * (`mesh/missing-vertex`), no element without area or volume (`mesh/degenerate`).
 */
export const soundMesh = (file: string, raw: RawMesh, options: ReadOptions = {}): Mesh => {
  const vertices = Float64Array.from(raw.vertices);
  const faces = Int32Array.from(raw.faces);
  const tets = Int32Array.from(raw.tets);
  const at = (lines: readonly number[], k: number): { loc?: Loc } =>
    lines[k] ? { loc: { file, line: lines[k], column: 1 } } : {};
  if (vertices.length === 0)
    fail('mesh/empty', `${file} has no vertices`, { remedy: 'check that it was written whole' });
  if (faces.length + tets.length === 0)
    fail('mesh/empty', `${file} has no triangles and no tetrahedra`, {
      remedy: 'export the mesh with its faces, not as a cloud of points',
    });

  checkIndices('face', faces, 3, vertices.length / 3, (k) => at(raw.faceLines, k));
  checkIndices('tetrahedron', tets, 4, vertices.length / 3, (k) => at(raw.tetLines, k));

  const keep = (what: string, index: Int32Array, arity: 3 | 4, lines: readonly number[]): Int32Array => {
    const flat = degenerateElements(vertices, index, arity);
    if (flat.length === 0) return index;
    if (options.degenerate === 'drop') return without(index, arity, flat);
    const k = flat[0];
    return fail(
      'mesh/degenerate',
      `${what} ${k} (${vertexNames(index, arity, k)}) has no ${arity === 3 ? 'area' : 'volume'}`,
      {
        ...at(lines, k),
        remedy: `repair the mesh, or read it with degenerate: 'drop' to leave out ${flat.length} such element${flat.length > 1 ? 's' : ''}`,
      },
    );
  };
  return { vertices, faces: keep('face', faces, 3, raw.faceLines), tets: keep('tetrahedron', tets, 4, raw.tetLines) };
};

/**
 * Elements whose area or volume is zero within rounding: relative to the longest edge, so that scale does not matter.
 */
export const degenerateElements = (v: Float64Array, index: Int32Array, arity: 3 | 4): number[] => {
  const found: number[] = [];
  const edge = (a: number, b: number): [number, number, number] => [
    v[3 * b] - v[3 * a],
    v[3 * b + 1] - v[3 * a + 1],
    v[3 * b + 2] - v[3 * a + 2],
  ];
  const squared = (e: readonly number[]): number => e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
  for (let k = 0; k * arity < index.length; k++) {
    const at = k * arity;
    const e1 = edge(index[at], index[at + 1]);
    const e2 = edge(index[at], index[at + 2]);
    const n = [e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]];
    if (arity === 3) {
      const longest = Math.max(squared(e1), squared(e2), squared(edge(index[at + 1], index[at + 2])));
      if (!(Math.sqrt(squared(n)) > 1e-14 * longest)) found.push(k);
    } else {
      const e3 = edge(index[at], index[at + 3]);
      const longest = Math.max(squared(e1), squared(e2), squared(e3));
      const volume = n[0] * e3[0] + n[1] * e3[1] + n[2] * e3[2];
      if (!(Math.abs(volume) > 1e-14 * longest * Math.sqrt(longest))) found.push(k);
    }
  }
  return found;
};

/**
 * The same tetrahedra, each turned so that its signed volume is positive: (b-a) x (c-a) . (d-a) > 0.
 * The dual Laplacian takes orientation as given.
 */
export const orientTets = (mesh: Mesh): Mesh => {
  const { vertices: v } = mesh;
  const tets = mesh.tets.slice();
  for (let k = 0; k < tets.length; k += 4) {
    const [a, b, c, d] = [3 * tets[k], 3 * tets[k + 1], 3 * tets[k + 2], 3 * tets[k + 3]];
    const e = (p: number, i: number): number => v[p + i] - v[a + i];
    const volume =
      (e(b, 1) * e(c, 2) - e(b, 2) * e(c, 1)) * e(d, 0) +
      (e(b, 2) * e(c, 0) - e(b, 0) * e(c, 2)) * e(d, 1) +
      (e(b, 0) * e(c, 1) - e(b, 1) * e(c, 0)) * e(d, 2);
    if (volume < 0) [tets[k + 2], tets[k + 3]] = [tets[k + 3], tets[k + 2]];
  }
  return { ...mesh, tets };
};

const checkIndices = (
  what: string,
  index: Int32Array,
  arity: number,
  vertices: number,
  at: (k: number) => { loc?: Loc },
): void => {
  for (let i = 0; i < index.length; i++) {
    if (index[i] >= 0 && index[i] < vertices) continue;
    const k = Math.floor(i / arity);
    fail(
      'mesh/missing-vertex',
      `${what} ${k} names vertex ${index[i]}, but the mesh has ${vertices} (counted from 0)`,
      {
        ...at(k),
        remedy: `add the vertex, or remove or correct the ${what}`,
      },
    );
  }
};

const vertexNames = (index: Int32Array, arity: number, k: number): string =>
  `vertices ${Array.from(index.subarray(k * arity, (k + 1) * arity)).join(', ')}`;

const without = (index: Int32Array, arity: number, gone: readonly number[]): Int32Array => {
  const dropped = new Set(gone);
  return index.filter((_, i) => !dropped.has(Math.floor(i / arity)));
};
