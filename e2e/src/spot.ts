import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readMesh, subdivide, vertexCount, type Mesh } from './meshes/index.js';

/** The mesh that comes with the repository: a cow of 2,930 vertices. */
export const spotMesh = (): Mesh => {
  const file = fileURLToPath(new URL('../data/spot.obj', import.meta.url));
  return readMesh(file, readFileSync(file));
};

/** The mesh of the repository, subdivided until it has about `n` vertices, never less than once over. */
export const spotOfSize = (n: number): Mesh => {
  let mesh = spotMesh();
  while (4 * vertexCount(mesh) < 1.5 * n) mesh = subdivide(mesh);
  return mesh;
};
