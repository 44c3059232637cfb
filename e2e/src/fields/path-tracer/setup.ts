import { fitted, solidVoxels, type Mesh } from '../../meshes/index.js';
import { spotMesh } from '../../spot.js';

/** A cloud in the unit cube: `n` cells along each axis, each with a density from 0 to 1, numbered i n² + j n + k. */
export interface Cloud {
  /** A multiple of 8. */
  readonly n: number;
  readonly density: Float64Array;
}

export type Triple = readonly [number, number, number];

/**
 * A picture of a cloud (thesis §2.6.5). Light is absorbed and scattered, in all directions alike, at a rate of
 * `extinction` · density. A path begins at a random point of a pixel, is scattered at most `pathLimit` times, and at each
 * collision takes in what comes straight from the light; where it leaves the cube it meets the environment. Collisions are
 * found by Woodcock tracking with `extinction` as the majorant.
 */
export interface View {
  readonly eye: Triple;
  /** To the middle of the picture; `right` and `up` lead from there to its edges. */
  readonly forward: Triple;
  readonly right: Triple;
  readonly up: Triple;
  readonly light: Triple;
  /** Of the point light, per solid angle; 0 for none. */
  readonly intensity: number;
  /** Radiance that comes in from everywhere. */
  readonly environment: number;
  /** Share of the light that is scattered at a collision. */
  readonly albedo: number;
  /** Collisions per length at density 1. */
  readonly extinction: number;
  readonly width: number;
  readonly height: number;
  /** Paths a pixel. */
  readonly samples: number;
  readonly pathLimit: number;
}

/** An implementation of the renderer, for one cloud. */
export interface Renderer {
  /** Radiance of the pixels, row by row from the top. Other seeds give other noise. */
  render(view: View, seed: number): Float64Array | Promise<Float64Array>;
}

export type MakeRenderer = (cloud: Cloud) => Renderer | Promise<Renderer>;

export interface PathTracerOptions {
  /** Cells along each axis. Default 128. */
  readonly n?: number;
  /** The shape of the cloud, a closed surface; the cow of the repository if absent. */
  readonly mesh?: Mesh;
  /** Pixels along each side. Default 256. */
  readonly size?: number;
  /** Default 16. */
  readonly samples?: number;
}

/** Smoke in the shape of a mesh, lit by a lamp and a faint sky. */
export const pathTracerSetup = (options: PathTracerOptions = {}): { readonly cloud: Cloud; readonly view: View } => {
  const { n = 128, mesh = spotMesh(), size = 256, samples = 16 } = options;
  const density = new Float64Array(n ** 3);
  const { coordinates } = solidVoxels(fitted(mesh, 0.08, 0.92), n);
  for (let v = 0; v < coordinates.length; v += 3) {
    const [i, j, k] = coordinates.subarray(v, v + 3);
    // Wisps: nothing where the noise is low.
    const wisp =
      noise((12 * i) / n, (12 * j) / n, (12 * k) / n) + 0.5 * noise((31 * i) / n, (31 * j) / n, (31 * k) / n);
    density[(i * n + j) * n + k] = Math.min(1, Math.max(0, 1.8 * wisp - 0.85));
  }
  const view: View = {
    ...camera([1.5, 0.95, -0.9], [0.5, 0.5, 0.5], 0.36),
    light: [1.3, 1.6, -0.4],
    intensity: 14,
    environment: 0.05,
    albedo: 0.95,
    extinction: 40,
    width: size,
    height: size,
    samples,
    pathLimit: 128,
  };
  return { cloud: { n, density }, view };
};

/** A camera that looks from one point to another; `half` is the tangent of half its field of view. */
export const camera = (eye: Triple, at: Triple, half: number): Pick<View, 'eye' | 'forward' | 'right' | 'up'> => {
  const forward = unit([at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]]);
  const right = unit(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const scaled = ([x, y, z]: Triple): Triple => [half * x, half * y, half * z];
  return { eye, forward, right: scaled(right), up: scaled(up) };
};

/** A cloud of a number of cells whose densities are a function of the cell. */
export const cloudOf = (n: number, density: (i: number, j: number, k: number) => number): Cloud => ({
  n,
  density: Float64Array.from({ length: n ** 3 }, (_, c) =>
    density(Math.floor(c / n ** 2), Math.floor(c / n) % n, c % n),
  ),
});

const unit = ([x, y, z]: Triple): Triple => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Smooth noise from 0 to 1: random numbers at whole coordinates, blended between. */
const noise = (x: number, y: number, z: number): number => {
  const base = [x, y, z].map(Math.floor);
  const blend = [x, y, z].map((c, axis) => {
    const t = c - base[axis];
    return t * t * (3 - 2 * t);
  });
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const at = base.map((c, axis) => c + ((corner >> axis) & 1));
    const weight = blend.reduce((w, t, axis) => w * ((corner >> axis) & 1 ? t : 1 - t), 1);
    sum += weight * hash(at[0], at[1], at[2]);
  }
  return sum;
};

const hash = (x: number, y: number, z: number): number => {
  let h = Math.imul(x, 0x27d4eb2f) ^ Math.imul(y, 0x165667b1) ^ Math.imul(z, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
};
