import type { CsrPattern } from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  arapRightHandSide,
  arapWeights,
  assemblyOf,
  barycentricMass,
  clothAssembly,
  clothEnergy,
  clothHessian,
  clothRest,
  cotanAssembly,
  cotanLaplacian,
  dualLaplacian,
  dualLaplacianAssembly,
  gridLaplacian,
  gridMesh,
  nonZeros,
  orientTets,
  randomMatrix,
  randomNumbers,
  rotationOf,
  svd3,
  tetBox,
  vertexCount,
  type Mesh,
} from '../src/index.js';
import { sharedMesh, spot } from './data.js';

/** Pattern times vector, by definition. */
const times = (p: CsrPattern, values: ArrayLike<number>, x: ArrayLike<number>): number[] =>
  Array.from({ length: p.rows }, (_, i) => {
    let sum = 0;
    for (let k = p.rowPtr[i]; k < p.rowPtr[i + 1]; k++) sum += values[k] * x[p.colIdx[k]];
    return sum;
  });

const at = (p: CsrPattern, values: ArrayLike<number>, i: number, j: number): number => {
  for (let k = p.rowPtr[i]; k < p.rowPtr[i + 1]; k++) if (p.colIdx[k] === j) return values[k];
  return 0;
};

const largest = (x: ArrayLike<number>): number => Array.from(x).reduce((a, b) => Math.max(a, Math.abs(b)), 0);

const matrix3 = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 9, maxLength: 9 });

const product = (A: ArrayLike<number>, B: ArrayLike<number>): number[] =>
  Array.from({ length: 9 }, (_, e) =>
    [0, 1, 2].reduce((s, k) => s + A[3 * Math.floor(e / 3) + k] * B[3 * k + (e % 3)], 0),
  );
const transpose = (A: ArrayLike<number>): number[] => [0, 3, 6, 1, 4, 7, 2, 5, 8].map((e) => A[e]);
const det = (A: ArrayLike<number>): number =>
  A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);

describe('assembly', () => {
  it('adds triplets into the entries of a sorted pattern, leaving out negative rows', () => {
    const { pattern, slots } = assemblyOf(3, 4, [2, 0, 2, -1, 0], [1, 3, 1, 0, 0]);
    expect(Array.from(pattern.rowPtr)).toEqual([0, 2, 2, 3]);
    expect(Array.from(pattern.colIdx)).toEqual([0, 3, 1]);
    expect(slots).toEqual([2, 1, 2, -1, 0]);
  });
});

const cotan = (mesh: Mesh): { pattern: CsrPattern; L: number[] } => {
  const { pattern, slots } = cotanAssembly(mesh.faces, vertexCount(mesh));
  return { pattern, L: cotanLaplacian(mesh.vertices, mesh.faces, slots, nonZeros(pattern)) };
};

