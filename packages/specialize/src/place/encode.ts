import type { PlaceOptions } from '../options.js';
import { findPieces, piecesBytes, savedBesides, type Pieces } from './pieces.js';

/**
 * How the position that an instance reads or writes is found (§4.8). Instance `i` is entry `j` of
 * tile `t`. A table holds the entries of one instance side by side, so that a loop reads one stream a width however many
 * columns there are: a stream of its own for each would be too short for the hardware to run ahead of.
 */
export type Address =
  /** base + stride·i; no table. */
  | { readonly is: 'affine'; readonly base: number; readonly stride: number }
  /** The piece's origin + stride·m for its instance m; no table, and an origin a piece. */
  | { readonly is: 'piece'; readonly origin: number; readonly stride: number }
  /** base + step·s + stride·m for term m of sum s; no table, and no origin a sum. */
  | { readonly is: 'line'; readonly base: number; readonly step: number; readonly stride: number }
  /** The position of an earlier column plus a constant; no table. */
  | { readonly is: 'offset'; readonly column: number; readonly delta: number }
  /** A table entry, plus a constant, plus the position of an earlier column or the tile's anchor. */
  | {
      readonly is: 'table';
      readonly width: Width;
      /** Which column of this width. */
      readonly row: number;
      readonly bias: number;
      readonly relativeTo: { readonly column: number } | { readonly anchor: number } | undefined;
    };

export type Width = 8 | 16 | 32;

/** A table of each width. */
export interface Tables {
  readonly 8: Uint8Array;
  readonly 16: Uint16Array;
  readonly 32: Int32Array;
}

/** Index columns of a group, encoded. */
export interface Encoded {
  readonly addresses: readonly Address[];
  /** Entries `i·rows + row`. */
  readonly tables: Tables;
  /** Columns of each width. */
  readonly rows: Readonly<Record<Width, number>>;
  /** Entries `t·anchorCount + anchor`; where there are pieces, t is a piece. */
  readonly anchors: Int32Array;
  readonly anchorCount: number;
  /** Where it pays, the pieces of tiles in which further columns are affine. */
  readonly pieces: Pieces | undefined;
}

/** Earlier columns that are tried as a reference. */
const REFERENCES = 12;

/**
 * Chooses for each column the cheapest exact encoding: none at all where it is affine in the instance, or piece by
 * piece, or a constant away from an earlier column; else differences of 8 or 16 bits from an earlier column, from a minimum a tile, or from one
 * minimum; else 32 bits. Columns are position arrays of one length; tile t is their entries `starts[t] .. starts[t+1])`.
 *
 * @param onLanes operations of an instance where these fill vector lanes, which the ends of pieces do not
 */
export const encode = (
  columns: readonly Int32Array[],
  starts: Int32Array,
  options: PlaceOptions,
  onLanes = 0,
): Encoded => {
  const free = columns.map((_, c) => (options.coherence ? withoutTable(columns, c) : undefined));
  const plain = encoding(columns, free, starts, options, undefined);
  if (!options.pieces || starts[starts.length - 1] < WORTH) return written(plain);
  const bytes = plain.addresses.map((a) => (a.is === 'table' ? a.width / 8 : 0));
  const pieces = findPieces(columns, bytes, starts, onLanes);
  if (pieces === undefined) return written(plain);
  /* Pieces are no stretches, so there is one minimum for all. */
  const whole = Int32Array.of(0, starts[starts.length - 1]);
  const cut = encoding(columns, free, whole, options, pieces);
  const cost = tableBytes(cut) + piecesBytes(pieces.count, onLanes) - whole[1] * savedBesides(bytes, pieces);
  return cost < tableBytes(plain) ? written(cut, pieces) : written(plain);
};

/**
 * The same for the terms of sums, of which sum i has `ptr[i] .. ptr[i + 1])`: a column that grows evenly within sums, as much in each of them, has an origin a sum in place of an
 * entry a term, where that saves bytes, and none where origins grow evenly too. Anchors are those of sums then.
 */
export const encodeTerms = (columns: readonly Int32Array[], ptr: Int32Array, options: PlaceOptions): Encoded => {
  const free = columns.map((_, c) => (options.coherence ? withoutTable(columns, c) : undefined));
  const whole = Int32Array.of(0, ptr[ptr.length - 1]);
  const plain = encoding(columns, free, whole, options, undefined);
  if (!options.pieces) return written(plain);
  const strides = columns.map((column, c) =>
    plain.addresses[c].is === 'table' ? strideWithin(column, ptr) : undefined,
  );
  if (strides.every((stride) => stride === undefined)) return written(plain);
  const cut = encoding(columns, free, whole, options, { first: ptr.subarray(0, -1), strides, inLines: true });
  return written(tableBytes(cut) < tableBytes(plain) ? cut : plain);
};

/** How columns are to be encoded: all but the tables, which are written when it is settled. */
interface Encoding extends Omit<Encoded, 'tables' | 'rows' | 'pieces'> {
  readonly pieces: Stretches | undefined;
  readonly entries: Readonly<Record<Width, readonly Entries[]>>;
  /** Of the tiles that anchors belong to. */
  readonly starts: Int32Array;
}

