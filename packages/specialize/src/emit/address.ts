import type { Builder, Value } from '@filigree/ir';
import type { Encoded, Width } from '../place/encode.js';
import type { PlacedSegment, Shift } from '../place/place.js';
import { POOL } from '../place/pools.js';

/** A range of a group's instances: the tile that is running, or a piece of it. `first` undefined: the whole group, from instance 0. */
export interface Tile {
  readonly index: Value | undefined;
  readonly first: Value | undefined;
  readonly count: Value;
  /** Of a group whose tables are those of one step: which step it is. */
  readonly step?: Value;
  /** Of a group of one instance in a loop over steps: whether this is the step that has it. */
  readonly hasIt?: Value;
}

/** What does not change within a tile: the first entry of each table column, and the anchors. */
export interface TileTables {
  readonly rows: Readonly<Record<Width, readonly Value[]>>;
  readonly anchors: readonly Value[];
  /** What positions are more than in the first step, by address. */
  readonly shifts: readonly (Value | undefined)[];
}

export const tileTables = (
  b: Builder,
  { encoded, bases, shifts }: Pick<PlacedSegment, 'encoded' | 'bases' | 'shifts'>,
  tile: Tile,
): TileTables => {
  const rows = (width: Width): Value[] => columnStarts(b, tile, encoded.rows[width], bases[width]);
  const anchors = originsOf(b, encoded, bases, tile.index);
  const { step } = tile;
  const made = new Map<Shift, Value>();
  const shiftOf = (shift: Shift): Value | undefined => {
    if (step === undefined || shift === 0) return undefined;
    let value = made.get(shift);
    if (value === undefined) {
      value = typeof shift === 'number' ? linear(b, step, shift, 0) : b.load(POOL[32], linear(b, step, 1, shift.base));
      made.set(shift, value);
    }
    return value;
  };
  return { rows: { 8: rows(8), 16: rows(16), 32: rows(32) }, anchors, shifts: shifts.map(shiftOf) };
};

/** The anchors of a tile, a piece or a sum. */
export const originsOf = (
  b: Builder,
  { anchorCount }: Encoded,
  bases: PlacedSegment['bases'],
  index: Value | undefined,
): Value[] => {
  if (anchorCount === 0) return [];
  const row = linear(b, index, anchorCount, bases.anchors);
  return Array.from({ length: anchorCount }, (_, k) => b.load(POOL[32], plus(b, row, k)));
};

/** Positions in the step that runs. What is a constant away from another position is so there too, and needs no register of its own. */
export const inStep = (
  b: Builder,
  { addresses }: Encoded,
  { shifts }: TileTables,
  positions: readonly Value[],
): readonly Value[] => {
  const moved: Value[] = [];
  for (const [c, p] of positions.entries()) {
    const a = addresses[c];
    const shift = shifts[c];
    if (shift === undefined) moved.push(p);
    else if (a.is === 'offset' && shifts[a.column] === shift) moved.push(plus(b, moved[a.column], a.delta));
    else moved.push(b.add(p, shift));
  }
  return moved;
};

/** First entry of each of `count` columns of a tile; those of one instance stand side by side. */
export const columnStarts = (b: Builder, tile: Tile, count: number, base: number): Value[] => {
  if (count === 0) return [];
  const first = linear(b, tile.first, count, base);
  return Array.from({ length: count }, (_, r) => plus(b, first, r));
};

/** Entry of instance `j` of a tile in one of `count` columns, given the column's first. */
export const columnEntry = (b: Builder, start: Value, j: Value, count: number): Value =>
  b.add(start, count === 1 ? j : b.mul(j, b.i32(count)));

/** Where an instance stands: `j` entries behind the first of the tile or piece, whose instance `m` it is; `i` of the group. */
export interface Instance {
  readonly m: Value;
  readonly j: Value;
  readonly i: Value;
  /** Of a term: its sum, which is so many behind sum number `from`. */
  readonly sum?: SumOfTerm;
}

export interface SumOfTerm {
  readonly from: Value;
  readonly behind: number;
}

/** Positions of columns `from .. to)` for one instance, appended to those before. */
export const emitAddresses = (
  b: Builder,
  encoded: Encoded,
  tables: TileTables,
  at: Instance,
  from: number,
  to: number,
  known: readonly Value[],
): Value[] => {
  const positions = [...known];
  for (let c = from; c < to; c++) {
    const a = encoded.addresses[c];
    if (a.is === 'affine') positions.push(linear(b, a.stride === 0 ? undefined : at.i, a.stride, a.base));
    else if (a.is === 'line') {
      const { from, behind } = at.sum!;
      const ofSum = a.step === 0 ? undefined : linear(b, from, a.step, 0);
      const ofTerm = a.stride === 0 ? undefined : linear(b, at.m, a.stride, 0);
      const both = ofSum && ofTerm ? b.add(ofSum, ofTerm) : (ofSum ?? ofTerm);
      positions.push(linear(b, both, 1, a.base + behind * a.step));
    } else if (a.is === 'piece') {
      const origin = tables.anchors[a.origin];
      positions.push(a.stride === 0 ? origin : b.add(origin, linear(b, at.m, a.stride, 0)));
    } else if (a.is === 'offset') positions.push(plus(b, positions[a.column], a.delta));
    else {
      const entry = b.load(POOL[a.width], columnEntry(b, tables.rows[a.width][a.row], at.j, encoded.rows[a.width]));
      const wide = a.width === 32 ? entry : b.cast(entry, 'i32');
      const r = a.relativeTo;
      const relative =
        r === undefined ? wide : b.add('column' in r ? positions[r.column] : tables.anchors[r.anchor], wide);
      positions.push(plus(b, relative, a.bias));
    }
  }
  return positions;
};

/** base + stride·x, without the parts that vanish; x absent counts as 0. */
export const linear = (b: Builder, x: Value | undefined, stride: number, base: number): Value => {
  if (x === undefined) return b.i32(base);
  return plus(b, stride === 1 ? x : b.mul(x, b.i32(stride)), base);
};

const plus = (b: Builder, x: Value, constant: number): Value => (constant === 0 ? x : b.add(x, b.i32(constant)));
