/** Neighbouring rows or columns of C that one micro-kernel computes: where it begins, and its members relative to that. */
export interface Tile {
  readonly at: number;
  readonly members: readonly number[];
}

/** Tiles that differ in nothing but where they begin: the same code in a loop. */
export interface TileRun extends Tile {
  readonly count: number;
  readonly step: number;
}

/** Cuts a list of places into tiles of at most `most` members, as even as can be, the larger ones first. */
export const tilesOf = (places: readonly number[], most: number): readonly Tile[] => {
  const count = Math.ceil(places.length / most);
  const [small, larger] = [Math.floor(places.length / count), places.length % count];
  let from = 0;
  return Array.from({ length: count }, (_, t) => {
    const members = places.slice(from, (from += small + (t < larger ? 1 : 0)));
    return { at: members[0], members: members.map((p) => p - members[0]) };
  });
};

/** Joins neighbouring tiles of one shape at one distance; with `apart` none are. */
export const runsOf = (tiles: readonly Tile[], apart = false): readonly TileRun[] => {
  const runs: TileRun[] = [];
  for (const tile of tiles) {
    const last = runs.at(-1);
    const step = last ? tile.at - last.at - (last.count - 1) * last.step : 0;
    const joins =
      last !== undefined && !apart && sameList(last.members, tile.members) && (last.count === 1 || step === last.step);
    if (joins)
      runs[runs.length - 1] = { ...last, count: last.count + 1, step: last.count === 1 ? tile.at - last.at : step };
    else runs.push({ ...tile, count: 1, step: 0 });
  }
  return runs;
};

const sameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((x, k) => x === b[k]);