/** Where columns grow evenly, and from where on: what pieces and sums have in common. `inLines`: origins that grow evenly need not be stored. */
interface Stretches extends Pick<Pieces, 'first' | 'strides'> {
  readonly inLines?: boolean;
}

/** A column of a table: entry i is `column[i]` less the same entry of `base`, the anchor of its tile, and `bias`. */
interface Entries {
  readonly column: Int32Array;
  readonly base?: Int32Array;
  readonly anchors?: Int32Array;
  readonly bias: number;
}

/** Instances from which on pieces are looked for. */
const WORTH = 128;

const tableBytes = ({ entries, starts, anchorCount, pieces }: Encoding): number => {
  const tiles = pieces === undefined ? starts.length - 1 : pieces.first.length;
  const perInstance = entries[8].length + 2 * entries[16].length + 4 * entries[32].length;
  return starts[starts.length - 1] * perInstance + 4 * anchorCount * tiles;
};

/** The columns that have no address yet, in tables, or as origins of pieces. */
const encoding = (
  columns: readonly Int32Array[],
  free: readonly (Address | undefined)[],
  starts: Int32Array,
  options: PlaceOptions,
  pieces: Stretches | undefined,
): Encoding => {
  const addresses: Address[] = [];
  const entries: Record<Width, Entries[]> = { 8: [], 16: [], 32: [] };
  const anchors: Int32Array[] = [];
  columns.forEach((column, c) => {
    const known = free[c];
    const stride = pieces?.strides[c];
    if (known) {
      addresses.push(known);
      return;
    }
    if (pieces !== undefined && stride !== undefined) {
      const origins = pieces.first.map((i) => column[i]);
      const step = stepOf(origins);
      if (pieces.inLines === true && isAffine(origins, step)) {
        addresses.push({ is: 'line', base: origins[0] ?? 0, step, stride });
        return;
      }
      addresses.push({ is: 'piece', origin: anchors.length, stride });
      anchors.push(origins);
      return;
    }
    const choice = options.narrow ? narrowest(columns, c, starts, options.coherence) : undefined;
    if (!choice) {
      addresses.push({ is: 'table', width: 32, row: entries[32].length, bias: 0, relativeTo: undefined });
      entries[32].push({ column, bias: 0 });
      return;
    }
    const { width, reference, minimum } = choice;
    const row = entries[width].length;
    if (reference === 'tile') {
      addresses.push({ is: 'table', width, row, bias: 0, relativeTo: { anchor: anchors.length } });
      anchors.push(minimum as Int32Array);
      entries[width].push({ column, anchors: minimum as Int32Array, bias: 0 });
    } else {
      const bias = minimum as number;
      const relativeTo = reference === 'none' ? undefined : { column: reference };
      addresses.push({ is: 'table', width, row, bias, relativeTo });
      entries[width].push({ column, bias, ...(reference === 'none' ? {} : { base: columns[reference] }) });
    }
  });
  return {
    addresses: fromRoots(addresses),
    ...{ entries, starts, anchors: interleave(anchors, NO_ENTRIES), anchorCount: anchors.length, pieces },
  };
};

/** Addresses that are offsets from offsets, or lie relative to these, from where these begin: chains of additions take compilers long, and processors as long as they are. */
const fromRoots = (addresses: readonly Address[]): readonly Address[] => {
  const found: Address[] = [];
  const rootOf = (column: number): { readonly column: number; readonly delta: number } => {
    const root = found[column];
    return root.is === 'offset' ? root : { column, delta: 0 };
  };
  for (const a of addresses) {
    if (a.is === 'offset') {
      const { column, delta } = rootOf(a.column);
      found.push({ is: 'offset', column, delta: delta + a.delta });
    } else if (a.is === 'table' && a.relativeTo !== undefined && 'column' in a.relativeTo) {
      const { column, delta } = rootOf(a.relativeTo.column);
      found.push({ ...a, relativeTo: { column }, bias: a.bias + delta });
    } else found.push(a);
  }
  return found;
};

/** @param pieces where there are such that loops go over */
const written = ({ entries, starts, ...rest }: Encoding, pieces?: Pieces): Encoded => {
  const instances = starts[starts.length - 1];
  return {
    ...rest,
    pieces,
    tables: {
      8: writeTable(new Uint8Array(instances * entries[8].length), entries[8], starts),
      16: writeTable(new Uint16Array(instances * entries[16].length), entries[16], starts),
      32: writeTable(new Int32Array(instances * entries[32].length), entries[32], starts),
    },
    rows: { 8: entries[8].length, 16: entries[16].length, 32: entries[32].length },
  };
};

const writeTable = <T extends Tables[Width]>(table: T, columns: readonly Entries[], starts: Int32Array): T => {
  const rows = columns.length;
  columns.forEach(({ column, base, anchors, bias }, row) => {
    const end = column.length;
    if (base) for (let i = 0, at = row; i < end; i++, at += rows) table[at] = column[i] - base[i] - bias;
    else if (anchors)
      for (let t = 0, at = row; t < anchors.length; t++)
        for (let i = starts[t]; i < starts[t + 1]; i++, at += rows) table[at] = column[i] - anchors[t];
    else for (let i = 0, at = row; i < end; i++, at += rows) table[at] = column[i] - bias;
  });
  return table;
};

