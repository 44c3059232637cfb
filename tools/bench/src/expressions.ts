import {
  barycentricMass,
  cotanAssembly,
  cotanLaplacian,
  diagonalMatrix,
  gridLaplacian,
  MATRIX_EXPRESSIONS,
  nonZeros,
  randomMatrix,
  randomNumbers,
  vertexCount,
  type MatrixExpression,
  type Mesh,
} from '@filigree/e2e';
import type { BaselineInputs } from './native/baseline.js';
import { add, multiply, scale, transpose, type NumericCsr } from './plain-sparse.js';

/** A matrix expression on given matrices: what the paper's §5.1, §5.2 and Table 1 evaluate. */
export interface ExpressionProblem {
  readonly kind: 'expression';
  /** In the notation of `filigree expr`. */
  readonly expression: string;
  readonly matrices: Readonly<Record<string, NumericCsr>>;
}

/** How an expression is made, evaluated plainly, and run by the native baselines. */
export interface ExpressionCase {
  readonly title: string;
  /** Matrices with about `n` rows. */
  readonly make: (n: number, seed: number) => Readonly<Record<string, NumericCsr>>;
  /** Matrices of a mesh, its cotan Laplacian and mass, for the expressions that have a Laplacian. */
  readonly ofMesh?: (mesh: Mesh, seed: number) => Readonly<Record<string, NumericCsr>>;
  readonly defaultN: number;
  readonly evaluate: (m: Readonly<Record<string, NumericCsr>>) => NumericCsr;
  /** Source of the Eigen baseline, and of the hand-written one where there is one. */
  readonly eigen: string;
  readonly hand?: string;
  readonly integers?: BaselineInputs['integers'];
}

const random = (names: string) => (n: number, seed: number) =>
  Object.fromEntries([...names].map((name, i) => [name, randomMatrix(n, n, 6, seed + i)]));

const laplacian = (name: string) => (n: number, seed: number) => ({
  [name]: gridLaplacian(Math.round(Math.sqrt(n)), seed),
});

const laplacianOf = (name: string) => (mesh: Mesh) => ({ [name]: cotanMatrix(mesh) });

const cotanMatrix = (mesh: Mesh): NumericCsr => {
  const { pattern, slots } = cotanAssembly(mesh.faces, vertexCount(mesh));
  return { pattern, values: Float64Array.from(cotanLaplacian(mesh.vertices, mesh.faces, slots, nonZeros(pattern))) };
};

const power = (k: number): ExpressionCase => ({
  title: `L^${k}, L a mesh Laplacian`,
  make: laplacian('L'),
  ofMesh: laplacianOf('L'),
  defaultN: 224 * 224,
  evaluate: ({ L }) => Array.from({ length: k - 1 }).reduce<NumericCsr>((product) => multiply(product, L), L),
  eigen: 'power',
  hand: 'hand_power',
  integers: [[k]],
});

/** The experiments on matrices, by the names of `MATRIX_EXPRESSIONS`. */
export const EXPRESSION_CASES: Readonly<Record<MatrixExpression, ExpressionCase>> = {
  'numeric-0': {
    title: `${MATRIX_EXPRESSIONS['numeric-0']}, six random entries a row`,
    make: random('ABC'),
    defaultN: 100_000,
    evaluate: ({ A, B, C }) => multiply(transpose(add(scale(3.78, A), B)), add(scale(6.942, transpose(B)), C)),
    eigen: 'numeric_0',
  },
  'numeric-1': {
    title: `${MATRIX_EXPRESSIONS['numeric-1']}, six random entries a row`,
    make: random('ABC'),
    defaultN: 100_000,
    evaluate: ({ A, B, C }) => multiply(multiply(A, B), C),
    eigen: 'numeric_1',
  },
  'numeric-2': {
    title: `${MATRIX_EXPRESSIONS['numeric-2']}, six random entries a row`,
    make: random('ABC'),
    defaultN: 100_000,
    evaluate: ({ A, B, C }) => add(multiply(add(A, B), add(B, C)), multiply(transpose(A), C)),
    eigen: 'numeric_2',
  },
  'ata-plus-a': {
    title: "A'A + A, A a mesh Laplacian",
    make: laplacian('A'),
    ofMesh: laplacianOf('A'),
    defaultN: 224 * 224,
    evaluate: ({ A }) => add(multiply(transpose(A), A), A),
    eigen: 'ata_plus_a',
    hand: 'hand_ata_plus_a',
  },
  'power-2': power(2),
  'power-3': power(3),
  'power-4': power(4),
  'lmlt-plus-k': {
    title: "L M L' + K, L a mesh Laplacian, M diagonal, K six random entries a row",
    make: (n, seed) => {
      const { L } = laplacian('L')(n, seed);
      const next = randomNumbers(seed + 1);
      const rows = L.pattern.rows;
      return {
        L,
        M: diagonalMatrix(Float64Array.from({ length: rows }, () => 0.5 + next())),
        K: randomMatrix(rows, rows, 6, seed + 2),
      };
    },
    ofMesh: (mesh, seed) => {
      const n = vertexCount(mesh);
      return {
        L: cotanMatrix(mesh),
        M: diagonalMatrix(barycentricMass(mesh.vertices, mesh.faces, n)),
        K: randomMatrix(n, n, 6, seed),
      };
    },
    defaultN: 224 * 224,
    evaluate: ({ L, M, K }) => add(multiply(multiply(L, M), transpose(L)), K),
    eigen: 'lmlt_plus_k',
    hand: 'hand_lmlt_plus_k',
  },
};