describe('cotan Laplacian and mass', () => {
  it('agrees with the angles of a triangle', () => {
    // Right angle at vertex 0, 60 degrees at 1, 30 degrees at 2.
    const mesh = {
      vertices: Float64Array.from([0, 0, 0, 1, 0, 0, 0, Math.sqrt(3), 0]),
      faces: Int32Array.from([0, 1, 2]),
      tets: new Int32Array(),
    };
    const { pattern, L } = cotan(mesh);
    expect(at(pattern, L, 1, 2)).toBeCloseTo(0, 14);
    expect(at(pattern, L, 0, 2)).toBeCloseTo(1 / Math.tan(Math.PI / 3), 14);
    expect(at(pattern, L, 1, 0)).toBeCloseTo(1 / Math.tan(Math.PI / 6), 14);
    expect(barycentricMass(mesh.vertices, mesh.faces, 3)).toEqual(
      [0, 0, 0].map(() => expect.closeTo(Math.sqrt(3) / 6, 14)),
    );
  });

  it.each<[string, () => Mesh]>([
    ['spot', spot],
    ['cloth1', () => sharedMesh('cloth-and-tets/cloth1.off', () => gridMesh(18, 19, (x, y) => Math.sin(5 * x) * y))],
  ])('is symmetric with rows that sum to zero on %s', (_, make) => {
    const mesh = make();
    const { pattern, L } = cotan(mesh);
    const scale = largest(L);
    expect(largest(times(pattern, L, new Float64Array(pattern.cols).fill(1))) / scale).toBeLessThan(1e-12);
    let asymmetry = 0;
    for (let i = 0; i < pattern.rows; i += 7)
      for (let k = pattern.rowPtr[i]; k < pattern.rowPtr[i + 1]; k++)
        asymmetry = Math.max(asymmetry, Math.abs(L[k] - at(pattern, L, pattern.colIdx[k], i)));
    expect(asymmetry / scale).toBeLessThan(1e-13);
  });

  it('has linear functions of a flat mesh in its kernel at inner vertices', () => {
    const random = randomNumbers(3);
    const mesh = gridMesh(12, 9);
    const inner = (i: number): boolean => i % 12 > 0 && i % 12 < 11 && i >= 12 && i < 96;
    for (let i = 0; i < 108; i++)
      if (inner(i)) for (let c = 0; c < 2; c++) mesh.vertices[3 * i + c] += 0.02 * (random() - 0.5);
    const { pattern, L } = cotan(mesh);
    const linear = Array.from({ length: 108 }, (_, i) => 2 * mesh.vertices[3 * i] - 3 * mesh.vertices[3 * i + 1] + 1);
    const image = times(pattern, L, linear);
    expect(largest(image.filter((_, i) => inner(i)))).toBeLessThan(1e-12);
    expect(largest(image.filter((_, i) => !inner(i)))).toBeGreaterThan(0.1);
  });

  it('gives the area of a flat mesh as its total mass', () => {
    const mesh = gridMesh(6, 8);
    expect(barycentricMass(mesh.vertices, mesh.faces, 48).reduce((a, b) => a + b)).toBeCloseTo(1, 13);
  });
});

describe('dual Laplacian and mass of tetrahedra', () => {
  const dual = (mesh: Mesh): { pattern: CsrPattern; L: number[]; M: number[] } => {
    const { pattern, slots } = dualLaplacianAssembly(mesh.tets, vertexCount(mesh));
    return { pattern, ...dualLaplacian(mesh.vertices, mesh.tets, slots, nonZeros(pattern), vertexCount(mesh)) };
  };

  it.each<[string, () => Mesh]>([
    ['a box', () => tetBox(5, 4, 6, 0.25)],
    ['tetsphere1', () => orientTets(sharedMesh('cloth-and-tets/tetsphere1', () => tetBox(9, 9, 9, 0.25)))],
  ])('has rows that sum to zero and the volume as its total mass on %s', (_, make) => {
    const mesh = make();
    const { pattern, L, M } = dual(mesh);
    expect(largest(times(pattern, L, new Float64Array(pattern.cols).fill(1))) / largest(L)).toBeLessThan(1e-11);
    let volume = 0;
    for (let k = 0; k < mesh.tets.length; k += 4) {
      const p = Array.from(mesh.tets.subarray(k, k + 4), (i) => Array.from(mesh.vertices.subarray(3 * i, 3 * i + 3)));
      volume += det([1, 2, 3].flatMap((j) => p[j].map((x, c) => x - p[0][c]))) / 6;
    }
    expect(M.reduce((a, b) => a + b) / volume).toBeCloseTo(1, 9);
  });

  it('has linear functions in its kernel at inner vertices', () => {
    const mesh = tetBox(5, 5, 5, 0.25);
    const { pattern, L } = dual(mesh);
    const n = vertexCount(mesh);
    const linear = Array.from(
      { length: n },
      (_, i) => mesh.vertices[3 * i] - 2 * mesh.vertices[3 * i + 1] + 4 * mesh.vertices[3 * i + 2],
    );
    const image = times(pattern, L, linear);
    const inner = (i: number): boolean =>
      [0, 1, 2].every((c) => mesh.vertices[3 * i + c] > 1e-9 && mesh.vertices[3 * i + c] < 1 - 1e-9);
    expect(largest(image.filter((_, i) => inner(i)))).toBeLessThan(1e-10 * largest(L));
    expect(largest(image.filter((_, i) => !inner(i)))).toBeGreaterThan(0.01);
  });

  it('weighs the edges of a regular tetrahedron by its closed form', () => {
    const mesh = orientTets({
      vertices: Float64Array.from([1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1]),
      faces: new Int32Array(),
      tets: Int32Array.from([0, 1, 2, 3]),
    });
    const { pattern, L, M } = dual(mesh);
    // Edge a = √8: the dual face of an edge has legs a/(2√3) (edge to face centre) and a/(2√6) (face to cell centre), twice.
    const a = Math.sqrt(8);
    const dualArea = (a / (2 * Math.sqrt(3))) * (a / (2 * Math.sqrt(6)));
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++)
        expect(at(pattern, L, i, j)).toBeCloseTo(i === j ? (-3 * dualArea) / a : dualArea / a, 13);
    expect(M).toEqual([0, 0, 0, 0].map(() => expect.closeTo(8 / 3 / 4, 13)));
  });
});

