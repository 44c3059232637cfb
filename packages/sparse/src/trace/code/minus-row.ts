import type { Builder, Value } from '@filigree/ir';
import type { Unit } from './row-loops.js';
import { joined } from './tiles/tile-sums.js';

/** Entries a row from which on vectors pay, whose lanes have to be summed in the end. */
const LONG = 8;

const LANES = 4;

/**
 * `start` − Σ over the columns k of a unit of one row, A[position k] · x(k). Taken from `start` one by one, since a row may
 * wait for what the one before gives to its last column.
 */
export const minusRow = (
  b: Builder,
  unit: Unit,
  dtype: 'f32' | 'f64',
  start: Value,
  x: (k: number | Value) => Value,
): Value => {
  const { length } = unit;
  const term = (k: number | Value): Value => b.mul(b.load('A', unit.position(k, 0)), x(k));
  if (typeof length === 'number') {
    return Array.from({ length }, (_, k) => k).reduce((s, k) => b.sub(s, term(k)), start);
  }
  const [none, one] = [b.i32(0), b.i32(1)];
  const rest = (from: Value, left: Value): Value =>
    b.for(from, length, one, {}, [left], (k, [s]) => b.sub(s, term(k)))[0];
  if (unit.meanLength < LONG) return rest(none, start);
  const vectors = b.div(length, b.i32(LANES));
  const [sums] = b.for(none, vectors, one, {}, [b.constant(0, { lanes: LANES, of: dtype })], (v, [s]) => {
    const k = b.mul(v, b.i32(LANES));
    const xs = joined(b, LANES, (lane) => x(lane === 0 ? k : b.add(k, b.i32(lane))));
    return b.add(s, b.mul(b.load('A', unit.position(k, 0), LANES), xs));
  });
  return rest(b.mul(vectors, b.i32(LANES)), b.sub(start, b.reduce('add', sums)));
};
