import { fitted, randomNumbers, solidVoxels, surfaceVoxels, type Mesh } from '../../meshes/index.js';
import { spotMesh } from '../../spot.js';

/** Channels of a voxel, before and after the layer. */
export const CHANNELS = 16;

/**
 * A 3 × 3 × 3 convolution layer on a sparse set of voxels (thesis §2.6.4):
 * out(v)[d] = Σ over offsets o and channels c of weights[o][c][d] · in(v + o)[c], for active voxels v; inactive voxels are 0.
 */
export interface CnnSetup {
  /** Voxels along each axis. */
  readonly n: number;
  /** Coordinates i, j, k of the active voxels, none below 1 or above n − 2. */
  readonly voxels: Int32Array;
  /** Channels of each. */
  readonly features: Float64Array;
  /** By offset (9 (di + 1) + 3 (dj + 1) + dk + 1), channel in, channel out. */
  readonly weights: Float64Array;
}

/** An implementation of the layer: channels of the active voxels, in the order of the setup. */
export interface Cnn {
  forward(): Float64Array | Promise<Float64Array>;
}

export type MakeCnn = (setup: CnnSetup) => Cnn | Promise<Cnn>;

export interface CnnOptions {
  /** Voxels along each axis: a multiple of 4. Default 128. */
  readonly n?: number;
  /** A surface; the cow of the repository if absent. */
  readonly mesh?: Mesh;
  /** The voxels that the surface touches (about 1 % at n = 256), or those within it (about 8 %). Default: surface. */
  readonly fill?: 'surface' | 'solid';
  readonly seed?: number;
}

/** A voxelised mesh; a wave in each channel, and random weights. */
export const cnnSetup = ({ n = 128, mesh = spotMesh(), fill = 'surface', seed = 1 }: CnnOptions = {}): CnnSetup => {
  const margin = Math.max(0.05, 1.01 / n);
  const body = fitted(mesh, margin, 1 - margin);
  const { coordinates } = fill === 'surface' ? surfaceVoxels(body, n) : solidVoxels(body, n);
  const setup = withRandomNumbers(n, coordinates, seed);
  const wave = (v: number, channel: number): number => {
    const [x, y, z] = coordinates.subarray(3 * v, 3 * v + 3).map((c) => (100 * c) / n);
    return Math.sin(0.01 * (channel + 1) * (x + 2 * y - z) + channel);
  };
  return { ...setup, features: setup.features.map((_, k) => wave(Math.floor(k / CHANNELS), k % CHANNELS)) };
};

/** Voxels at these places with random features and weights. */
export const withRandomNumbers = (n: number, voxels: Int32Array, seed = 1): CnnSetup => {
  const random = randomNumbers(seed);
  const noise = (length: number): Float64Array => Float64Array.from({ length }, () => random() - 0.5);
  return {
    n,
    voxels,
    features: noise((CHANNELS * voxels.length) / 3),
    weights: noise(27 * CHANNELS * CHANNELS),
  };
};
