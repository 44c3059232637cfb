import { diverging, imageOf, type Image } from '../draw/index.js';
import type { CellsSetup } from './lina/setup.js';
import type { TetsSetup } from './seissol/setup.js';

/** A quantity on a plane across z of a mesh of tetrahedra; lines show where elements meet. */
export const tetsPicture = (
  { mesh, modes }: TetsSetup,
  coefficients: ArrayLike<number>,
  quantity: number,
  pixels = 480,
): Image => {
  const within = tetsAlongPlane(mesh.corners, mesh.size, pixels);
  const values = within.map((found) => (found ? modes.at(coefficients, found.element, quantity, found.point) : 0));
  return framed(values, (at) => within[at]?.element ?? -1, pixels);
};

/** A quantity in the first layer of cells, at the middle of it. */
export const cellsPicture = (
  { basis, waves, n }: CellsSetup,
  values: ArrayLike<number>,
  quantity: number,
  pixels = 480,
): Image => {
  const [order, d, width] = [basis.points.length, waves.dimensions, waves.quantities.length];
  const nodes = order ** d;
  const along = Array.from({ length: pixels }, (_, x) => {
    const at = ((x + 0.5) / pixels) * n;
    return { cell: Math.floor(at), functions: basis.at(at - Math.floor(at)) };
  });
  const depth = basis.at(0.5);
  const field = Array.from({ length: pixels * pixels }, (_, at) => {
    const [x, y] = [along[at % pixels], along[Math.floor(at / pixels)]];
    const base = ((x.cell + n * y.cell) * width + quantity) * nodes;
    let sum = 0;
    for (let k = 0; k < (d === 3 ? order : 1); k++)
      for (let j = 0; j < order; j++)
        for (let i = 0; i < order; i++)
          sum +=
            values[base + i + order * (j + order * k)] * x.functions[i] * y.functions[j] * (d === 3 ? depth[k] : 1);
    return sum;
  });
  return framed(field, (at) => along[at % pixels].cell + n * along[Math.floor(at / pixels)].cell, pixels);
};

/** Values in colours, the first row lowest, darker where the element is another than to the left or below. */
const framed = (values: readonly number[], elementAt: (at: number) => number, pixels: number): Image => {
  const largest = values.reduce((a, b) => Math.max(a, Math.abs(b)), Number.MIN_VALUE);
  return imageOf(pixels, pixels, (x, y) => {
    const at = x + pixels * (pixels - 1 - y);
    const colour = diverging(values[at] / largest);
    const edge =
      (x > 0 && elementAt(at) !== elementAt(at - 1)) || (at >= pixels && elementAt(at) !== elementAt(at - pixels));
    return edge ? [0.75 * colour[0], 0.75 * colour[1], 0.75 * colour[2]] : colour;
  });
};

interface InTet {
  readonly element: number;
  /** In coordinates of the reference tetrahedron. */
  readonly point: readonly number[];
}

/** Where the plane lies; not where a regular mesh has its vertices. */
const HEIGHT = 0.4;

/** Which element each pixel of the plane lies in. Elements that reach beyond the unit cube come in from the other side. */
const tetsAlongPlane = (corners: Float64Array, size: number, pixels: number): readonly (InTet | undefined)[] => {
  const found: (InTet | undefined)[] = Array.from({ length: pixels * pixels }, () => undefined);
  for (let element = 0; element < size; element++) {
    const all = [0, 1, 2, 3].map((c) => [...corners.subarray(3 * (4 * element + c), 3 * (4 * element + c) + 3)]);
    const range = (d: number): [least: number, most: number] => {
      const at = all.map((c) => c[d]);
      return [Math.min(...at), Math.max(...at)];
    };
    const [xs, ys, zs] = [0, 1, 2].map(range);
    const inverse = inverseOf(all);
    for (const z of [HEIGHT - 1, HEIGHT, HEIGHT + 1].filter((h) => zs[0] <= h && h <= zs[1]))
      for (let y = Math.floor(ys[0] * pixels); y <= ys[1] * pixels; y++)
        for (let x = Math.floor(xs[0] * pixels); x <= xs[1] * pixels; x++) {
          const from = [(x + 0.5) / pixels, (y + 0.5) / pixels, z].map((v, d) => v - all[0][d]);
          const point = inverse.map((row) => row[0] * from[0] + row[1] * from[1] + row[2] * from[2]);
          if (Math.min(...point, 1 - point[0] - point[1] - point[2]) < 0) continue;
          const wrapped = ((x + pixels) % pixels) + pixels * ((y + pixels) % pixels);
          found[wrapped] = { element, point };
        }
  }
  return found;
};

/** The gradients of the coordinates of the reference tetrahedron. */
const inverseOf = ([o, ...rest]: readonly (readonly number[])[]): number[][] => {
  const [a, b, c] = rest.map((p) => p.map((x, d) => x - o[d]));
  const cross = (u: readonly number[], v: readonly number[]): number[] => [
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  ];
  const rows = [cross(b, c), cross(c, a), cross(a, b)];
  const determinant = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2];
  return rows.map((row) => row.map((x) => x / determinant));
};
