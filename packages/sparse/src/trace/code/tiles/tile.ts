/**
 * One row, or a few, computed at once on vector lanes. The order of summation within a tile is free, so entries are sorted
 * by how the lanes find their columns.
 *
 * - `lanes`: one row a lane. `counts` are slides (each lane's column one behind that of the lane before), shares (one column
 *   for all lanes) and gathers (columns of any kind).
 * - `along`: one row, its entries on the lanes. `counts` are runs (as many consecutive columns as lanes), gathers (as many
 *   columns of any kind) and single entries.
 * - `add`: a single entry, added to a row that another tile has set.
 */
export interface Tile {
  readonly form: TileForm;
  /** The row of each lane; one for the other forms. */
  readonly rows: readonly number[];
  readonly counts: Counts;
  /** The first lane's column of a slide or run, the column of a share or single entry, each lane's of a gather. */
  readonly columns: Int32Array;
  /** Positions of the values in CSR order, entry by entry, and within one lane by lane. */
  readonly entries: Int32Array;
}

/** Tiles and rows that have every entry of a matrix once. */
export interface Cover {
  readonly tiles: readonly Tile[];
  /** Rows that are taken one after the other, whole. Ascending. */
  readonly rows: readonly number[];
  /** Rows that are taken run by run of their columns, whole. Ascending. */
  readonly runs: readonly number[];
}

/** What the lanes of a tile are, see `Tile`. */
export type TileForm = 'lanes' | 'along' | 'add';

/** How many columns of each kind a tile has, in the order in which `Tile` lists them. */
export type Counts = readonly [number, number, number];

/** Columns that a tile names for each of what it counts. */
export const columnsPer = (form: TileForm, height: number, lanes: number): Counts =>
  form === 'lanes' ? [1, 1, height] : [1, lanes, 1];

/** Values that a tile has of each of what it counts. */
export const valuesPer = (form: TileForm, height: number, lanes: number): Counts =>
  form === 'lanes' ? [height, height, height] : form === 'along' ? [lanes, lanes, 1] : [1, 0, 0];

/** What tiles of one loop have in common. */
export interface Signature {
  readonly form: TileForm;
  readonly height: number;
  /** Whether the rows do not follow one another. */
  readonly scattered: boolean;
  readonly counts: Counts;
}

export const signatureOf = ({ form, rows, counts }: Tile): Signature => ({
  form,
  height: rows.length,
  scattered: rows.some((r, h) => r !== rows[0] + h),
  counts,
});

export const signatureKey = ({ form, height, scattered, counts }: Signature): string =>
  `${form} ${height} ${scattered} ${counts.join()}`;

/** Entries that each row of such a tile has in it. */
export const entriesOfRow = ({ form, counts: [a, b, c] }: Signature, lanes: number): number =>
  form === 'along' ? (a + b) * lanes + c : a + b + c;

/** Loads and operations that code for one tile consists of. */
export const codeOf = ({ form, height, scattered, counts: [a, b, c] }: Signature, lanes: number): number =>
  form === 'lanes' ? (scattered ? height : 1) + a + b + c * height : 2 + a + b * lanes + c;
