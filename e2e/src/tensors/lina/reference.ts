import type { Steps } from '../steps.js';
import { cellNeighbours } from './cells.js';
import type { CellsSetup } from './setup.js';

/**
 * The scheme of equations 17 to 21 in plain nested loops.
 *
 * @param only cells to take one step with, while all others are left behind; absent: all
 */
export const referenceCells = (
  { basis: { points, matrices }, waves, n, coefficients: { star, own, neighbour }, start }: CellsSetup,
  only: readonly number[] = Array.from({ length: n ** waves.dimensions }, (_, cell) => cell),
): Steps => {
  const [d, order, width] = [waves.dimensions, points.length, waves.quantities.length];
  const nodes = order ** d;
  const [weak, strong] = ['kDivM', 'kDivMT'].map((name) => matrices[name].values ?? new Float64Array());
  const lift = [0, 1].map((side) => matrices[`FDivM(${side})`].values ?? new Float64Array());
  const state = Float64Array.from(start);
  const integral = new Float64Array(start.length);
  const block = (all: Float64Array, cell: number): Float64Array =>
    all.subarray(cell * nodes * width, (cell + 1) * nodes * width);

  /** target += factor·K, along direction c, of source·A. */
  const chain = (target: Float64Array, factor: number, k: Float64Array, c: number, source: Float64Array): void => {
    const stride = order ** c;
    for (let p = 0; p < width; p++)
      for (let q = 0; q < width; q++) {
        const a = factor * star[c][q + width * p];
        if (a === 0) continue;
        for (let node = 0; node < nodes; node++) {
          const i = Math.floor(node / stride) % order;
          for (let l = 0; l < order; l++)
            target[p * nodes + node] += a * k[i + order * l] * source[q * nodes + node + (l - i) * stride];
        }
      }
  };
  /** target += FDivM of what `source` has on side `from`, times A, on side `to`. */
  const flux = (target: Float64Array, to: number, source: Float64Array, from: number, a: Float64Array): void => {
    const stride = order ** (to >> 1);
    for (let p = 0; p < width; p++)
      for (let q = 0; q < width; q++)
        for (let node = 0; node < nodes; node++) {
          const i = Math.floor(node / stride) % order;
          const end = from & 1 ? order - 1 : 0;
          target[p * nodes + node] +=
            lift[to & 1][i] * source[q * nodes + node + (end - i) * stride] * a[q + width * p];
        }
  };
  return {
    coefficients: () => state,
    step: (dt) => {
      for (const cell of new Set(only.flatMap((c) => [c, ...cellNeighbours(d, n, c)]))) {
        let current = block(state, cell);
        const sum = block(integral, cell).fill(0);
        for (let k = 0, scale = dt; k < order; k++, scale *= dt / (k + 1)) {
          current.forEach((x, i) => (sum[i] += scale * x));
          const next = new Float64Array(nodes * width);
          for (let c = 0; c < d; c++) chain(next, -1, strong, c, current);
          current = next;
        }
      }
      for (const cell of only) {
        const [target, mine] = [block(state, cell), block(integral, cell)];
        for (let c = 0; c < d; c++) chain(target, 1, weak, c, mine);
        cellNeighbours(d, n, cell).forEach((other, side) => {
          flux(target, side, mine, side, own[side]);
          flux(target, side, block(integral, other), side ^ 1, neighbour[side]);
        });
      }
    },
    close: () => undefined,
  };
};
