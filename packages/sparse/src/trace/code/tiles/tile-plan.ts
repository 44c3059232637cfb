import { groupBy } from '../group-by.js';
import { CODE } from './prices.js';
import { codeOf, signatureKey, signatureOf, type Counts, type Signature, type Tile, type TileForm } from './tile.js';

/** Tiles of one form and height that one loop computes. What differs from tile to tile is in tables. */
export interface TileRegion {
  readonly form: TileForm;
  /** Rows of a tile. */
  readonly height: number;
  /** Whether the rows of a tile do not follow one another. */
  readonly scattered: boolean;
  /** Tiles of the same counts; more than one where the loop over entries is not written out. */
  readonly groups: readonly TileGroup[];
  readonly unrolled: boolean;
  /**
   * Columns relative to the row of their lane, if they are the same for all tiles: the region is then affine in its
   * rows.
   */
  readonly offsets: Int32Array | undefined;
  /** Rows of the first tile and their step from tile to tile, if it is constant. */
  readonly progression: { readonly first: readonly number[]; readonly step: number } | undefined;
  /** For each tile, what neither `progression` nor `offsets` gives: first row or rows, columns. */
  readonly table: Int32Array;
  /** Position of the first value. */
  readonly start: number;
}

/** Tiles of a region whose rows or entries have the same counts. */
export interface TileGroup {
  readonly counts: Counts;
  readonly tiles: number;
}

/** How the rows of a pattern are cut into regions of tiles. */
export interface TilePlan {
  /** Rows or entries on the lanes of a vector. */
  readonly lanes: number;
  readonly regions: readonly TileRegion[];
  /** For each value in the order of the plan, its position in the CSR values. */
  readonly from: Int32Array;
}

/** Tiles from which on columns that are known are worth code of their own. */
const AFFINE = 8;

/**
 * The plan of tiles: alike ones in one loop. Tiles that are each other's copies at other rows need no index but their row; others of
 * the same counts, tables.
 *
 * @param window tiles of other rows than so many consecutive ones are kept apart, unless their code is written out
 */
export const planOf = (
  tiles: readonly Tile[],
  lanes: number,
  isWritten: (s: Signature) => boolean,
  window = Infinity,
): TilePlan => {
  const from = new Int32Array(tiles.reduce((n, t) => n + t.entries.length, 0));
  const regions: TileRegion[] = [];
  let start = 0;
  for (const chosen of regionTiles(tiles, lanes, isWritten, window)) {
    regions.push(regionOf(chosen, isUniform(chosen.tiles) ? Infinity : window, start));
    for (const t of chosen.tiles) {
      from.set(t.entries, start);
      start += t.entries.length;
    }
  }
  return { lanes, regions, from };
};

export interface Chosen {
  readonly tiles: readonly Tile[];
  readonly unrolled: boolean;
  readonly affine: boolean;
}

/** Tiles by region; additions come last. */
export const regionTiles = (
  tiles: readonly Tile[],
  lanes: number,
  isWritten: (s: Signature) => boolean,
  window: number,
): Chosen[] => {
  const setting = tiles.filter((t) => t.form !== 'add');
  const adds = spread(tiles.filter((t) => t.form === 'add'));
  const sets = groupBy(setting, (t) => signatureKey(signatureOf(t)));
  const [written, looped] = [true, false].map((w) => sets.filter(([t]) => isWritten(signatureOf(t)) === w));
  return [
    ...withCopies(written, lanes),
    ...groupBy(looped.flat(), kindOf).map((g) => ({ tiles: byCounts(g, window), unrolled: false, affine: false })),
    ...(adds.length > 0 ? [{ tiles: adds, unrolled: true, affine: false }] : []),
  ];
};

