import { sequential, spheresImage, type Colour, type Image } from '../../draw/index.js';
import type { MpmSetup, MpmState } from './mpm.js';

/** The particles: in the plane each body in its colour, in space a side view coloured by speed. */
export const mpmPicture = (setup: MpmSetup, { x, v }: MpmState, size = 512): Image => {
  const { dim, n } = setup;
  const count = x.length / dim;
  const centres = new Float64Array(3 * count).fill(0.5);
  for (let p = 0; p < count; p++) centres.set(x.subarray(dim * p, dim * p + dim), 3 * p);
  const speed = (p: number): number => Math.hypot(...v.subarray(dim * p, dim * p + dim));
  return spheresImage(
    {
      centres,
      radius: 0.4 / n,
      colour: (p) => (dim === 2 ? BODIES[setup.body[p] % BODIES.length] : sequential(speed(p) / 4)),
    },
    { size, ...(dim === 3 ? { turn: 0.6, tilt: 0.25 } : {}) },
  );
};

const BODIES: readonly Colour[] = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
];
