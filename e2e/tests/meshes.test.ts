import { DiagnosticError, type Diagnostic } from '@filigree/ir';
import { describe, expect, it } from 'vitest';
import { faceCount, gridMesh, orientTets, readMesh, subdivide, tetBox, tetCount, vertexCount } from '../src/index.js';
import { sharedMesh, spot } from './data.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const diagnosticOf = (file: string, content: string | Uint8Array): Diagnostic => {
  try {
    readMesh(file, typeof content === 'string' ? bytes(content) : content);
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
  throw new Error('the file was accepted');
};

const square = {
  vertices: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
  fan: [0, 1, 2, 0, 2, 3],
};

describe('readers', () => {
  it('reads OFF, making triangles of polygons and passing over colours and comments', () => {
    const mesh = readMesh('a.off', bytes('OFF\n4 1 0 # counts\n0. 0. 0.\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n'));
    expect(Array.from(mesh.vertices)).toEqual(square.vertices);
    expect(Array.from(mesh.faces)).toEqual(square.fan);
  });

  it('reads OBJ corners in every form, also counted from the end', () => {
    const text =
      '# made by hand\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nv 0 1 0 1\nf 1/1 2//1 3/1/1 4\nf -4 -3 -2\nl 1 2\n';
    const mesh = readMesh('a.obj', bytes(text));
    expect(Array.from(mesh.vertices)).toEqual(square.vertices);
    expect(Array.from(mesh.faces)).toEqual([...square.fan, 0, 1, 2]);
  });

  it('reads the same PLY as text and as bytes', () => {
    const header = (format: string): string =>
      `ply\nformat ${format} 1.0\ncomment two triangles\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n` +
      'property uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n';
    const ascii = readMesh('a.ply', bytes(`${header('ascii')}0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n4 0 1 2 3\n`));
    const head = bytes(header('binary_little_endian'));
    const body = new DataView(new ArrayBuffer(4 * 13 + 17));
    for (let i = 0; i < 12; i++) body.setFloat32(13 * Math.floor(i / 3) + 4 * (i % 3), square.vertices[i], true);
    body.setUint8(52, 4);
    for (let i = 0; i < 4; i++) body.setInt32(53 + 4 * i, i, true);
    const binary = readMesh('a.ply', Buffer.concat([head, new Uint8Array(body.buffer)]));
    expect(Array.from(ascii.vertices)).toEqual(square.vertices);
    expect(Array.from(ascii.faces)).toEqual(square.fan);
    expect(binary).toEqual(ascii);
  });

  it('reads Medit sections in any order, and the bare tetrahedral format', () => {
    const points = '0 0 0 7\n1 0 0 7\n0 1 0 7\n0 0 1 7\n';
    const medit = readMesh(
      'a.mesh',
      bytes(
        `MeshVersionFormatted 1\nDimension 3\nTetrahedra\n1\n1 2 3 4 5\nEdges\n1\n1 2 0\nVertices\n4\n${points}Triangles\n1\n1 3 2 0\nEnd\n`,
      ),
    );
    const plain = readMesh('tetsphere0', bytes(`4 1\n${points.replaceAll(' 7', '')}0 1 2 3\n`));
    expect(Array.from(medit.tets)).toEqual([0, 1, 2, 3]);
    expect(Array.from(medit.faces)).toEqual([0, 2, 1]);
    expect(plain.vertices).toEqual(medit.vertices);
    expect(plain.tets).toEqual(medit.tets);
  });

  it('reads the mesh of the repository and, where it is there, the shared data', () => {
    const cow = spot();
    expect([vertexCount(cow), faceCount(cow)]).toEqual([2930, 5856]);
    // A closed surface: V − E + F = 2, and E is 3F/2.
    expect(vertexCount(cow) - faceCount(cow) / 2).toBe(2);
    const cloth = sharedMesh('cloth-and-tets/cloth2.off', () => gridMesh(77, 78));
    expect(vertexCount(cloth)).toBeGreaterThan(6000);
    const ball = sharedMesh('cloth-and-tets/tetsphere1', () => tetBox(14, 14, 14));
    expect(tetCount(ball)).toBeGreaterThan(15000);
  });
});

