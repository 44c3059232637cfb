import { diagonalIndices, eachDiagonalEntry } from '../notation/diagonal.js';
import type { Interval, Layout } from './layout.js';
import { positionIn } from './tensor-layout.js';

/**
 * How a diagonal lies in the memory of its tensor: by strides that are sums of the tensor's where the boxes of its dimensions begin together,
 * else by the place of each entry.
 *
 * @param along the index of each of the tensor's dimensions
 * @param shape the extents of the diagonal
 */
export const diagonalLayout = (layout: Layout, along: string, shape: readonly number[]): Layout => {
  const dimensions = [...diagonalIndices(along)].map((l) => [...along].flatMap((m, d) => (m === l ? [d] : [])));
  if (layout.kind === 'dense') {
    const { box, strides, size, end } = layout;
    if (dimensions.every((ds) => ds.every((d) => box[d][0] === box[ds[0]][0])))
      return {
        kind: 'dense',
        box: dimensions.map((ds): Interval => [box[ds[0]][0], Math.min(...ds.map((d) => box[d][1]))]),
        strides: dimensions.map((ds) => ds.reduce((sum, d) => sum + strides[d], 0)),
        size,
        ...(end !== undefined && dimensions[0].length === 1 ? { end } : {}),
      };
  }
  const position = new Int32Array(shape.reduce((n, extent) => n * extent, 1));
  eachDiagonalEntry(shape, along, (entry, e) => (position[e] = positionIn(layout, entry)));
  return { kind: 'compressed', shape, position, size: layout.size };
};
