import type { Builder, Value } from '@filigree/ir';
import type { Unit } from './row-loops.js';

/** Additions that a processor has under way at once, about. */
const SUMS = 4;

/**
 * Σ over the columns k of a unit, one sum a row h: `shared(k)` is what all rows use of a column, `term(k, h, shared)` what a
 * row adds.
 */
export const rowSums = (
  b: Builder,
  unit: Unit,
  dtype: 'f32' | 'f64',
  shared: (k: number | Value) => Value,
  term: (k: number | Value, h: number, shared: Value) => Value,
): readonly Value[] => {
  const { height, length } = unit;
  const rows = Array.from({ length: height }, (_, h) => h);
  const zero = b.constant(0, dtype);
  if (typeof length === 'number') {
    const sums: (Value | undefined)[] = rows.map(() => undefined);
    for (let k = 0; k < length; k++) {
      const s = shared(k);
      for (const h of rows) {
        const t = term(k, h, s);
        const sum = sums[h];
        sums[h] = sum === undefined ? t : b.add(sum, t);
      }
    }
    return sums.map((s) => s ?? zero);
  }
  /* Several sums a row where there are few rows: one would wait for itself. */
  const ways = Math.max(1, Math.floor(SUMS / height));
  const one = b.i32(1);
  const step = (k: Value, carried: readonly Value[], way: number): Value[] => {
    const s = shared(k);
    return rows.map((h) => b.add(carried[way * height + h], term(k, h, s)));
  };
  if (ways === 1)
    return b.for(
      b.i32(0),
      length,
      one,
      {},
      rows.map(() => zero),
      (k, carried) => step(k, carried, 0),
    );
  const even = b.sub(length, b.rem(length, b.i32(ways)));
  const all = Array.from({ length: ways * height }, () => zero);
  const sums = b.for(b.i32(0), even, b.i32(ways), {}, all, (k, carried) =>
    Array.from({ length: ways }, (_, w) => step(w === 0 ? k : b.add(k, b.i32(w)), carried, w)).flat(),
  );
  const total = rows.map((h) =>
    Array.from({ length: ways }, (_, w) => sums[w * height + h]).reduce((x, y) => b.add(x, y)),
  );
  return b.for(even, length, one, {}, total, (k, carried) => step(k, carried, 0));
};