describe('bad files', () => {
  const cube = 'OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n';
  it.each<[string, string, string | Uint8Array, string, number | undefined, RegExp]>([
    ['a missing vertex', 'a.off', `${cube}3 0 2 4\n`, 'mesh/missing-vertex', 8, /face 1 names vertex 4.*has 4/],
    [
      'a missing vertex',
      'a.obj',
      'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\n',
      'mesh/missing-vertex',
      5,
      /face 1 names vertex 8/,
    ],
    [
      'a vertex before the first',
      'a.obj',
      'v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 2 3\n',
      'mesh/missing-vertex',
      4,
      /face 0 names vertex -1/,
    ],
    [
      'a missing vertex of a tetrahedron',
      'tetsphere',
      '4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 4\n',
      'mesh/missing-vertex',
      6,
      /tetrahedron 0/,
    ],
    ['a face that uses a vertex twice', 'a.off', `${cube}3 0 2 2\n`, 'mesh/degenerate', 8, /face 1 .*has no area/],
    [
      'a flat tetrahedron',
      'tetsphere',
      '4 1\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 1 2 3\n',
      'mesh/degenerate',
      6,
      /no volume/,
    ],
    [
      'a coordinate that is not a number',
      'a.off',
      'OFF\n3 1 0\n0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n',
      'mesh/number',
      4,
      /vertex 1.*'x'/,
    ],
    ['a NaN', 'a.off', 'OFF\n3 1 0\n0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n', 'mesh/non-finite', 3, /vertex 0/],
    ['a file cut short', 'a.off', 'OFF\n4 2 0\n0 0 0\n1 0 0\n', 'mesh/truncated', 5, /vertex 2/],
    ['a face cut short', 'a.off', cube, 'mesh/truncated', 8, /face 1/],
    ['a two-cornered face', 'a.obj', 'v 0 0 0\nv 1 0 0\nf 1 2\n', 'mesh/face', 3, /at least 3/],
    ['a vertex of two coordinates', 'a.obj', 'v 0 0\nf 1 1 1\n', 'mesh/vertex', 1, /has 2 coordinates/],
    ['index 0 in OBJ', 'a.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n', 'mesh/number', 4, /'0'/],
    ['no geometry', 'a.obj', '# nothing\n', 'mesh/empty', undefined, /no vertices/],
    ['another format', 'a.off', 'solid cube\n', 'mesh/format', 1, /expected the word OFF/],
    ['an unknown name', 'a.stl', 'solid', 'mesh/unknown-format', undefined, /a\.stl/],
    [
      'a big-endian PLY',
      'a.ply',
      'ply\nformat binary_big_endian 1.0\nend_header\n',
      'mesh/format',
      2,
      /binary_big_endian/,
    ],
    [
      'a PLY without z',
      'a.ply',
      'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n',
      'mesh/format',
      1,
      /no property z/,
    ],
    [
      'a missing vertex in a PLY',
      'a.ply',
      'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n3 0 1 2\n',
      'mesh/missing-vertex',
      11,
      /vertex 1/,
    ],
    [
      'a binary PLY cut short',
      'a.ply',
      'ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty float z\nend_header\n',
      'mesh/truncated',
      undefined,
      /x of vertex 0/,
    ],
    ['a Medit mesh in the plane', 'a.mesh', 'MeshVersionFormatted 1\nDimension 2\n', 'mesh/format', 2, /dimension 2/],
  ])('%s (%s) is named with its line', (_, file, content, code, line, message) => {
    const diagnostic = diagnosticOf(file, content);
    expect(diagnostic.code).toBe(code);
    expect(diagnostic.loc?.line).toBe(line);
    expect(diagnostic.message).toMatch(message);
  });

  it('leaves out elements without area on request', () => {
    const mesh = readMesh('a.off', bytes(`${cube}3 0 2 2\n`), { degenerate: 'drop' });
    expect(Array.from(mesh.faces)).toEqual([0, 1, 2]);
  });
});

describe('generators', () => {
  const area = (m: ReturnType<typeof gridMesh>): number => {
    let sum = 0;
    for (let f = 0; f < m.faces.length; f += 3) {
      const [a, b, c] = Array.from(m.faces.subarray(f, f + 3), (i) =>
        Array.from(m.vertices.subarray(3 * i, 3 * i + 3)),
      );
      const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k])];
      sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
    }
    return sum;
  };

  it('covers the unit square once', () => {
    const mesh = gridMesh(7, 5);
    expect([vertexCount(mesh), faceCount(mesh)]).toEqual([35, 48]);
    expect(area(mesh)).toBeCloseTo(1, 12);
  });

  it('subdivides into a mesh of the same shape with welded edges', () => {
    const [coarse, fine] = [spot(), subdivide(spot(), 2)];
    expect(faceCount(fine)).toBe(16 * faceCount(coarse));
    expect(vertexCount(fine) - faceCount(fine) / 2).toBe(2);
    expect(area(fine)).toBeCloseTo(area(coarse), 10);
  });

  it('fills a cube with tetrahedra of positive volume, and turns those that are not', () => {
    const box = tetBox(3, 4, 5, 0.2);
    const volumes = (tets: Int32Array): number[] => {
      const found: number[] = [];
      for (let k = 0; k < tets.length; k += 4) {
        const p = Array.from(tets.subarray(k, k + 4), (i) => Array.from(box.vertices.subarray(3 * i, 3 * i + 3)));
        const [a, b, c] = [1, 2, 3].map((j) => p[j].map((x, i) => x - p[0][i]));
        found.push(
          (a[0] * (b[1] * c[2] - b[2] * c[1]) +
            a[1] * (b[2] * c[0] - b[0] * c[2]) +
            a[2] * (b[0] * c[1] - b[1] * c[0])) /
            6,
        );
      }
      return found;
    };
    expect(tetCount(box)).toBe(360);
    expect(Math.min(...volumes(box.tets))).toBeGreaterThan(0);
    expect(volumes(box.tets).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    const turned = box.tets.slice();
    for (let k = 0; k < turned.length; k += 8) [turned[k], turned[k + 1]] = [turned[k + 1], turned[k]];
    expect(Math.min(...volumes(turned))).toBeLessThan(0);
    expect(Math.min(...volumes(orientTets({ ...box, tets: turned }).tets))).toBeGreaterThan(0);
  });
});
