import { fitted, solidVoxels, type Mesh } from '../../meshes/index.js';
import { spotMesh } from '../../spot.js';
import { lame } from '../mpm/mpm.js';

/**
 * Linear elasticity on a grid of n³ cells of side 1 (thesis §2.6.2, after Liu et al. 2018). Cell (i, j, k) has the eight
 * nodes from (i, j, k) to (i + 1, j + 1, k + 1), trilinear displacements, and Lamé parameters of its own; zero where there
 * is no material. Cells with an index of 0 or n − 1 must be empty. Everything is numbered i n² + j n + k.
 */
export interface FemSetup {
  readonly n: number;
  readonly lambda: Float64Array;
  readonly mu: Float64Array;
  /** 1 where a node of a cell with material may move, else 0. */
  readonly free: Float64Array;
  /** Force on each node, x, y, z. */
  readonly load: Float64Array;
  /** Conjugate gradients stop when the norm of the residual has fallen by this factor, or after so many iterations. */
  readonly tolerance: number;
  readonly mostIterations: number;
}

export interface FemResult {
  /** Displacement of each node, x, y, z. */
  readonly u: Float64Array;
  /** Norms of the residual at the start and after each iteration. */
  readonly norms: readonly number[];
}

/** An implementation of the stiffness matrix K, restricted to the nodes that may move. */
export interface FemSolver {
  multiply(u: Float64Array): Float64Array | Promise<Float64Array>;
  /** K u = load. */
  solve(): FemResult | Promise<FemResult>;
}

export type MakeFem = (setup: FemSetup) => FemSolver | Promise<FemSolver>;

export interface FemOptions {
  /** Cells along each axis: a multiple of 8. Default 64. */
  readonly n?: number;
  /** The body, a closed surface; the cow of the repository if absent. */
  readonly mesh?: Mesh;
}

/** A body that stands on its lowest layer of nodes and sags under its weight. Its back is three times as stiff as its feet. */
export const femSetup = ({ n = 64, mesh = spotMesh() }: FemOptions = {}): FemSetup => {
  const { coordinates } = solidVoxels(fitted(mesh, 0.1, 0.9), n);
  const height = (cell: number): number => coordinates[3 * cell + 1];
  let floor = n;
  for (let c = 0; c < coordinates.length / 3; c++) floor = Math.min(floor, height(c));
  return withMaterial(n, coordinates, (_i, j) => 1 + (2 * (j - floor)) / (n - floor), {
    fixed: (_i, j) => j === floor,
    weight: 1e-5,
  });
};

/** A box of cells from `low` up to `high`, exclusive, whose material is the same everywhere or changes from cell to cell. */
export const boxSetup = (
  n: number,
  low: readonly number[],
  high: readonly number[],
  stiffness: (i: number, j: number, k: number) => number = () => 1,
): FemSetup => {
  const cells: number[] = [];
  for (let i = low[0]; i < high[0]; i++)
    for (let j = low[1]; j < high[1]; j++) for (let k = low[2]; k < high[2]; k++) cells.push(i, j, k);
  return withMaterial(n, Int32Array.from(cells), stiffness);
};

const withMaterial = (
  n: number,
  cells: Int32Array,
  stiffness: (i: number, j: number, k: number) => number,
  held?: { readonly fixed: (i: number, j: number, k: number) => boolean; readonly weight: number },
): FemSetup => {
  const { mu, lambda } = lame(1, 0.3);
  const setup = {
    n,
    lambda: new Float64Array(n ** 3),
    mu: new Float64Array(n ** 3),
    free: new Float64Array(n ** 3),
    load: new Float64Array(3 * n ** 3),
    tolerance: 1e-4,
    mostIterations: 2000,
  };
  for (let c = 0; c < cells.length; c += 3) {
    const [i, j, k] = cells.subarray(c, c + 3);
    const factor = stiffness(i, j, k);
    setup.lambda[(i * n + j) * n + k] = lambda * factor;
    setup.mu[(i * n + j) * n + k] = mu * factor;
    for (const [a, b, d] of CORNERS) {
      const node = ((i + a) * n + j + b) * n + k + d;
      if (held?.fixed(i + a, j + b, k + d)) continue;
      setup.free[node] = 1;
      setup.load[3 * node + 1] -= (held?.weight ?? 0) / 8;
    }
  }
  return setup;
};

/** The nodes of a cell relative to it. */
export const CORNERS: readonly (readonly [number, number, number])[] = [0, 1].flatMap((a) =>
  [0, 1].flatMap((b) => [0, 1].map((c): [number, number, number] => [a, b, c])),
);
