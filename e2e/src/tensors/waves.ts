import type { BooleanTensor } from '@filigree/sparse/eqspp';

/** Linear waves, q_t + A q_x + B q_y (+ C q_z) = 0, in a material that is the same everywhere (eq. 2). */
export interface Waves {
  readonly dimensions: 2 | 3;
  readonly quantities: readonly string[];
  /** A·n: entry (p, q) of the matrix for direction `n` at p·P + q. */
  readonly along: (n: readonly number[]) => Float64Array;
  /** The same with the absolute values of its eigenvalues; `n` has length 1. */
  readonly absoluteAlong: (n: readonly number[]) => Float64Array;
  /** The fastest speed. */
  readonly speed: number;
  /** Waves of all speeds in direction `n` of length 1: q(x, t) = Σ r·sin(k·x − speed·|k|·t) for k along n. */
  readonly planes: (n: readonly number[]) => readonly { readonly speed: number; readonly state: readonly number[] }[];
}

/** Elastic waves: stresses xx, yy, zz, xy, yz, xz and velocities, as SeisSol orders them. */
export const elasticWaves = ({ lambda, mu, rho }: { lambda: number; mu: number; rho: number }): Waves => {
  const fast = Math.sqrt((lambda + 2 * mu) / rho);
  const slow = Math.sqrt(mu / rho);
  const along = (n: readonly number[]): Float64Array => {
    const a = new Float64Array(81);
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++) {
        // ∂σ_ij/∂t = λ δ_ij div v + μ (∂v_i/∂x_j + ∂v_j/∂x_i), ρ ∂v_i/∂t = Σ_j ∂σ_ij/∂x_j.
        a[(6 + i) * 9 + STRESS[i][j]] -= n[j] / rho;
        a[i * 9 + 6 + j] -= lambda * n[j];
        if (i <= j) {
          a[STRESS[i][j] * 9 + 6 + i] -= mu * n[j];
          a[STRESS[i][j] * 9 + 6 + j] -= mu * n[i];
        }
      }
    return a;
  };
  // |A| = a A² + b A⁴, as that is right for each eigenvalue: 0, ±slow, ±fast.
  const b = -1 / (fast * slow * (fast + slow));
  const a = 1 / fast - b * fast * fast;
  const hooke = (speed: number, n: readonly number[], v: readonly number[]): number[] => {
    const stress = (i: number, j: number): number =>
      -((i === j ? lambda * dot(n, v) : 0) + mu * (n[i] * v[j] + n[j] * v[i])) / speed;
    return [stress(0, 0), stress(1, 1), stress(2, 2), stress(0, 1), stress(1, 2), stress(0, 2), ...v];
  };
  return {
    dimensions: 3,
    quantities: ['σxx', 'σyy', 'σzz', 'σxy', 'σyz', 'σxz', 'u', 'v', 'w'],
    along,
    absoluteAlong: (n) => {
      const square = product(along(n), along(n), 9);
      const fourth = product(square, square, 9);
      return square.map((x, i) => a * x + b * fourth[i]);
    },
    speed: fast,
    planes: (n) => {
      const across = normalised(cross(n, Math.abs(n[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]));
      return [
        { speed: fast, state: hooke(fast, n, n) },
        { speed: slow, state: hooke(slow, n, across) },
        { speed: -slow, state: hooke(-slow, n, cross(n, across)) },
      ];
    },
  };
};

/** Sound: pressure and velocities (§5.2). */
export const acousticWaves = (dimensions: 2 | 3, { bulk, rho }: { bulk: number; rho: number }): Waves => {
  const [size, speed] = [dimensions + 1, Math.sqrt(bulk / rho)];
  const along = (n: readonly number[]): Float64Array => {
    const a = new Float64Array(size * size);
    for (let d = 0; d < dimensions; d++) {
      a[1 + d] = bulk * n[d];
      a[(1 + d) * size] = n[d] / rho;
    }
    return a;
  };
  return {
    dimensions,
    quantities: ['p', 'u', 'v', 'w'].slice(0, size),
    along,
    // The eigenvalues are 0 and ±speed, thus |A| = A²/speed.
    absoluteAlong: (n) => product(along(n), along(n), size).map((x) => x / speed),
    speed,
    planes: (n) => [{ speed, state: [bulk / speed, ...n] }],
  };
};

/** States at a point and a time. */
export type Solution = (x: readonly number[], t: number, q: Float64Array) => void;

/** The superposition of the plane waves of all speeds with wave vector `k`. */
export const planeWave = (waves: Waves, k: readonly number[]): Solution => {
  const length = Math.hypot(...k);
  const planes = waves.planes(k.map((x) => x / length));
  return (x, t, q) => {
    q.fill(0);
    for (const { speed, state } of planes) {
      const wave = Math.sin(dot(k, x) - speed * length * t);
      for (let p = 0; p < q.length; p++) q[p] += wave * state[p];
    }
  };
};

/** What of A·n goes out of a face with outward normal `n`, and what comes in (the Riemann problem of one material). */
export const upwind = (
  waves: Waves,
  n: readonly number[],
): { readonly out: Float64Array; readonly into: Float64Array } => {
  const [matrix, absolute] = [waves.along(n), waves.absoluteAlong(n)];
  return { out: matrix.map((x, i) => (x + absolute[i]) / 2), into: matrix.map((x, i) => (x - absolute[i]) / 2) };
};

/** Which entries of a transposed Jacobian may be non-zero in any direction. */
export const starPattern = (waves: Waves): BooleanTensor => {
  const size = waves.quantities.length;
  const units = Array.from({ length: waves.dimensions }, (_, d) =>
    waves.along(Array.from({ length: waves.dimensions }, (_, k) => (k === d ? 1 : 0))),
  );
  return {
    shape: [size, size],
    bits: Uint8Array.from({ length: size * size }, (_, i) => (units.some((a) => a[i] !== 0) ? 1 : 0)),
  };
};

const STRESS = [
  [0, 3, 5],
  [3, 1, 4],
  [5, 4, 2],
];

const product = (a: Float64Array, b: Float64Array, n: number): Float64Array => {
  const c = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) for (let j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
};

export const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((s, x, i) => s + x * b[i], 0);

export const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const normalised = (a: readonly number[]): number[] => a.map((x) => x / Math.hypot(...a));
