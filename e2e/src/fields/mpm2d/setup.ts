import { randomNumbers } from '../../meshes/index.js';
import { atRest, lame, type MpmSetup } from '../mpm/mpm.js';

export interface Mpm2dOptions {
  /** Grid nodes along each axis. Default 128. */
  readonly n?: number;
  readonly seed?: number;
}

/** Three squares of jelly, one above the other, that fall on the floor: about 0.12 · 4 n² particles, two a node and axis. */
export const mpm2dSetup = ({ n = 128, seed = 1 }: Mpm2dOptions = {}): MpmSetup => {
  const squares = [
    { x: 0.3, y: 0.15 },
    { x: 0.4, y: 0.42 },
    { x: 0.5, y: 0.69 },
  ].map((corner, body) => squareOf(corner.x, corner.y, 0.2, n, body));
  return setupOf(squares.flat(), n, 9.8, () => [0, 0], seed);
};

/** A square of jelly in free flight, without gravity, that turns and stretches. */
export const spinning2d = (n = 32, seed = 1): MpmSetup =>
  setupOf(squareOf(0.35, 0.35, 0.3, n, 0), n, 0, (x, y) => [-4 * (y - 0.5) + 1, 6 * (x - 0.5)], seed);

interface Point {
  readonly x: number;
  readonly y: number;
  readonly body: number;
}

/** Two particles a node along each axis. */
const squareOf = (x0: number, y0: number, side: number, n: number, body: number): readonly Point[] => {
  const along = Math.round(2 * n * side);
  return Array.from({ length: along * along }, (_, k) => ({
    x: x0 + (Math.floor(k / along) + 0.5) / (2 * n),
    y: y0 + ((k % along) + 0.5) / (2 * n),
    body,
  }));
};

const setupOf = (
  regular: readonly Point[],
  n: number,
  gravity: number,
  velocity: (x: number, y: number) => readonly number[],
  seed: number,
): MpmSetup => {
  const random = randomNumbers(seed);
  const jitter = (): number => (random() - 0.5) / (4 * n);
  const points = regular.map(({ x, y, body }) => ({ x: x + jitter(), y: y + jitter(), body }));
  return {
    dim: 2,
    n,
    dt: 0.0128 / n,
    mass: 1 / (4 * n * n),
    volume: 1 / (4 * n * n),
    ...lame(1000, 0.3),
    gravity,
    wall: 3,
    start: atRest(
      2,
      Float64Array.from(points.flatMap(({ x, y }) => [x, y])),
      Float64Array.from(points.flatMap(({ x, y }) => velocity(x, y))),
    ),
    body: Uint8Array.from(points.map((p) => p.body)),
  };
};
