import type { DenseLayout, Interval, Layout } from '../layout/layout.js';

/** A layout as something to ask: where an entry lies, and how far apart neighbours are. */
export interface Storage {
  readonly layout: Layout;
  /** Elements in all. */
  readonly size: number;
  /** Where the entry lies, or −1 where it is not stored. */
  readonly position: (entry: readonly number[]) => number;
}

/** Where the entries of a tensor of this shape lie; padding of an aligned layout is not an entry. */
export const storageOf = (layout: Layout, shape: readonly number[]): Storage => {
  switch (layout.kind) {
    case 'dense': {
      const within = entriesAlong(layout, shape);
      return {
        layout,
        size: layout.size,
        position: (entry) => {
          let at = 0;
          for (let d = 0; d < entry.length; d++) {
            const [start, stop] = within[d]!;
            if (entry[d]! < start || entry[d]! >= stop) return -1;
            at += (entry[d]! - layout.box[d]![0]) * layout.strides[d]!;
          }
          return at;
        },
      };
    }
    case 'csc': {
      const [rows] = layout.shape;
      const table = new Int32Array(rows * layout.shape[1]).fill(-1);
      for (let column = 0; column < layout.shape[1]; column++)
        for (let p = layout.columnStart[column]!; p < layout.columnStart[column + 1]!; p++)
          table[layout.rows[p]! + column * rows] = p;
      return { layout, size: layout.size, position: tabled(table, layout.shape) };
    }
    case 'compressed':
      return { layout, size: layout.size, position: tabled(layout.position, layout.shape) };
  }
};

/** Where a dense layout has entries along each dimension; what else it stores is padding. */
export const entriesAlong = ({ box, end }: DenseLayout, shape: readonly number[]): readonly Interval[] =>
  box.map(([start, stop], d) => [Math.max(0, start), Math.min(shape[d]!, d === 0 && end !== undefined ? end : stop)]);

const tabled =
  (table: Int32Array, shape: readonly number[]) =>
  (entry: readonly number[]): number => {
    let at = 0;
    for (let d = shape.length - 1; d >= 0; d--) {
      if (entry[d]! < 0 || entry[d]! >= shape[d]!) return -1;
      at = at * shape[d]! + entry[d]!;
    }
    return table[at]!;
  };
