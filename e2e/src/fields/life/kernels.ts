import { active, i8, kernel, ndrange, sum, unrolled } from '@filigree/lang/kernels';
import { int } from '@filigree/quant';
import { dense, fields, i, ij, j, layout, stored, type Branch } from '@filigree/sparse/fields';
import type { LifeRule } from './rule.js';

/** How the cells are stored: one bit each or one byte; all of them, or in blocks that are there where something lives. */
export interface LifeStorage {
  readonly quant: boolean;
  readonly sparse: boolean;
}

/** Columns of a block, and its rows, which are as many as generations until the next blocks have to be there. */
export const COLUMNS = 512;
export const ROWS = 64;

/** Conway's Game of Life, and others of its kind: which cells live now, and which next (thesis §5.7.3). */
export const lifeOf = (size: number, { quant, sparse }: LifeStorage, { birth, survival }: LifeRule) => {
  const { now, next } = fields('i8', ij, ['now', 'next']);
  const both = [now, next];
  const bit = int(1, { signed: false });
  const [rows, columns] = sparse ? [ROWS, COLUMNS] : [size, size];
  const on = (): Branch[] => both.map((f) => dense(i, rows).bitArray(j, columns, 64).place(stored(f, bit)));
  const off = (): Branch[] => both.map((f) => dense(i, rows).dense(j, columns).place(f));
  const cells = quant ? on : off;
  const always = birth.filter((n) => survival.includes(n));
  const born = birth.filter((n) => !always.includes(n));
  const kept = survival.filter((n) => !always.includes(n));
  const scope = { active, always, born, kept, i8, ndrange, sum, unrolled, ROWS };
  const step = (from: typeof now, to: typeof now) =>
    kernel([from, to], { scope }, (from, to) => {
      for (const [y, x] of active(from)) {
        const lives = from[y][x];
        const count = sum(unrolled(ndrange([-1, 2], [-1, 2])), ([a, b]) => from[y + a][x + b]) - lives;
        let will = 0;
        for (const n of always) if (count === n) will = 1;
        for (const n of born) if (lives === 0 && count === n) will = 1;
        for (const n of kept) if (lives === 1 && count === n) will = 1;
        to[y][x] = i8(will);
      }
    });
  return {
    fields: { now, next },
    /* One after the other: rows that a step reads do not lie between those that it writes. */
    layout: layout(
      ...(sparse
        ? [
            dense(ij, [size / ROWS, size / COLUMNS])
              .pointer()
              .fork(...cells()),
          ]
        : cells()),
    ),
    kernels: {
      there: step(now, next),
      back: step(next, now),
      /* Whatever can live within so many generations lies in blocks that are there; what is written is written over. */
      grow: kernel([now, next], { scope }, (now, next) => {
        for (const [y, x] of active(now))
          if (now[y][x] === 1)
            for (const [a, b] of unrolled(ndrange([-1, 2], [-1, 2]))) next[y + a * ROWS][x + b * ROWS] = i8(0);
      }),
    },
  };
};
