import { cross, dot, upwind, type Waves } from '../waves.js';
import { SIDE_CORNERS, type PeriodicTets } from './periodic-tets.js';

/** What the kernels take of each element. Matrices are transposed, entry (q, p) at q + P·p, so that no product transposes (§5.1.4). */
export interface TetElements {
  /** A* of element e in direction c at (3e + c)·P². */
  readonly star: Float64Array;
  /** A⁺ of side s of element e, with the scale of the side, at (4e + s)·P². */
  readonly own: Float64Array;
  /** A⁻ in the same way. */
  readonly neighbour: Float64Array;
  /** The steps in time that are stable are below a few times this: the least inradius by the speed. */
  readonly inradiusTime: number;
}

/** Coefficients of a mesh: the Jacobians in reference coordinates, and the solutions of the Riemann problem on the sides. */
export const tetElements = ({ size, corners }: PeriodicTets, waves: Waves): TetElements => {
  const square = waves.quantities.length ** 2;
  const star = new Float64Array(3 * size * square);
  const own = new Float64Array(4 * size * square);
  const neighbour = new Float64Array(4 * size * square);
  let inradius = Infinity;
  for (let e = 0; e < size; e++) {
    const vertex = (c: number): number[] => [...corners.subarray(3 * (4 * e + c), 3 * (4 * e + c) + 3)];
    const edges = [1, 2, 3].map((c) => minus(vertex(c), vertex(0)));
    const determinant = dot(edges[0], cross(edges[1], edges[2]));
    // ∂ξ_c/∂x is normal to the two other edges; A* = Σ_d A_d ∂ξ_c/∂x_d.
    for (let c = 0; c < 3; c++) {
      const gradient = cross(edges[(c + 1) % 3], edges[(c + 2) % 3]).map((x) => x / determinant);
      star.set(waves.along(gradient), (3 * e + c) * square);
    }
    let surface = 0;
    for (let side = 0; side < 4; side++) {
      const [a, b, c] = SIDE_CORNERS[side].map(vertex);
      const area = cross(minus(b, a), minus(c, a));
      const twice = Math.hypot(...area);
      surface += twice / 2;
      const { out, into } = upwind(
        waves,
        area.map((x) => x / twice),
      );
      // Integrals over the reference triangle become those over the side by 2|S|, and the mass matrix has |J|.
      own.set(
        out.map((x) => (-x * twice) / determinant),
        (4 * e + side) * square,
      );
      neighbour.set(
        into.map((x) => (-x * twice) / determinant),
        (4 * e + side) * square,
      );
    }
    inradius = Math.min(inradius, determinant / 2 / surface);
  }
  return { star, own, neighbour, inradiusTime: inradius / waves.speed };
};

const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((x, i) => x - b[i]);
