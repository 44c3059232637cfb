import type { DenseLayout, Interval } from './layout.js';

/**
 * Column-major storage of a bounding box (§4.4.1), with the first interval widened to whole vectors where `align` is given.
 *
 * @param box one interval a dimension
 * @param align elements of a vector: the first interval then begins and ends at multiples of it
 */
export const denseLayout = (box: readonly Interval[], align = 1): DenseLayout => {
  const aligned = box.map(([start, stop], d): Interval =>
    d > 0 || align === 1 ? [start, stop] : [start - (start % align), Math.ceil(stop / align) * align],
  );
  const strides: number[] = [];
  let size = 1;
  for (const [start, stop] of aligned) {
    strides.push(size);
    size *= stop - start;
  }
  const widened = box.length > 0 && aligned[0][1] > box[0][1];
  return { kind: 'dense', box: aligned, strides, size, ...(widened ? { end: box[0][1] } : {}) };
};
