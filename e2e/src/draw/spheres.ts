import { blend, type Colour, type Image } from './image.js';

export interface Spheres {
  /** x, y, z of each; y is up, and the cube from 0 to 1 fills the picture. */
  readonly centres: ArrayLike<number>;
  readonly radius: number;
  readonly colour: (sphere: number) => Colour;
}

export interface SpheresOptions {
  /** Pixels along each side. Default 512. */
  readonly size?: number;
  /** Turn about the vertical axis through the middle, and then tilt towards the eye; radians. Default 0, 0. */
  readonly turn?: number;
  readonly tilt?: number;
}

/** Spheres as they are seen from far off, nearest first, lit from above left. For particles and voxels. */
export const spheresImage = (spheres: Spheres, options: SpheresOptions = {}): Image => {
  const { size = 512, turn = 0, tilt = 0 } = options;
  const { centres, radius, colour } = spheres;
  const [cosTurn, sinTurn, cosTilt, sinTilt] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  const data = new Uint8Array(3 * size * size).fill(BACKGROUND);
  const nearest = new Float64Array(size * size).fill(-Infinity);
  const reach = radius * size;
  for (let s = 0; 3 * s < centres.length; s++) {
    const [x, y, z] = [centres[3 * s] - 0.5, centres[3 * s + 1] - 0.5, centres[3 * s + 2] - 0.5];
    const across = cosTurn * x + sinTurn * z;
    const depth = cosTurn * z - sinTurn * x;
    const [u, v] = [(0.5 + across) * size, (0.5 - cosTilt * y - sinTilt * depth) * size];
    const near = sinTilt * y - cosTilt * depth;
    const own = colour(s);
    for (let row = Math.max(0, Math.ceil(v - reach - 0.5)); row + 0.5 <= Math.min(size, v + reach); row++)
      for (let column = Math.max(0, Math.ceil(u - reach - 0.5)); column + 0.5 <= Math.min(size, u + reach); column++) {
        const [a, b] = [(column + 0.5 - u) / reach, (row + 0.5 - v) / reach];
        const squared = 1 - a * a - b * b;
        if (squared < 0) continue;
        const c = Math.sqrt(squared);
        const pixel = row * size + column;
        if (near + radius * c <= nearest[pixel]) continue;
        nearest[pixel] = near + radius * c;
        const light = Math.max(0, LIGHT[0] * a + LIGHT[1] * b + LIGHT[2] * c);
        data.set(blend([0, 0, 0], own, 0.35 + 0.65 * light).map(Math.round), 3 * pixel);
      }
  }
  return { width: size, height: size, data };
};

const BACKGROUND = 246;
/* Towards the light: left, up, to the eye. */
const LIGHT = [-0.45, -0.55, 0.7] as const;
