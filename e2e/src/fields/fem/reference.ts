import { CORNERS, type FemSetup, type FemSolver } from './setup.js';

/**
 * The assembled matrix over the nodes that may move: strains by the derivatives of the shape functions, integrated by Gauss's rule of two
 * points an axis, stored as a dense matrix and solved by Cholesky's factorisation. For a few hundred nodes.
 */
export const referenceFem = (setup: FemSetup): FemSolver => {
  const nodes = [...setup.free.keys()].filter((node) => setup.free[node] === 1);
  const K = assembled(setup, nodes);
  const size = 3 * nodes.length;
  const packed = (all: Float64Array): Float64Array =>
    Float64Array.from({ length: size }, (_, k) => all[3 * nodes[Math.floor(k / 3)] + (k % 3)]);
  const spread = (few: Float64Array): Float64Array => {
    const all = new Float64Array(3 * setup.n ** 3);
    few.forEach((x, k) => (all[3 * nodes[Math.floor(k / 3)] + (k % 3)] = x));
    return all;
  };
  return {
    multiply: (u) => {
      const x = packed(u);
      return spread(x.map((_, row) => K.subarray(row * size, (row + 1) * size).reduce((s, a, c) => s + a * x[c], 0)));
    },
    solve: () => ({ u: spread(solveCholesky(K, packed(setup.load))), norms: [1, 0] }),
  };
};

const assembled = (setup: FemSetup, nodes: readonly number[]): Float64Array => {
  const { n } = setup;
  const number = new Map(nodes.map((node, k) => [node, k]));
  const size = 3 * nodes.length;
  const K = new Float64Array(size * size);
  const [byLambda, byMu] = [elementMatrix(1, 0), elementMatrix(0, 1)];
  for (let cell = 0; cell < n ** 3; cell++) {
    if (setup.mu[cell] === 0) continue;
    const element = byLambda.map((row, p) => row.map((x, q) => setup.lambda[cell] * x + setup.mu[cell] * byMu[p][q]));
    const at = CORNERS.map(([a, b, c]) => number.get(cell + (a * n + b) * n + c));
    for (let p = 0; p < 24; p++)
      for (let q = 0; q < 24; q++) {
        const [a, b] = [at[Math.floor(p / 3)], at[Math.floor(q / 3)]];
        if (a !== undefined && b !== undefined) K[(3 * a + (p % 3)) * size + 3 * b + (q % 3)] += element[p][q];
      }
  }
  return K;
};

/** ∫ Bᵀ D B over the unit cube, B the strains of a displacement of each corner. */
const elementMatrix = (lambda: number, mu: number): readonly (readonly number[])[] => {
  const K = Array.from({ length: 24 }, () => new Array<number>(24).fill(0));
  const points = [0.5 - Math.sqrt(1 / 12), 0.5 + Math.sqrt(1 / 12)];
  for (const x of points)
    for (const y of points)
      for (const z of points) {
        const strains = CORNERS.flatMap((corner) => {
          const one = (axis: number): number => (corner[axis] === 1 ? [x, y, z][axis] : 1 - [x, y, z][axis]);
          const slope = [0, 1, 2].map((axis) =>
            [0, 1, 2].reduce((w, a) => w * (a === axis ? (corner[a] === 1 ? 1 : -1) : one(a)), 1),
          );
          return [0, 1, 2].map((direction) => strainOf(direction, slope));
        });
        for (let p = 0; p < 24; p++)
          for (let q = 0; q < 24; q++) K[p][q] += stressWork(strains[p], strains[q], lambda, mu) / 8;
      }
  return K;
};

/** ½ (∇u + ∇uᵀ) of a displacement along one direction with this gradient. */
const strainOf = (direction: number, slope: readonly number[]): readonly (readonly number[])[] =>
  [0, 1, 2].map((u) => [0, 1, 2].map((v) => ((u === direction ? slope[v] : 0) + (v === direction ? slope[u] : 0)) / 2));

/** Stress of the first strain times the second: λ tr a tr b + 2μ a : b. */
export const stressWork = (
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
  lambda: number,
  mu: number,
): number => {
  const trace = (m: readonly (readonly number[])[]): number => m[0][0] + m[1][1] + m[2][2];
  const inner = a.flatMap((row, u) => row.map((x, v) => x * b[u][v])).reduce((s, x) => s + x, 0);
  return lambda * trace(a) * trace(b) + 2 * mu * inner;
};

const solveCholesky = (A: Float64Array, b: Float64Array): Float64Array => {
  const n = b.length;
  const L = A.slice();
  for (let j = 0; j < n; j++)
    for (let i = j; i < n; i++) {
      let sum = L[i * n + j];
      for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i === j ? Math.sqrt(sum) : sum / L[j * n + j];
    }
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * n + i];
  }
  return x;
};
