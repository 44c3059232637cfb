import { soundMesh, type Mesh, type ReadOptions } from './mesh.js';
import { triangulate } from './polygon.js';
import { Scanner } from './scanner.js';

/** Reads the Object File Format: `OFF`, counts of vertices, faces and edges, coordinates, polygons (made triangles). */
export const readOff = (file: string, text: string, options: ReadOptions = {}): Mesh => {
  const scan = new Scanner(file, text);
  const magic = scan.word();
  if (magic !== 'OFF') scan.fail('mesh/format', `expected the word OFF, found '${magic ?? 'nothing'}'`);
  const vertexTotal = scan.integer('the number of vertices');
  const faceTotal = scan.integer('the number of faces');
  scan.integer('the number of edges');

  const vertices: number[] = [];
  for (let i = 0; i < 3 * vertexTotal; i++) vertices.push(scan.real(`a coordinate of vertex ${Math.floor(i / 3)}`));

  const faces: number[] = [];
  const faceLines: number[] = [];
  for (let f = 0; f < faceTotal; f++) {
    const corners = scan.integer(`the number of corners of face ${f}`, 3);
    const line = scan.line;
    const polygon: number[] = [];
    for (let j = 0; j < corners; j++) polygon.push(scan.integer(`a vertex of face ${f}`));
    // Colours may follow on the same line.
    scan.skipLine();
    triangulate(polygon, line, faces, faceLines);
  }
  return soundMesh(file, { vertices, faces, tets: [], faceLines, tetLines: [] }, options);
};