/** Of each signature the tiles that are copies of each other at other rows, if they are worth code of their own, and the rest. */
const withCopies = (sets: readonly (readonly Tile[])[], lanes: number): Chosen[] => {
  const alike = sets.flatMap((set) => (set[0].form === 'along' ? [set] : groupBy(set, (t) => relative(t).join())));
  const copies = new Set<Tile>();
  let code = 0;
  for (const g of alike.sort((a, b) => b.length - a.length)) {
    const size = codeOf(signatureOf(g[0]), lanes);
    if (g[0].form === 'along' || g.length < AFFINE || code + size > CODE.all) continue;
    code += size;
    for (const t of g) copies.add(t);
  }
  return alike
    .flatMap((g) => (copies.has(g[0]) ? [{ tiles: inOrder(g), unrolled: true, affine: true }] : []))
    .concat(
      sets.flatMap((set) => {
        const rest = set.filter((t) => !copies.has(t));
        return rest.length > 0 ? [{ tiles: inOrder(rest), unrolled: true, affine: false }] : [];
      }),
    );
};

const kindOf = (t: Tile): string => {
  const { form, height, scattered, counts } = signatureOf(t);
  return `${form} ${height} ${scattered} ${form === 'along' ? '' : counts.map((n) => n > 0).join()}`;
};

const inOrder = (tiles: readonly Tile[]): Tile[] => [...tiles].sort((a, b) => a.rows[0] - b.rows[0]);

const byCounts = (tiles: readonly Tile[], window: number): Tile[] =>
  groupBy(inOrder(tiles), windowOf(window)).flatMap((within) =>
    groupBy(within, (t) => t.counts.join())
      .sort(([{ counts: a }], [{ counts: b }]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
      .flat(),
  );

const windowOf =
  (window: number) =>
  (t: Tile): number =>
    Math.floor(t.rows[0] / window);

const isUniform = (tiles: readonly Tile[]): boolean =>
  tiles.every(({ counts }) => counts.every((n, k) => n === tiles[0].counts[k]));

/** Tiles of the same counts in the same window. */
const groupOf =
  (window: number) =>
  (t: Tile): string =>
    `${windowOf(window)(t)} ${t.counts.join()}`;

/** Entries that are added to the same row apart from each other, so that none waits for the one before. */
const spread = (tiles: readonly Tile[]): Tile[] => {
  const seen = new Map<number, number>();
  const rounds: Tile[][] = [];
  for (const t of tiles) {
    const round = seen.get(t.rows[0]) ?? 0;
    seen.set(t.rows[0], round + 1);
    (rounds[round] ??= []).push(t);
  }
  return rounds.flat();
};

/** Columns relative to the row of their lane. */
const relative = (t: Tile): Int32Array => {
  const [slides, shares] = t.form === 'lanes' ? t.counts : [t.columns.length, 0];
  const alone = slides + shares;
  return t.columns.map((c, k) => c - (k < alone ? t.rows[0] : t.rows[(k - alone) % t.rows.length]));
};

const regionOf = ({ tiles, unrolled, affine }: Chosen, window: number, start: number): TileRegion => {
  const [first] = tiles;
  const scattered = signatureOf(first).scattered;
  const step = tiles.length > 1 ? tiles[1].rows[0] - first.rows[0] : 1;
  const even = unrolled && tiles.every((t, u) => t.rows.every((r, h) => r === first.rows[h] + u * step));
  const width = (even ? 0 : scattered ? first.rows.length : 1) + (affine ? 0 : first.columns.length);
  const table: number[] = [];
  if (width > 0 || !unrolled) {
    for (const t of tiles) {
      if (!even) table.push(...(scattered ? t.rows : [t.rows[0]]));
      if (!affine) for (const c of t.columns) table.push(c);
    }
  }
  return {
    form: first.form,
    height: first.rows.length,
    scattered,
    groups: groupBy(tiles, groupOf(window)).map((g) => ({ counts: g[0].counts, tiles: g.length })),
    unrolled,
    offsets: affine ? relative(first) : undefined,
    progression: even ? { first: first.rows, step } : undefined,
    table: Int32Array.from(table),
    start,
  };
};
