import type { Builder, Value } from '@filigree/ir';
import { plus, times, valueOf, type Count, type TileHere } from './tile-loops.js';

/**
 * The columns of a tile of rows that share them all, one by one: written out where their number is known, else in a loop that
 * carries `inits`. Gives what is carried in the end.
 */
export const forEachEntry = (
  b: Builder,
  { counts: [, count], column, columnsAt }: TileHere,
  inits: readonly Value[],
  visit: (k: Count, column: Value, carried: readonly Value[]) => readonly Value[],
): readonly Value[] => {
  const at = (k: Count, carried: readonly Value[]): readonly Value[] =>
    visit(k, column(plus(b, columnsAt[1], k)), carried);
  if (typeof count !== 'number') return b.for(b.i32(0), count, b.i32(1), {}, inits, at);
  return Array.from({ length: count }, (_, k) => k).reduce((carried, k) => at(k, carried), inits);
};

/** Position of the value in row `h` and entry `k` of such a tile. */
export const sharedPosition = (b: Builder, { valuesAt }: TileHere, height: number, k: Count, h: number): Value =>
  valueOf(b, plus(b, plus(b, valuesAt[1], times(b, k, height)), h));
