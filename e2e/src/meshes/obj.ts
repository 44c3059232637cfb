import { soundMesh, type Mesh, type ReadOptions } from './mesh.js';
import { triangulate } from './polygon.js';
import { Scanner } from './scanner.js';

/**
 * Reads Wavefront OBJ: `v` and `f` lines; corners `a`, `a/b`, `a//c`, `a/b/c`, negative indices counting back from the
 * last vertex; polygons become triangles. Normals, texture coordinates, groups and materials are passed over.
 */
export const readObj = (file: string, text: string, options: ReadOptions = {}): Mesh => {
  const scan = new Scanner(file, text);
  const vertices: number[] = [];
  const faces: number[] = [];
  const faceLines: number[] = [];
  for (let key = scan.word(); key !== undefined; key = scan.word()) {
    if (key === 'v') {
      const vertex = vertices.length / 3;
      for (let j = 0; j < 3; j++) {
        const word = scan.wordOnLine();
        if (word === undefined) scan.fail('mesh/vertex', `vertex ${vertex} has ${j} coordinates; it needs 3`);
        else vertices.push(scan.asReal(word, `a coordinate of vertex ${vertex}`));
      }
    } else if (key === 'f') {
      const polygon: number[] = [];
      const line = scan.line;
      for (let word = scan.wordOnLine(); word !== undefined; word = scan.wordOnLine())
        polygon.push(corner(scan, word, vertices.length / 3));
      if (polygon.length < 3) scan.fail('mesh/face', `a face needs at least 3 corners, this one has ${polygon.length}`);
      triangulate(polygon, line, faces, faceLines);
    }
    scan.skipLine();
  }
  return soundMesh(file, { vertices, faces, tets: [], faceLines, tetLines: [] }, options);
};

const corner = (scan: Scanner, word: string, verticesSoFar: number): number => {
  const slash = word.indexOf('/');
  const index = Number(slash < 0 ? word : word.slice(0, slash));
  if (!Number.isInteger(index) || index === 0)
    scan.fail('mesh/number', `expected a corner like 3, 3/1 or 3/1/2, found '${word}'`, 'OBJ counts vertices from 1');
  return index > 0 ? index - 1 : verticesSoFar + index;
};
