import type { Steps } from '../steps.js';
import type { Waves } from '../waves.js';
import { cellNeighbours, type CellCoefficients } from './cells.js';
import type { NodalBasis } from './nodal-matrices.js';

/** The scheme of equations 17 to 21 in plain nested loops, for a periodic square or cube of n cells a side. */
export const referenceCells = (
  { points, matrices }: NodalBasis,
  waves: Waves,
  n: number,
  { star, own, neighbour }: CellCoefficients,
  start: Float64Array,
): Steps => {
  const [d, order, width] = [waves.dimensions, points.length, waves.quantities.length];
  const [cells, nodes] = [n ** d, order ** d];
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
      for (let cell = 0; cell < cells; cell++) {
        let current = block(state, cell);
        const sum = block(integral, cell).fill(0);
        for (let k = 0, scale = dt; k < order; k++, scale *= dt / (k + 1)) {
          current.forEach((x, i) => (sum[i] += scale * x));
          const next = new Float64Array(nodes * width);
          for (let c = 0; c < d; c++) chain(next, -1, strong, c, current);
          current = next;
        }
      }
      for (let cell = 0; cell < cells; cell++) {
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
