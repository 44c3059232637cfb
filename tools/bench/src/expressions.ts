import {
  laplacianOfMesh,
  laplacianOfSize,
  lmltMatrices,
  MATRIX_EXPRESSIONS,
  randomMatrices,
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

const random = (names: string) => (n: number, seed: number) => randomMatrices(names, n, seed);

const power = (k: number): ExpressionCase => ({
  title: `L^${k}, L a mesh Laplacian`,
  make: (n, seed) => ({ L: laplacianOfSize(n, seed) }),
  ofMesh: (mesh) => ({ L: laplacianOfMesh(mesh) }),
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
  product: {
    title: `${MATRIX_EXPRESSIONS.product}, six random entries a row`,
    make: random('AB'),
    defaultN: 1_000_000,
    evaluate: ({ A, B }) => multiply(A, B),
    eigen: 'product',
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
    evaluate: ({ A, B, C }) => multiply(add(A, B), add(add(A, B), C)),
    eigen: 'numeric_2',
  },
  'ata-plus-a': {
    title: "A'A + A, A a mesh Laplacian",
    make: (n, seed) => ({ A: laplacianOfSize(n, seed) }),
    ofMesh: (mesh) => ({ A: laplacianOfMesh(mesh) }),
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
    make: (n, seed) => ({ ...lmltMatrices(n, seed) }),
    ofMesh: (mesh, seed) => ({ ...lmltMatrices(mesh, seed) }),
    defaultN: 224 * 224,
    evaluate: ({ L, M, K }) => add(multiply(multiply(L, M), transpose(L)), K),
    eigen: 'lmlt_plus_k',
    hand: 'hand_lmlt_plus_k',
  },
};
