import { HANDS, LINE } from './lots.js';
import { type Pool } from './storage.js';

/** What has been given out of a pool since it was last collected. */
export interface Given {
  /** Turns that have passed: those of the lots that were opened, of the last of them only those that were taken. */
  readonly turns: number;
  /** Numbers of the cells of those turns that nobody took. */
  readonly left: readonly number[];
}

/** Looks at what kernels took from a pool. */
export const givenOf = (words: Int32Array, { lots, used, freeCount, free, capacity }: Pool): Given => {
  const reusable = words[freeCount / 4];
  const fresh = words[used / 4] - reusable;
  /* A lot begins where the number of a cell that was never used is a multiple of its size. */
  const skipped = fresh % lots.turns;
  const most = reusable + capacity - words[used / 4];
  const opened = words[lots.opened / 4];
  const left: number[] = [];
  let turns = 0;
  for (let lot = 0; lot < opened && turns < most; lot++) {
    const end = Math.min((lot + 1) * lots.turns - skipped, most);
    turns = Math.min(turns + words[(lots.taken + lot * LINE) / 4], end);
    if (lot === opened - 1) break;
    for (; turns < end; turns++) left.push(turns < reusable ? words[free / 4 + turns] : fresh + turns);
  }
  return { turns, left };
};

/** Closes the lots of a pool, as if nothing had been given out of it. */
export const closeLots = (words: Int32Array, { lots }: Pool): void => {
  const opened = Math.min(words[lots.opened / 4], lots.most);
  for (let lot = 0; lot < opened; lot++) words[(lots.taken + lot * LINE) / 4] = 0;
  for (let hand = 0; hand < HANDS; hand++) words[(lots.hands + hand * LINE) / 4] = 0;
  words[lots.opened / 4] = 0;
  words[lots.searched / 4] = 0;
};
