import type { Tile } from './tiles.js';

/**
 * Tiles of columns of a sparse matrix that have entries in the same rows, so that what is loaded for a row serves several of them: each begins
 * with the column of most entries that is left, and goes on with those that share the most rows with it so far.
 *
 * @param rows the rows of each column's entries, below `height`
 * @param sizes how many columns each tile has, of all columns together
 */
export const alikeColumns = (
  rows: readonly (readonly number[])[],
  height: number,
  sizes: readonly number[],
): readonly Tile[] => {
  const left = [...rows.keys()].sort((x, y) => rows[y].length - rows[x].length || x - y);
  return sizes.map((size) => {
    const reached = new Uint8Array(height);
    const members: number[] = [];
    while (members.length < size) {
      const [column] = left.splice(members.length === 0 ? 0 : mostShared(left, rows, reached), 1);
      members.push(column);
      for (const r of rows[column]) reached[r] = 1;
    }
    members.sort((x, y) => x - y);
    return { at: members[0], members: members.map((column) => column - members[0]) };
  });
};

/** Which of the columns left shares the most rows, and has the fewest others. */
const mostShared = (left: readonly number[], rows: readonly (readonly number[])[], reached: Uint8Array): number => {
  let [best, most, others] = [0, -1, 0];
  for (let place = 0; place < Math.min(left.length, COMPARED); place++) {
    const list = rows[left[place]];
    let shared = 0;
    for (const r of list) shared += reached[r];
    if (shared > most || (shared === most && list.length - shared < others))
      [best, most, others] = [place, shared, list.length - shared];
  }
  return best;
};

/** Of large matrices not all columns are compared with all. */
const COMPARED = 256;