describe('singular value decomposition in fixed steps', () => {
  it('rebuilds the matrix from two rotations and ordered values', () => {
    fc.assert(
      fc.property(matrix3, (S) => {
        const svd = svd3(S);
        const [U, sigma, V] = [svd.slice(0, 9), svd.slice(9, 12), svd.slice(12)];
        const scale = 1 + largest(S);
        const back = product(product(U, [sigma[0], 0, 0, 0, sigma[1], 0, 0, 0, sigma[2]]), transpose(V));
        expect(largest(back.map((x, e) => x - S[e]))).toBeLessThan(1e-8 * scale);
        const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
        for (const Q of [U, V]) {
          expect(largest(product(transpose(Q), Q).map((x, e) => x - identity[e]))).toBeLessThan(1e-12);
          expect(det(Q)).toBeCloseTo(1, 10);
        }
        expect(sigma[0]).toBeGreaterThanOrEqual(sigma[1] - 1e-8 * scale);
        expect(sigma[1]).toBeGreaterThanOrEqual(Math.abs(sigma[2]) - 1e-8 * scale);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['zero', [0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['the identity', [1, 0, 0, 0, 1, 0, 0, 0, 1]],
    ['a matrix of rank one', [1, 2, 3, 2, 4, 6, -1, -2, -3]],
    ['a reflection', [1, 0, 0, 0, 1, 0, 0, 0, -1]],
    ['a tiny matrix', [1e-9, 0, 2e-9, 0, 3e-9, 0, 0, 1e-9, 0]],
  ])('gives a rotation for %s', (_, S) => {
    const R = rotationOf(svd3(S));
    expect(det(R)).toBeCloseTo(1, 12);
    expect(largest(product(transpose(R), R).map((x, e) => x - [1, 0, 0, 0, 1, 0, 0, 0, 1][e]))).toBeLessThan(1e-12);
  });
});

describe('local step of as-rigid-as-possible deformation', () => {
  const mesh = spot();
  const { pattern, L } = cotan(mesh);
  const neighbours = arapWeights(pattern, L);
  const solve = (P: ArrayLike<number>): number[] =>
    arapRightHandSide(P, mesh.vertices, neighbours.weights, neighbours.pattern.rowPtr, neighbours.pattern.colIdx);

  it('finds a rigid motion, for then the right-hand side is the rotated Laplacian of the mesh at rest', () => {
    const [c, s] = [Math.cos(1), Math.sin(1)];
    const rotate = (x: number, y: number, z: number): number[] => [c * x - s * y, s * x + c * y, z];
    const P: number[] = [];
    for (let i = 0; i < mesh.vertices.length; i += 3) {
      const [x, y, z] = rotate(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
      P.push(x + 3, y - 1, z);
    }
    const B = solve(P);
    for (let k = 0; k < 3; k++) {
      // Σ_j w (p_i − p_j) is minus the Laplacian, whose off-diagonal is positive.
      const expected = times(
        pattern,
        L,
        P.filter((_, i) => i % 3 === k),
      ).map((x) => -x);
      const found = B.filter((_, i) => i % 3 === k);
      expect(largest(found.map((x, i) => x - expected[i]))).toBeLessThan(1e-6 * largest(expected));
    }
  });

  it('chooses rotations that no small turn improves', () => {
    const P = Array.from(mesh.vertices, (x, i) => x + 0.1 * Math.sin(7 * mesh.vertices[3 * Math.floor(i / 3)] + i));
    for (let i = 0; i < 50; i++) {
      const S = new Array<number>(9).fill(0);
      for (let k = neighbours.pattern.rowPtr[i]; k < neighbours.pattern.rowPtr[i + 1]; k++) {
        const j = neighbours.pattern.colIdx[k];
        for (let e = 0; e < 9; e++)
          S[e] +=
            neighbours.weights[k] *
            (mesh.vertices[3 * i + Math.floor(e / 3)] - mesh.vertices[3 * j + Math.floor(e / 3)]) *
            (P[3 * i + (e % 3)] - P[3 * j + (e % 3)]);
      }
      // The rotation maximises tr(R S): its derivative along every turn is the skew part of R S, which must vanish.
      const RS = product(rotationOf(svd3(S)), S);
      expect(largest([RS[1] - RS[3], RS[2] - RS[6], RS[5] - RS[7]])).toBeLessThan(1e-7 * largest(S));
    }
  });
});

describe('cloth', () => {
  const rest = gridMesh(4, 3);
  const random = randomNumbers(5);
  const X = Array.from(rest.vertices, (x) => 1.1 * x + 0.05 * (random() - 0.5));
  const { areas, gradients } = clothRest(rest.vertices, rest.faces);
  const [stretch, shear] = [800, 200];
  const energy = (x: ArrayLike<number>): number => clothEnergy(x, rest.faces, areas, gradients, stretch, shear);
  const { pattern, slots } = clothAssembly(rest.faces, vertexCount(rest));

  it('has no energy at rest, nor after a rigid motion', () => {
    expect(energy(rest.vertices)).toBeCloseTo(0, 20);
    const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
    const moved = Array.from({ length: 12 }, (_, i) => rest.vertices.subarray(3 * i, 3 * i + 3)).flatMap(
      ([x, y, z]) => [z + 1, c * x - s * y, s * x + c * y],
    );
    expect(energy(moved)).toBeCloseTo(0, 20);
  });

  it('has the Hessian that differences of the energy give', () => {
    const H = clothHessian(X, rest.faces, areas, gradients, stretch, shear, slots, nonZeros(pattern));
    const h = 1e-4;
    const moved = (i: number, di: number, j: number, dj: number): number => {
      const y = X.slice();
      y[i] += di;
      y[j] += dj;
      return energy(y);
    };
    for (let i = 0; i < X.length; i++)
      for (let j = 0; j <= i; j++) {
        const difference =
          (moved(i, h, j, h) - moved(i, h, j, -h) - moved(i, -h, j, h) + moved(i, -h, j, -h)) / (4 * h * h);
        expect(Math.abs(at(pattern, H, i, j) - difference)).toBeLessThan(1e-5 * largest(H));
      }
  });

  it('keeps the lower triangle only', () => {
    for (let i = 0; i < pattern.rows; i++)
      for (let k = pattern.rowPtr[i]; k < pattern.rowPtr[i + 1]; k++) expect(pattern.colIdx[k]).toBeLessThanOrEqual(i);
  });
});

describe('matrices', () => {
  it('makes random rows of the asked length, sorted, the same for the same seed', () => {
    const A = randomMatrix(50, 40, 6, 9);
    for (let i = 0; i < 50; i++) {
      const row = Array.from(A.pattern.colIdx.subarray(A.pattern.rowPtr[i], A.pattern.rowPtr[i + 1]));
      expect(row).toEqual([...new Set(row)].sort((a, b) => a - b));
      expect(row).toHaveLength(6);
    }
    expect(randomMatrix(50, 40, 6, 9)).toEqual(A);
    expect(randomMatrix(50, 40, 6, 10)).not.toEqual(A);
  });

  it('makes a grid Laplacian with the structure of a mesh', () => {
    const L = gridLaplacian(20);
    expect(largest(times(L.pattern, L.values, new Float64Array(400).fill(1)))).toBeLessThan(1e-13);
    // 400 vertices, 2·20·19 sides and 19² diagonals.
    expect(nonZeros(L.pattern)).toBe(400 + 2 * (2 * 20 * 19 + 19 * 19));
  });
});
