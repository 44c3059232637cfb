import { gaussLegendre } from '../quadrature.js';
import { upwind, type Solution, type Waves } from '../waves.js';
import type { NodalBasis } from './nodal-matrices.js';

/** What the kernels take; it is the same for all cells. Matrices are transposed: entry (q, p) at q + P·p. */
export interface CellCoefficients {
  /** A* by direction. */
  readonly star: readonly Float64Array[];
  /** A⁺ and A⁻ of the side at end σ of direction d, at 2d + σ, with the scale of the side. */
  readonly own: readonly Float64Array[];
  readonly neighbour: readonly Float64Array[];
}

/** For cells of a unit square or cube, n a side. */
export const cellCoefficients = (waves: Waves, n: number): CellCoefficients => {
  const unit = (d: number, x: number): number[] =>
    Array.from({ length: waves.dimensions }, (_, k) => (k === d ? x : 0));
  const directions = Array.from({ length: waves.dimensions }, (_, d) => d);
  const sides = directions.flatMap((d) => [upwind(waves, unit(d, -1)), upwind(waves, unit(d, 1))]);
  return {
    star: directions.map((d) => waves.along(unit(d, n))),
    own: sides.map(({ out }) => out.map((x) => -n * x)),
    neighbour: sides.map(({ into }) => into.map((x) => -n * x)),
  };
};

/** The cell at end σ of direction d of a cell, at 2d + σ, around the period. */
export const cellNeighbours = (dimensions: number, n: number, cell: number): number[] =>
  Array.from({ length: 2 * dimensions }, (_, side) => {
    const stride = n ** (side >> 1);
    const at = Math.floor(cell / stride) % n;
    return cell + (((at + (side & 1 ? 1 : n - 1)) % n) - at) * stride;
  });

/** Values at the points of all cells: entry (x, y, z, p) of a cell, the first fastest, from cell·N^d·P on. */
export const nodalValues = (
  { points }: NodalBasis,
  waves: Waves,
  n: number,
  solution: Solution,
  t: number,
): Float64Array => {
  const [d, order, width] = [waves.dimensions, points.length, waves.quantities.length];
  const [cells, nodes] = [n ** d, order ** d];
  const values = new Float64Array(cells * nodes * width);
  const state = new Float64Array(width);
  for (let cell = 0; cell < cells; cell++)
    for (let node = 0; node < nodes; node++) {
      const x = placeOf(
        d,
        n,
        cell,
        digits(node, order, d).map((i) => points[i]),
      );
      solution(x, t, state);
      for (let p = 0; p < width; p++) values[(cell * width + p) * nodes + node] = state[p];
    }
  return values;
};

/** The L2 norm of the difference from a solution over that of the solution. */
export const nodalError = (
  { points, at }: NodalBasis,
  waves: Waves,
  n: number,
  values: ArrayLike<number>,
  solution: Solution,
  t: number,
): number => {
  const [d, order, width] = [waves.dimensions, points.length, waves.quantities.length];
  const nodes = order ** d;
  const line = gaussLegendre(order + 1);
  const functions = line.points.map(at);
  const state = new Float64Array(width);
  let [wrong, all] = [0, 0];
  for (let cell = 0; cell < n ** d; cell++)
    for (let q = 0; q < (order + 1) ** d; q++) {
      const index = digits(q, order + 1, d);
      const weight = index.reduce((product, i) => product * line.weights[i], 1);
      solution(
        placeOf(
          d,
          n,
          cell,
          index.map((i) => line.points[i]),
        ),
        t,
        state,
      );
      for (let p = 0; p < width; p++) {
        let found = 0;
        for (let node = 0; node < nodes; node++) {
          let product = values[(cell * width + p) * nodes + node];
          for (let k = 0, rest = node; k < d; k++, rest = Math.floor(rest / order))
            product *= functions[index[k]][rest % order];
          found += product;
        }
        wrong += weight * (found - state[p]) ** 2;
        all += weight * state[p] ** 2;
      }
    }
  return Math.sqrt(wrong / all);
};

const placeOf = (d: number, n: number, cell: number, within: readonly number[]): number[] =>
  digits(cell, n, d).map((c, k) => (c + within[k]) / n);

const digits = (at: number, base: number, count: number): number[] =>
  Array.from({ length: count }, (_, k) => Math.floor(at / base ** k) % base);
