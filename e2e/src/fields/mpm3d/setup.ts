import { fitted, randomNumbers, solidVoxels, type Mesh } from '../../meshes/index.js';
import { spotMesh } from '../../spot.js';
import { atRest, lame, type MpmSetup } from '../mpm/mpm.js';

export interface Mpm3dOptions {
  /** Grid nodes along each axis. Default 64. */
  readonly n?: number;
  /** The body, a closed surface; the cow of the repository if absent. */
  readonly mesh?: Mesh;
  readonly seed?: number;
}

/** A body of jelly that falls on the floor: two particles a node and axis, which fill the mesh. */
export const mpm3dSetup = ({ n = 64, mesh = spotMesh(), seed = 1 }: Mpm3dOptions = {}): MpmSetup => {
  const random = randomNumbers(seed);
  const { coordinates } = solidVoxels(fitted(mesh, 0.2, 0.8), 2 * n);
  const x = new Float64Array(coordinates.length);
  for (let k = 0; k < x.length; k++) x[k] = (coordinates[k] + 0.25 + 0.5 * random()) / (2 * n);
  return setupOf(n, 9.8, x);
};

/** A ball of jelly in free flight, without gravity, that turns and stretches. */
export const spinning3d = (n = 24, seed = 1): MpmSetup => {
  const random = randomNumbers(seed);
  const along = 2 * n;
  const places: number[] = [];
  for (let cell = 0; cell < along ** 3; cell++) {
    const at = [Math.floor(cell / along ** 2), Math.floor(cell / along) % along, cell % along];
    const point = at.map((c) => (c + 0.25 + 0.5 * random()) / along);
    if (Math.hypot(...point.map((p) => p - 0.5)) < 0.2) places.push(...point);
  }
  const x = Float64Array.from(places);
  const v = x.map((_, k) => {
    const [a, b, c] = [x[k - (k % 3)] - 0.5, x[k - (k % 3) + 1] - 0.5, x[k - (k % 3) + 2] - 0.5];
    return [-4 * b + 2 * c + 0.5, 6 * a, -2 * a + 1][k % 3];
  });
  return setupOf(n, 0, x, v);
};

const setupOf = (n: number, gravity: number, x: Float64Array, v?: Float64Array): MpmSetup => ({
  dim: 3,
  n,
  dt: 0.0128 / n,
  mass: 1 / (2 * n) ** 3,
  volume: 1 / (2 * n) ** 3,
  ...lame(1000, 0.3),
  gravity,
  wall: 3,
  start: atRest(3, x, v),
  body: new Uint8Array(x.length / 3),
});
