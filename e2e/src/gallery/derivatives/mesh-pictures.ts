import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canvas, imagePng, type Image } from '../../draw/index.js';

/** What a mesh is drawn from. */
export interface Drawn {
  readonly faces: ArrayLike<number>;
  /** Coordinates, `dim` a vertex, of which the first two are seen. */
  readonly dim: number;
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
}

/** Writes pictures of a mesh before and after, both with the same frame, into a folder, and says where. */
export const writeMeshPictures = (
  out: string,
  name: string,
  { faces, dim, before, after }: Drawn,
): { readonly before: string; readonly after: string } => {
  mkdirSync(out, { recursive: true });
  const seen = frameOf(dim, [before, after]);
  const write = (when: string, positions: ArrayLike<number>): string => {
    const file = join(out, `${name}-${when}.png`);
    writeFileSync(file, imagePng(edges(faces, (v) => seen(positions, v))));
    return file;
  };
  return { before: write('before', before), after: write('after', after) };
};

type Seen = (positions: ArrayLike<number>, vertex: number) => readonly [number, number];

/** Where vertices lie in a square picture that has room for all. */
const frameOf = (dim: number, all: readonly ArrayLike<number>[]): Seen => {
  const [low, high] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ];
  for (const positions of all)
    for (let k = 0; k < positions.length; k++) {
      const axis = k % dim;
      if (axis > 1) continue;
      low[axis] = Math.min(low[axis], positions[k]);
      high[axis] = Math.max(high[axis], positions[k]);
    }
  const extent = Math.max(high[0] - low[0], high[1] - low[1]) || 1;
  const along = (axis: number, value: number): number => 0.5 + (0.9 * (value - (low[axis] + high[axis]) / 2)) / extent;
  return (positions, v) => [along(0, positions[dim * v]), along(1, positions[dim * v + 1])];
};

const edges = (faces: ArrayLike<number>, at: (vertex: number) => readonly [number, number]): Image => {
  const { image, line } = canvas();
  for (let k = 0; k < faces.length; k++)
    line(...at(faces[k]), ...at(faces[k % 3 === 2 ? k - 2 : k + 1]), 0.002, [40, 80, 140]);
  return image;
};