const NO_ENTRIES = new Int32Array(0);

const withoutTable = (columns: readonly Int32Array[], c: number): Address | undefined => {
  const column = columns[c];
  const stride = stepOf(column);
  if (isAffine(column, stride)) return { is: 'affine', base: column[0] ?? 0, stride };
  for (let d = c - 1; d >= 0; d--) {
    const delta = column[0] - columns[d][0];
    if (isOffset(column, columns[d], delta)) return { is: 'offset', column: d, delta };
  }
  return undefined;
};

const stepOf = (column: Int32Array): number => (column.length > 1 ? column[1] - column[0] : 0);

const isAffine = (column: Int32Array, stride: number): boolean => {
  for (let i = 1; i < column.length; i++) if (column[i] - column[i - 1] !== stride) return false;
  return true;
};

/** By how much a column grows from term to term of all sums; undefined where it does not do so evenly. */
const strideWithin = (column: Int32Array, ptr: Int32Array): number | undefined => {
  let stride: number | undefined;
  for (let i = 0; i + 1 < ptr.length; i++)
    for (let t = ptr[i] + 1; t < ptr[i + 1]; t++) {
      stride ??= column[t] - column[t - 1];
      if (column[t] - column[t - 1] !== stride) return undefined;
    }
  return stride;
};

const isOffset = (column: Int32Array, base: Int32Array, delta: number): boolean => {
  for (let i = 0; i < column.length; i++) if (column[i] - base[i] !== delta) return false;
  return true;
};

interface Choice {
  readonly width: 8 | 16;
  readonly reference: number | 'none' | 'tile';
  readonly minimum: number | Int32Array;
}

const narrowest = (
  columns: readonly Int32Array[],
  c: number,
  starts: Int32Array,
  coherence: boolean,
): Choice | undefined => {
  const column = columns[c];
  let best: Choice | undefined;
  const offer = (width: 8 | 16 | undefined, reference: Choice['reference'], minimum: number | Int32Array): void => {
    if (width !== undefined && (best === undefined || width < best.width)) best = { width, reference, minimum };
  };
  const plain = range(column, undefined, best);
  if (plain) offer(widthOf(plain[1]), 'none', plain[0]);
  for (let d = c - 1; coherence && d >= 0 && d >= c - REFERENCES && best?.width !== 8; d--) {
    const r = range(column, columns[d], best);
    if (r) offer(widthOf(r[1]), d, r[0]);
  }
  if (best?.width !== 8) {
    const tile = tileMinima(column, starts, best ? 0xff : 0xffff);
    if (tile) offer(widthOf(tile.spread), 'tile', tile.minima);
  }
  return best;
};

const widthOf = (spread: number): 8 | 16 | undefined => (spread <= 0xff ? 8 : spread <= 0xffff ? 16 : undefined);

/** Minimum and spread of a column, or of its differences from another; undefined as soon as it cannot beat `best`. */
const range = (
  column: Int32Array,
  base: Int32Array | undefined,
  best: Choice | undefined,
): [number, number] | undefined => {
  const limit = best ? 0xff : 0xffff;
  let min = base ? column[0] - base[0] : column[0];
  let max = min;
  for (let i = 1; i < column.length; i++) {
    const v = base ? column[i] - base[i] : column[i];
    if (v < min) min = v;
    else if (v > max) max = v;
    else continue;
    if (max - min > limit) return undefined;
  }
  return [min, max - min];
};

const tileMinima = (
  column: Int32Array,
  starts: Int32Array,
  limit: number,
): { minima: Int32Array; spread: number } | undefined => {
  const minima = new Int32Array(starts.length - 1);
  let spread = 0;
  for (let t = 0; t < minima.length; t++) {
    if (starts[t] === starts[t + 1]) continue;
    let min = column[starts[t]];
    let max = min;
    const end = starts[t + 1];
    for (let i = starts[t] + 1; i < end; i++) {
      const v = column[i];
      if (v < min) min = v;
      else if (v > max) max = v;
    }
    minima[t] = min;
    if (max - min > spread) spread = max - min;
    if (spread > limit) return undefined;
  }
  return { minima, spread };
};

/** Columns of one length, the entries of one instance (or tile) side by side. */
export const interleave = <T extends Int32Array | Float64Array>(columns: readonly T[], empty: T): T => {
  if (columns.length <= 1) return columns[0] ?? empty;
  const out =
    empty instanceof Float64Array
      ? new Float64Array(columns.length * columns[0].length)
      : new Int32Array(columns.length * columns[0].length);
  columns.forEach((column, c) => put(out, column, c, columns.length));
  return out as T;
};

const put = (out: Int32Array | Float64Array, column: Int32Array | Float64Array, first: number, step: number): void => {
  for (let i = 0, at = first; i < column.length; i++, at += step) out[at] = column[i];
};
