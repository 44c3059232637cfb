import { gaussLegendre } from '../quadrature.js';
import type { Solution } from '../waves.js';
import { dubinerBasis } from './dubiner.js';
import type { PeriodicTets } from './periodic-tets.js';
import { evaluator, linear } from './polynomial.js';

/** Between functions of space and coefficients of the basis: entry (k, p) of element e lies at e·B·P + p·B + k. */
export interface Modes {
  /** Functions a quantity, B. */
  readonly size: number;
  /** The best approximation of a solution at a time. */
  readonly project: (solution: Solution, t: number) => Float64Array;
  /** The L2 norm of the difference from a solution over that of the solution. */
  readonly error: (coefficients: ArrayLike<number>, solution: Solution, t: number) => number;
  /** The value of a quantity at a point of the reference tetrahedron of an element. */
  readonly at: (coefficients: ArrayLike<number>, element: number, quantity: number, point: readonly number[]) => number;
}

/** Dubiner's basis of an order on a mesh, for `quantities` quantities. */
export const tetModes = (order: number, { size: elements, corners }: PeriodicTets, quantities: number): Modes => {
  const basis = dubinerBasis(order, [linear(0, 1), linear(0, 0, 1), linear(0, 0, 0, 1)]);
  const size = basis.length;
  // Two points more than the basis needs, for what is no polynomial.
  const { points, weights } = tetQuadrature(order + 2);
  const functions = evaluator(basis);
  const values = points.map(functions);
  const mass = basis.map((_, k) => values.reduce((sum, v, i) => sum + weights[i] * v[k] ** 2, 0));
  const place = (e: number, x: readonly number[]): number[] =>
    [0, 1, 2].map((d) => {
      const corner = (c: number): number => corners[3 * (4 * e + c) + d];
      return corner(0) + [1, 2, 3].reduce((sum, c) => sum + x[c - 1] * (corner(c) - corner(0)), 0);
    });
  const volume = (e: number): number => {
    const [a, b, c] = [1, 2, 3].map((k) => [0, 1, 2].map((d) => corners[3 * (4 * e + k) + d] - corners[3 * 4 * e + d]));
    return Math.abs(
      a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]),
    );
  };
  const state = new Float64Array(quantities);
  return {
    size,
    project: (solution, t) => {
      const coefficients = new Float64Array(elements * size * quantities);
      for (let e = 0; e < elements; e++)
        points.forEach((x, i) => {
          solution(place(e, x), t, state);
          for (let p = 0; p < quantities; p++)
            for (let k = 0; k < size; k++)
              coefficients[(e * quantities + p) * size + k] += (weights[i] * state[p] * values[i][k]) / mass[k];
        });
      return coefficients;
    },
    error: (coefficients, solution, t) => {
      let [wrong, all] = [0, 0];
      for (let e = 0; e < elements; e++) {
        const scale = volume(e);
        points.forEach((x, i) => {
          solution(place(e, x), t, state);
          for (let p = 0; p < quantities; p++) {
            let found = 0;
            for (let k = 0; k < size; k++) found += coefficients[(e * quantities + p) * size + k] * values[i][k];
            wrong += scale * weights[i] * (found - state[p]) ** 2;
            all += scale * weights[i] * state[p] ** 2;
          }
        });
      }
      return Math.sqrt(wrong / all);
    },
    at: (coefficients, element, quantity, point) =>
      functions(point).reduce((sum, f, k) => sum + coefficients[(element * quantities + quantity) * size + k] * f, 0),
  };
};

/** n³ points of the reference tetrahedron, exact up to degree 2n − 3: Gauss points of a cube that collapses onto it. */
const tetQuadrature = (n: number): { readonly points: number[][]; readonly weights: number[] } => {
  const line = gaussLegendre(n);
  const points: number[][] = [];
  const weights: number[] = [];
  line.points.forEach((c, k) =>
    line.points.forEach((b, j) =>
      line.points.forEach((a, i) => {
        points.push([a * (1 - b) * (1 - c), b * (1 - c), c]);
        weights.push(line.weights[i] * line.weights[j] * line.weights[k] * (1 - b) * (1 - c) ** 2);
      }),
    ),
  );
  return { points, weights };
};
