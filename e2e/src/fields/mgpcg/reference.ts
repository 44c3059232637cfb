import { BLOCK, type PoissonSetup, type PoissonSolver } from './setup.js';

/** The solver over dense arrays with a flag a cell, in double precision; the operations one after the other. */
export const referencePoisson = (setup: PoissonSetup): PoissonSolver => {
  const levels = levelsOf(setup);
  const A = (u: Float64Array): Float64Array => {
    const { n, inside } = levels[0];
    return u.map((c, at) => (inside[at] ? 6 * c - around(u, n, at) : 0));
  };
  return {
    solve: () => {
      const x = new Float64Array(setup.b.length);
      const r = setup.b.slice();
      let p = new Float64Array(x.length);
      let rho = 0;
      const norms = [Math.sqrt(dot(r, r))];
      while (norms[norms.length - 1] > setup.tolerance * norms[0] && norms.length <= setup.mostIterations) {
        const z = vCycle(setup, levels, 0, r);
        const before = rho;
        rho = dot(z, r);
        const beta = norms.length === 1 ? 0 : rho / before;
        p = p.map((value, at) => z[at] + beta * value);
        const q = A(p);
        const alpha = rho / dot(p, q);
        for (let at = 0; at < x.length; at++) {
          x[at] += alpha * p[at];
          r[at] -= alpha * q[at];
        }
        norms.push(Math.sqrt(dot(r, r)));
      }
      return { x, norms };
    },
    iterate: (count) => {
      let x = new Float64Array(setup.b.length);
      for (let s = 0; s < count; s++) {
        const Ax = A(x);
        const z = vCycle(
          setup,
          levels,
          0,
          setup.b.map((b, at) => b - Ax[at]),
        );
        x = x.map((value, at) => value + z[at]);
      }
      return x;
    },
  };
};

/** Norm of b − A x. */
export const residualNorm = (setup: PoissonSetup, x: Float64Array): number => {
  const [{ n, inside }] = levelsOf(setup);
  let sum = 0;
  for (let at = 0; at < x.length; at++) if (inside[at]) sum += (setup.b[at] - 6 * x[at] + around(x, n, at)) ** 2;
  return Math.sqrt(sum);
};

interface Level {
  readonly n: number;
  readonly inside: Uint8Array;
}

/** The domain of a level is made of the blocks in which a block of the level above lies. */
const levelsOf = ({ n, levels, blocks }: PoissonSetup): readonly Level[] =>
  Array.from({ length: levels }, (_, l) => {
    const side = n / 2 ** l;
    const inside = new Uint8Array(side ** 3);
    for (let at = 0; at < blocks.length; at += 3) {
      const [bi, bj, bk] = [...blocks.subarray(at, at + 3)].map((c) => BLOCK * Math.floor(c / 2 ** l));
      for (let i = bi; i < bi + BLOCK; i++)
        for (let j = bj; j < bj + BLOCK; j++)
          inside.fill(1, (i * side + j) * side + bk, (i * side + j) * side + bk + BLOCK);
    }
    return { n: side, inside };
  });

const vCycle = (setup: PoissonSetup, levels: readonly Level[], l: number, r: Float64Array): Float64Array => {
  const { n, inside } = levels[l];
  const z = new Float64Array(r.length);
  const half = (colour: number): void => {
    for (let at = 0; at < z.length; at++)
      if (inside[at] && (Math.floor(at / n ** 2) + (Math.floor(at / n) % n) + (at % n)) % 2 === colour)
        z[at] = (r[at] + around(z, n, at)) / 6;
  };
  const coarsest = l + 1 === levels.length;
  const sweeps = coarsest ? setup.bottom : setup.smooth;
  for (let s = 0; s < sweeps; s++) [0, 1].forEach(half);
  if (!coarsest) {
    const m = n / 2;
    const parent = (at: number): number =>
      (Math.floor(at / n ** 2 / 2) * m + Math.floor((Math.floor(at / n) % n) / 2)) * m + Math.floor((at % n) / 2);
    const coarse = new Float64Array(m ** 3);
    for (let at = 0; at < z.length; at++)
      if (inside[at]) coarse[parent(at)] += 0.5 * (r[at] - 6 * z[at] + around(z, n, at));
    const e = vCycle(setup, levels, l + 1, coarse);
    for (let at = 0; at < z.length; at++) if (inside[at]) z[at] += e[parent(at)];
  }
  // Backwards: at the coarsest level the black cells have just been done, and are right already.
  for (let s = 0; s < sweeps; s++) [1, 0].forEach(half);
  return z;
};

/** Sum of the six neighbours; cells outside the domain are never written and stay zero. */
const around = (u: Float64Array, n: number, at: number): number => {
  const [i, j, k] = [Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n];
  return (
    (i > 0 ? u[at - n * n] : 0) +
    (i < n - 1 ? u[at + n * n] : 0) +
    (j > 0 ? u[at - n] : 0) +
    (j < n - 1 ? u[at + n] : 0) +
    (k > 0 ? u[at - 1] : 0) +
    (k < n - 1 ? u[at + 1] : 0)
  );
};

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, at) => sum + x * b[at], 0);
