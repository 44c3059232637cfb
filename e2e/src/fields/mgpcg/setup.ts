/**
 * Poisson's equation on a cube of n³ cells: 6 u(c) − Σ u(neighbours of c) = b(c), u = 0 outside the domain. The solver is
 * conjugate gradients with a V-cycle as preconditioner (thesis §2.6.3, after McAdams et al. 2010):
 *
 * - level l has n / 2ˡ cells a side; all levels use the same stencil;
 * - smoothing is Gauss-Seidel, red cells (i + j + k even) first, black first after the coarser level;
 * - the coarse right-hand side is half the sum of the residuals of 2 × 2 × 2 cells, the coarse solution is added to them;
 * - the coarsest level is smoothed `bottom` times forwards, and backwards again.
 */
export interface PoissonSetup {
  readonly n: number;
  readonly levels: number;
  /** Sweeps before, and after, the coarser level. */
  readonly smooth: number;
  readonly bottom: number;
  /** Blocks of 8 × 8 × 8 cells that make up the domain: coordinates i, j, k of each. */
  readonly blocks: Int32Array;
  /** Right-hand side, i n² + j n + k; zero outside the domain. */
  readonly b: Float64Array;
  /** The iteration stops when the norm of the residual has fallen by this factor. */
  readonly tolerance: number;
  readonly mostIterations: number;
}

/** What a solver found. */
export interface PoissonResult {
  readonly x: Float64Array;
  /** Norms of the residual at the start and after each iteration. */
  readonly norms: readonly number[];
}

/** An implementation of the solver. */
export interface PoissonSolver {
  solve(): PoissonResult | Promise<PoissonResult>;
  /** `count` steps of the plain iteration x ← x + V (b − A x) from x = 0, V one V-cycle. */
  iterate(count: number): Float64Array | Promise<Float64Array>;
}

export type MakePoisson = (setup: PoissonSetup) => PoissonSolver | Promise<PoissonSolver>;

export interface PoissonOptions {
  /** Cells along each axis: a multiple of 8, also when divided by 2^(levels − 1). Default 64. */
  readonly n?: number;
  /** Default: as many as leave 8 cells a side or more, at most 5. */
  readonly levels?: number;
  /** The whole cube, or the blocks that touch a ball in it. */
  readonly domain?: 'cube' | 'ball';
  /** Right-hand side as a function of cell centres in [0, 1)³; that of the thesis if absent. */
  readonly rhs?: (x: number, y: number, z: number) => number;
  readonly tolerance?: number;
}

/** The system of the thesis: sin 2πx · cos 2πy · sin 2πz on the right, residual reduced by 10⁶. */
export const poissonSetup = (options: PoissonOptions = {}): PoissonSetup => {
  const { n = 64, domain = 'cube', tolerance = 1e-6 } = options;
  const rhs =
    options.rhs ??
    ((x: number, y: number, z: number): number =>
      Math.sin(2 * Math.PI * x) * Math.cos(2 * Math.PI * y) * Math.sin(2 * Math.PI * z));
  const blocks = blocksOf(n / BLOCK, domain);
  const b = new Float64Array(n ** 3);
  for (let at = 0; at < blocks.length; at += 3)
    for (let cell = 0; cell < BLOCK ** 3; cell++) {
      const [i, j, k] = [Math.floor(cell / BLOCK ** 2), Math.floor(cell / BLOCK) % BLOCK, cell % BLOCK].map(
        (c, axis) => BLOCK * blocks[at + axis] + c,
      );
      b[(i * n + j) * n + k] = rhs((i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n);
    }
  const possible = 1 + [2, 4, 8, 16].filter((f) => n % (f * BLOCK) === 0).length;
  return { n, levels: options.levels ?? possible, smooth: 2, bottom: 20, blocks, b, tolerance, mostIterations: 100 };
};

/**
 * An exact solution of the discrete equation on the cube: products of sin(π m (i + 1) / (n + 1)), which vanish one cell
 * outside, are eigenvectors of the stencil. The sum of a few.
 */
export const eigenProblem = (n: number): { readonly setup: PoissonSetup; readonly solution: Float64Array } => {
  const solution = new Float64Array(n ** 3);
  const b = new Float64Array(n ** 3);
  for (const modes of [1, 2, 3].map((m) => [m, 5 * m - 4, 1 + ((7 * m) % 11)])) {
    const wave = (axis: number, c: number): number => Math.sin((Math.PI * modes[axis] * (c + 1)) / (n + 1));
    const eigenvalue = modes.reduce((sum, m) => sum + 2 - 2 * Math.cos((Math.PI * m) / (n + 1)), 0);
    for (let c = 0; c < b.length; c++) {
      const u = wave(0, Math.floor(c / n ** 2)) * wave(1, Math.floor(c / n) % n) * wave(2, c % n);
      solution[c] += u;
      b[c] += eigenvalue * u;
    }
  }
  return { setup: { ...poissonSetup({ n }), b }, solution };
};

/** Cells along a side of the blocks that a domain is made of. */
export const BLOCK = 8;

const blocksOf = (side: number, domain: 'cube' | 'ball'): Int32Array => {
  const list: number[] = [];
  for (let i = 0; i < side; i++)
    for (let j = 0; j < side; j++)
      for (let k = 0; k < side; k++) {
        // Distance from the centre to the nearest point of the block, in blocks.
        const gaps = [i, j, k].map((c) => Math.max(c - side / 2, side / 2 - c - 1, 0));
        if (domain === 'cube' || Math.hypot(...gaps) < side / 2) list.push(i, j, k);
      }
  return Int32Array.from(list);
};
