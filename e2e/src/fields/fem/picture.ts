import { sequential, spheresImage, type Image } from '../../draw/index.js';
import type { FemSetup } from './setup.js';

/** The body, its displacement magnified until it shows, coloured by how far its cells have moved. */
export const femPicture = ({ n, mu }: FemSetup, u: Float64Array, size = 512): Image => {
  const cells = [...mu.keys()].filter((cell) => mu[cell] > 0);
  const moved = (cell: number): number => Math.hypot(...u.subarray(3 * cell, 3 * cell + 3));
  const largest = cells.reduce((most, cell) => Math.max(most, moved(cell)), Number.MIN_VALUE);
  const shown = (0.06 * n) / largest;
  const centres = Float64Array.from(
    cells.flatMap((cell) =>
      [Math.floor(cell / n ** 2), Math.floor(cell / n) % n, cell % n].map(
        (c, axis) => (c + 0.5 + shown * u[3 * cell + axis]) / n,
      ),
    ),
  );
  return spheresImage(
    { centres, radius: 0.75 / n, colour: (c) => sequential(moved(cells[c]) / largest) },
    { size, turn: 0.6, tilt: 0.25 },
  );
};
