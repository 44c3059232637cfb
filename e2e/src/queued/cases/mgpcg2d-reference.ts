/** The disk of `mgpcg2d`. */
export interface DiskConstants {
  /** Cells along a side of the square around it, and of a block. */
  readonly n: number;
  readonly block: number;
}

export const LEVELS = 4;

/** Sweeps of both colours on each level, before the coarser one and after it. */
export const SWEEPS = [2, 2, 2, 20];

/** The solution after so many steps of conjugate gradients, over dense arrays of doubles with a flag a cell. */
export const diskPoisson = ({ n, block }: DiskConstants, steps: number): Float64Array => {
  const b = new Float64Array(n * n);
  const touched: boolean[] = new Array<boolean>(n * n).fill(false);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      if ((i + 0.5 - n / 2) ** 2 + (j + 0.5 - n / 2) ** 2 < (0.4 * n) ** 2) {
        b[i * n + j] = Math.sin(i / 9) * Math.cos(j / 7);
        touched[i * n + j] = true;
      }
  const levels: Level[] = [levelOf(n, block, touched)];
  while (levels.length < LEVELS) levels.push(coarser(levels[levels.length - 1], block));
  const [finest] = levels;
  const x = new Float64Array(n * n);
  const r = b.slice();
  let p = precondition(levels, 0, r);
  let zr = dot(p, r);
  for (let s = 0; s < steps; s++) {
    const q = residual(finest, p, new Float64Array(n * n)).map((v) => -v);
    const alpha = zr / dot(p, q);
    for (let at = 0; at < x.length; at++) {
      x[at] += alpha * p[at];
      r[at] -= alpha * q[at];
    }
    const z = precondition(levels, 0, r);
    const next = dot(z, r);
    p = z.map((v, at) => v + (next / zr) * p[at]);
    zr = next;
  }
  return x;
};

interface Level {
  readonly n: number;
  /** The cells of all blocks that are there. */
  readonly cells: readonly number[];
}

const levelOf = (n: number, block: number, touched: readonly boolean[]): Level => {
  const blockOf = (at: number): number => Math.floor(at / n / block) * n + Math.floor((at % n) / block);
  const blocks = new Set([...touched.keys()].filter((at) => touched[at]).map(blockOf));
  return { n, cells: [...touched.keys()].filter((at) => blocks.has(blockOf(at))) };
};

const half = (n: number, at: number): number => Math.floor(at / n / 2) * (n / 2) + Math.floor((at % n) / 2);

const coarser = ({ n, cells }: Level, block: number): Level => {
  const touched = new Array<boolean>((n / 2) ** 2).fill(false);
  for (const at of cells) touched[half(n, at)] = true;
  return levelOf(n / 2, block, touched);
};

const around = (n: number, u: Float64Array, at: number): number => {
  const j = at % n;
  return (u[at - n] ?? 0) + (u[at + n] ?? 0) + (j > 0 ? u[at - 1] : 0) + (j < n - 1 ? u[at + 1] : 0);
};

const residual = ({ n, cells }: Level, z: Float64Array, r: Float64Array): Float64Array => {
  const left = new Float64Array(n * n);
  for (const at of cells) left[at] = r[at] - 4 * z[at] + around(n, z, at);
  return left;
};

/** A V-cycle of Gauss-Seidel sweeps in two colours. */
const precondition = (levels: readonly Level[], l: number, r: Float64Array): Float64Array => {
  const { n, cells } = levels[l];
  const z = new Float64Array(n * n);
  const sweep = (colours: readonly number[]): void => {
    for (let s = 0; s < SWEEPS[l]; s++)
      for (const colour of colours)
        for (const at of cells)
          if ((Math.floor(at / n) + (at % n)) % 2 === colour) z[at] = (r[at] + around(n, z, at)) / 4;
  };
  sweep([0, 1]);
  if (l + 1 < levels.length) {
    const left = residual(levels[l], z, r);
    const coarse = new Float64Array((n / 2) ** 2);
    for (const at of cells) coarse[half(n, at)] += left[at] / 2;
    const correction = precondition(levels, l + 1, coarse);
    for (const at of cells) z[at] += correction[half(n, at)];
  }
  sweep([1, 0]);
  return z;
};

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, at) => sum + v * b[at], 0);
