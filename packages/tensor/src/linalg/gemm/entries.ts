import type { MatrixView } from '../gemm-spec.js';

/** Where the entries of a matrix lie. */
export interface Entries {
  /** Position of entry (row, column), or -1 where it is known to be zero. */
  readonly at: (row: number, column: number) => number;
}

/** Lookup of a view's entries. */
export const entriesOf = (view: MatrixView, rows: number): Entries => {
  if (view.kind === 'dense') {
    const { rowStride, columnStride } = view;
    return { at: (row, column) => row * rowStride + column * columnStride };
  }
  const positions = new Map<number, number>();
  view.positions.forEach((p, e) => positions.set(view.rows[e] + view.columns[e] * rows, p));
  return { at: (row, column) => (row < rows ? (positions.get(row + column * rows) ?? -1) : -1) };
};

/** The same storage as the transposed matrix. */
export const transposed = (view: MatrixView): MatrixView => {
  if (view.kind === 'dense') return { kind: 'dense', rowStride: view.columnStride, columnStride: view.rowStride };
  const order = [...view.positions.keys()].sort(
    (x, y) => view.rows[x] - view.rows[y] || view.columns[x] - view.columns[y],
  );
  const pick = (list: Int32Array): Int32Array => Int32Array.from(order, (e) => list[e]);
  const { stored } = view;
  return {
    kind: 'sparse',
    rows: pick(view.columns),
    columns: pick(view.rows),
    positions: pick(view.positions),
    ...(stored && { stored: { rowStride: stored.columnStride, columnStride: stored.rowStride } }),
  };
};
