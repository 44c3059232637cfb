import { soundMesh, type Mesh, type ReadOptions } from './mesh.js';
import { Scanner } from './scanner.js';

/**
 * Reads a Medit `.mesh` text file: vertices, triangles and tetrahedra in three dimensions, in any order. Every entry ends
 * in a reference number, which is dropped; other sections are passed over.
 */
export const readMedit = (file: string, text: string, options: ReadOptions = {}): Mesh => {
  const scan = new Scanner(file, text);
  if (scan.word() !== 'MeshVersionFormatted') scan.fail('mesh/format', 'expected the word MeshVersionFormatted');
  scan.integer('the format version', 1);
  const vertices: number[] = [];
  const faces: number[] = [];
  const faceLines: number[] = [];
  const tets: number[] = [];
  const tetLines: number[] = [];

  for (let key = scan.word(); key !== undefined && key !== 'End'; key = scan.word()) {
    if (key === 'Dimension') {
      const dimension = scan.integer('the dimension', 1);
      if (dimension !== 3) scan.fail('mesh/format', `the mesh has dimension ${dimension}; only 3 is read`);
    } else if (key === 'Vertices') {
      const total = scan.integer('the number of vertices');
      for (let i = 0; i < total; i++) {
        for (let j = 0; j < 3; j++) vertices.push(scan.real(`a coordinate of vertex ${i}`));
        scan.real(`the reference of vertex ${i}`);
      }
    } else if (key === 'Triangles') readElements(scan, 'face', 3, faces, faceLines);
    else if (key === 'Tetrahedra') readElements(scan, 'tetrahedron', 4, tets, tetLines);
    else if (key in ENTRY_LENGTH) {
      const total = scan.integer(`the number of ${key}`);
      for (let i = 0; i < total * ENTRY_LENGTH[key]; i++) scan.real(`an entry of ${key}`);
    } else scan.fail('mesh/format', `unknown section '${key}'`, 'only the text form of Medit files is read');
  }
  return soundMesh(file, { vertices, faces, tets, faceLines, tetLines }, options);
};

const readElements = (scan: Scanner, what: string, arity: number, index: number[], lines: number[]): void => {
  const total = scan.integer(`the number of ${what} entries`);
  for (let k = 0; k < total; k++) {
    for (let j = 0; j < arity; j++) index.push(scan.integer(`a vertex of ${what} ${k}`) - 1);
    lines.push(scan.line);
    scan.real(`the reference of ${what} ${k}`);
  }
};

/** Numbers in one entry of the sections that are passed over. */
const ENTRY_LENGTH: Readonly<Record<string, number>> = {
  Edges: 3,
  Quadrilaterals: 5,
  Hexahedra: 9,
  Corners: 1,
  RequiredVertices: 1,
  Ridges: 1,
  RequiredEdges: 1,
  Normals: 3,
  Tangents: 3,
  NormalAtVertices: 2,
  TangentAtVertices: 2,
};
