import { randomNumbers } from '../../meshes/random.js';

/** A conforming mesh of tetrahedra without a boundary. Corners of an element are in positive orientation. */
export interface PeriodicTets {
  readonly size: number;
  /** Coordinates of corner c of element e at 3(4e + c). */
  readonly corners: Float64Array;
  /** The element at side s of element e, at 4e + s; sides are those of `SIDE_CORNERS`. */
  readonly neighbours: Int32Array;
  /** Which side of the neighbour that is. */
  readonly sides: Int32Array;
  /** Which corner of the neighbour's side is the first of ours. */
  readonly turns: Int32Array;
}

/** The corners of the four sides, counterclockwise from outside. */
export const SIDE_CORNERS = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
] as const;

/**
 * The unit cube, periodic, cut into n³ cubes of six tetrahedra each about the diagonal (Kuhn). Corners of each are numbered at random,
 * so that sides meet in all twelve ways, and the vertices are moved a little, so that elements differ.
 *
 * @param jitter how far, in cubes
 */
export const periodicTets = (
  n: number,
  { seed = 1, jitter = 0.1 }: { seed?: number; jitter?: number } = {},
): PeriodicTets => {
  const random = randomNumbers(seed);
  const moved = Float64Array.from({ length: 3 * n ** 3 }, () => jitter * (2 * random() - 1));
  const size = 6 * n ** 3;
  const corners = new Float64Array(12 * size);
  const lattice = new Int32Array(12 * size);
  let element = 0;
  for (let z = 0; z < n; z++)
    for (let y = 0; y < n; y++)
      for (let x = 0; x < n; x++)
        for (const path of PATHS) {
          const order = EVEN[Math.floor(random() * EVEN.length)];
          order.forEach((from, to) => {
            const at = [x, y, z].map((c, d) => c + path[from][d]);
            const vertex = at.reduceRight((sum, c) => sum * n + (c % n), 0);
            for (let d = 0; d < 3; d++) {
              const place = 3 * (4 * element + to) + d;
              lattice[place] = at[d];
              corners[place] = (at[d] + moved[3 * vertex + d]) / n;
            }
          });
          element++;
        }
  return { size, corners, ...adjacency(size, lattice, n) };
};

/** Sides meet where their centres do, up to periods: in a small mesh several sides may have the same three vertices. */
const adjacency = (size: number, lattice: Int32Array, n: number): Omit<PeriodicTets, 'size' | 'corners'> => {
  const [neighbours, sides, turns] = [0, 1, 2].map(() => new Int32Array(4 * size));
  const cornerOf = (element: number, side: number, k: number, d: number): number =>
    lattice[3 * (4 * element + SIDE_CORNERS[side][k]) + d];
  const centre = (element: number, side: number): number[] =>
    [0, 1, 2].map((d) => [0, 1, 2].reduce((sum, k) => sum + cornerOf(element, side, k, d), 0));
  const seen = new Map<string, number>();
  const link = (here: number, there: number): void => {
    const [element, side, other, otherSide] = [here >> 2, here & 3, there >> 2, there & 3];
    const [from, to] = [centre(element, side), centre(other, otherSide)];
    neighbours[here] = other;
    sides[here] = otherSide;
    turns[here] = [0, 1, 2].findIndex((k) =>
      [0, 1, 2].every(
        (d) => 3 * (cornerOf(element, side, 0, d) - cornerOf(other, otherSide, k, d)) === from[d] - to[d],
      ),
    );
  };
  for (let here = 0; here < 4 * size; here++) {
    const key = centre(here >> 2, here & 3)
      .map((c) => c % (3 * n))
      .join();
    const there = seen.get(key);
    if (there === undefined) {
      seen.set(key, here);
      continue;
    }
    link(here, there);
    link(there, here);
  }
  return { neighbours, sides, turns };
};

/** For each of the six orders of the axes the corners on the way from 0 to (1, 1, 1), in positive orientation. */
const PATHS = (
  [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
  ] as const
).map((axes, k) => {
  const path = [[0, 0, 0]];
  for (const axis of axes) path.push(path[path.length - 1].map((c, d) => (d === axis ? 1 : c)));
  return k < 3 ? path : [path[0], path[2], path[1], path[3]];
});

/** The even permutations of four corners, which keep the orientation. */
const EVEN = [0, 1, 2, 3].flatMap((a) =>
  [0, 1, 2, 3].flatMap((b) =>
    [0, 1, 2, 3].flatMap((c) => {
      const p = [a, b, c, 6 - a - b - c];
      if (new Set(p).size < 4) return [];
      const inversions = p.flatMap((x, i) => p.slice(i + 1).filter((y) => y < x)).length;
      return inversions % 2 === 0 ? [p] : [];
    }),
  ),
);
