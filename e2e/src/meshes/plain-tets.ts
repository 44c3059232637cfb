import { soundMesh, type Mesh, type ReadOptions } from './mesh.js';
import { Scanner } from './scanner.js';

/**
 * Reads the bare tetrahedral format of the expression-tree paper's inputs (`tetsphere1` …): the numbers of vertices and
 * tetrahedra, three coordinates a vertex, four indices a tetrahedron, counted from 0.
 */
export const readPlainTets = (file: string, text: string, options: ReadOptions = {}): Mesh => {
  const scan = new Scanner(file, text);
  const vertexTotal = scan.integer('the number of vertices');
  const tetTotal = scan.integer('the number of tetrahedra');
  const vertices: number[] = [];
  for (let i = 0; i < 3 * vertexTotal; i++) vertices.push(scan.real(`a coordinate of vertex ${Math.floor(i / 3)}`));
  const tets: number[] = [];
  const tetLines: number[] = [];
  for (let k = 0; k < tetTotal; k++) {
    for (let j = 0; j < 4; j++) tets.push(scan.integer(`a vertex of tetrahedron ${k}`));
    tetLines.push(scan.line);
  }
  const rest = scan.word();
  if (rest !== undefined) scan.fail('mesh/format', `the file goes on after tetrahedron ${tetTotal - 1} with '${rest}'`);
  return soundMesh(file, { vertices, faces: [], tets, faceLines: [], tetLines }, options);
};
