import type { Builder, Value } from '@filigree/ir';
import { plus, times, valueOf, type TileHere } from './tile-loops.js';
import type { TileRegion } from './tile-plan.js';

/** What is stored, from `row` on. */
export interface Sum {
  readonly value: Value;
  readonly row: Value;
}

/** The products of a tile whose code is written out with `x`, summed by row. */
export const tileSums = (
  b: Builder,
  region: TileRegion,
  tile: TileHere,
  lanes: number,
  dtype: 'f32' | 'f64',
): readonly Sum[] => {
  if (region.form === 'lanes') return rowALane(b, region, tile, dtype);
  if (region.form === 'along') return [{ value: alongLanes(b, region, tile, lanes, dtype), row: tile.row(0) }];
  const row = tile.row(0);
  const term = b.mul(b.load('A', tile.valuesAt[0]), b.load('x', tile.column(0)));
  return [{ value: b.add(b.load('y', row), term), row }];
};

/** Lanes beyond the height of the tile compute what nobody stores. */
const rowALane = (
  b: Builder,
  { height, scattered, groups: [{ counts }] }: TileRegion,
  tile: TileHere,
  dtype: 'f32' | 'f64',
): readonly Sum[] => {
  const lanes = 2 ** Math.ceil(Math.log2(height));
  const { columnsAt, valuesAt } = tile;
  const xs: ((k: number) => Value)[] = [
    (k) => b.load('x', tile.column(plus(b, columnsAt[0], k)), lanes),
    (k) => b.splat(b.load('x', tile.column(plus(b, columnsAt[1], k))), lanes),
    (k) => {
      const at = plus(b, columnsAt[2], times(b, k, height));
      return joined(b, lanes, (lane) => b.load('x', tile.column(at, Math.min(lane, height - 1))));
    },
  ];
  const zero = b.constant(0, { lanes, of: dtype });
  const values = (section: number, k: number): Value =>
    b.load('A', valueOf(b, plus(b, valuesAt[section], times(b, k, height))), lanes);
  const sums = xs.reduce<readonly Value[]>(
    (before, x, s) => accumulate(b, counts[s], before, (k) => b.mul(values(s, k), x(k))),
    [],
  );
  const sum = sums.length === 0 ? zero : sums.reduce((p, q) => b.add(p, q));
  if (lanes === height && !scattered) return [{ value: sum, row: tile.row(0) }];
  return Array.from({ length: height }, (_, h) => ({ value: b.extract(sum, h), row: tile.row(h) }));
};

const alongLanes = (
  b: Builder,
  { groups: [{ counts }] }: TileRegion,
  tile: TileHere,
  lanes: number,
  dtype: 'f32' | 'f64',
): Value => {
  const { columnsAt, valuesAt } = tile;
  const values = (section: number, k: number): Value =>
    b.load('A', valueOf(b, plus(b, valuesAt[section], times(b, k, lanes))), lanes);
  const runs = accumulate(b, counts[0], [], (k) =>
    b.mul(values(0, k), b.load('x', tile.column(plus(b, columnsAt[0], k)), lanes)),
  );
  const sums = accumulate(b, counts[1], runs, (k) => {
    const at = plus(b, columnsAt[1], times(b, k, lanes));
    const x = joined(b, lanes, (lane) => b.load('x', tile.column(at, lane)));
    return b.mul(values(1, k), x);
  });
  const total =
    sums.length === 0
      ? []
      : [
          b.reduce(
            'add',
            sums.reduce((p, q) => b.add(p, q)),
          ),
        ];
  const [all = b.constant(0, dtype)] = accumulate(b, counts[2], total, (k) => {
    const value = b.load('A', valueOf(b, plus(b, valuesAt[2], k)));
    return b.mul(value, b.load('x', tile.column(plus(b, columnsAt[2], k))));
  });
  return all;
};

/** A vector of these lanes. */
export const joined = (b: Builder, lanes: number, lane: (h: number) => Value): Value => {
  let v = b.splat(lane(0), lanes);
  for (let h = 1; h < lanes; h++) v = b.insert(v, lane(h), h);
  return v;
};

/** Partial sums that take turns if there are many terms: a single sum would wait for itself. */
const turns = (terms: number): number => (terms < 8 ? 1 : terms < 16 ? 2 : 4);

/** Adds the terms 0 … count to partial sums that take turns. */
const accumulate = (
  b: Builder,
  count: number,
  sums: readonly Value[],
  term: (k: number) => Value,
): readonly Value[] => {
  const out = [...sums];
  for (let k = 0; k < count; k++) {
    const w = k % turns(count);
    out[w] = w in out ? b.add(out[w], term(k)) : term(k);
  }
  return out;
};
