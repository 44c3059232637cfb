import { INTERMEDIATE } from '../group/cut-hash.js';
import type { Body } from '../harvest/harvested.js';
import type { Ordered } from '../order/order.js';
import type { Movable } from './movable.js';
import { evenTiles, type Tiles } from './tiles.js';

/** A launch before its values have places: its groups, and the instances of each in every tile. */
export interface PlannedLaunch {
  readonly level: number;
  readonly groups: readonly Movable[];
  readonly tiles: Tiles;
}

/** Of fewer such tiles the values are in the last cache anyway when the next launch reads them, and threads have too few to divide. */
const LEAST_TILES = 16;

/** Of a group that is divided this part at least must be taken: the code of the rest is there once more. */
const LEAST_TAKEN = 1 / 2;

/**
 * Takes into a launch those instances of the next one that read only what one tile of it computes, or what was there before: they run when their tile is done, and
 * read it from a near cache where all of it would have gone through memory. What is computed stays the same, and so do its places.
 *
 * @param tileBytes values that a tile computes
 * @param cut the tiles of what is left of a launch
 */
export const fused = (
  h: Ordered,
  launches: readonly PlannedLaunch[],
  scalarBytes: number,
  tileBytes: number,
  cut: (groups: readonly Movable[]) => Tiles,
): PlannedLaunch[] => {
  const unitOf = unitsOfValues(h);
  const out: PlannedLaunch[] = [];
  for (let k = 0; k < launches.length; k++) {
    const [launch, next] = [launches[k], launches[k + 1]];
    const together = next === undefined ? undefined : joined(h, launch, next, unitOf, scalarBytes, tileBytes, cut);
    if (together === undefined) {
      out.push(launch);
      continue;
    }
    out.push(...together);
    k++;
  }
  return out;
};

/** Two launches as one and what is left of the second; undefined where nothing can be taken into the first. */
const joined = (
  h: Ordered,
  first: PlannedLaunch,
  second: PlannedLaunch,
  unitOf: Int32Array,
  scalarBytes: number,
  tileBytes: number,
  cut: (groups: readonly Movable[]) => Tiles,
): readonly PlannedLaunch[] | undefined => {
  const mayMove = (g: Movable): boolean =>
    g.body !== undefined && g.segments.length === 0 && g.move === undefined && g.repeated === undefined;
  if (!first.groups.every((g) => g.move === undefined && g.repeated === undefined)) return undefined;
  const count = Math.floor((scalarBytes * storedValues(h, first)) / tileBytes);
  if (count < LEAST_TILES || !second.groups.some(mayMove)) return undefined;
  const tiles = evenTiles(first.groups, h.order, scalarBytes, count);
  const tileOf = new Int32Array(h.ptr.length - 1).fill(EARLIER);
  first.groups.forEach(({ units }, k) => {
    const starts = tiles.starts[k];
    for (let t = 0; t < tiles.tiles; t++) for (let i = starts[t]; i < starts[t + 1]; i++) tileOf[units[i]] = t;
  });
  const taken: { readonly group: Movable; readonly starts: Int32Array }[] = [];
  const left: Movable[] = [];
  for (const g of second.groups) {
    const of = mayMove(g) ? tilesOfInstances(g.body!, g.units.length, (id) => tileOf[unitOf[id]]) : undefined;
    const { members, starts } = byTile(of ?? NONE, tiles.tiles);
    if (of === undefined || members.length < LEAST_TAKEN * g.units.length) {
      left.push(g);
      continue;
    }
    taken.push({ group: selected(g, members), starts });
    const rest = Int32Array.from(of.keys()).filter((m) => of[m] < 0);
    if (rest.length > 0) left.push(selected(g, rest));
  }
  if (taken.length === 0) return undefined;
  const together: PlannedLaunch = {
    ...first,
    groups: [...first.groups, ...taken.map(({ group }) => group)],
    tiles: { tiles: tiles.tiles, starts: [...tiles.starts, ...taken.map(({ starts }) => starts)] },
  };
  return left.length === 0 ? [together] : [together, { ...second, groups: left, tiles: cut(left) }];
};

/* In place of a tile: what was computed before, and what several tiles compute. */
const EARLIER = -1;
const SEVERAL = -2;
const NONE = new Int32Array(0);

/** Of each instance of a body the tile that computes what it reads. */
const tilesOfInstances = ({ columns }: Body, count: number, tileOf: (id: number) => number): Int32Array => {
  const found = new Int32Array(count).fill(EARLIER);
  for (const { kind, nodes } of columns) {
    if (kind !== INTERMEDIATE) continue;
    for (let i = 0; i < count; i++) {
      const tile = tileOf(nodes[i]);
      if (tile === EARLIER || tile === found[i]) continue;
      found[i] = found[i] === EARLIER ? tile : SEVERAL;
    }
  }
  return found;
};

/** The instances that have a tile, tile by tile, in each as they stand, and where each tile begins among them. */
const byTile = (of: Int32Array, tiles: number): { readonly members: Int32Array; readonly starts: Int32Array } => {
  const starts = new Int32Array(tiles + 1);
  for (const t of of) if (t >= 0) starts[t + 1]++;
  for (let t = 0; t < tiles; t++) starts[t + 1] += starts[t];
  const members = new Int32Array(starts[tiles]);
  const next = starts.slice();
  for (let i = 0; i < of.length; i++) if (of[i] >= 0) members[next[of[i]]++] = i;
  return { members, starts };
};

/** Some instances of a group, as a group. */
const selected = (g: Movable, members: Int32Array): Movable => {
  const { template, columns, constants } = g.body!;
  return {
    ...g,
    units: members.map((m) => g.units[m]),
    body: {
      template,
      columns: columns.map((c) => ({ ...c, nodes: members.map((m) => c.nodes[m]) })),
      constants: constants.map((values) => Float64Array.from(members, (m) => values[m])),
    },
  };
};

/** How many values a launch stores for others. */
const storedValues = ({ ptr, destinations: { read } }: Ordered, { groups }: PlannedLaunch): number => {
  let n = 0;
  for (const { units } of groups) for (const u of units) for (let r = ptr[u]; r < ptr[u + 1]; r++) n += read[r];
  return n;
};

/** The unit that computes each value. */
const unitsOfValues = ({ ids, ptr, roots }: Ordered): Int32Array => {
  const unitOf = new Int32Array(ids).fill(-1);
  for (let u = 0; u + 1 < ptr.length; u++) for (let r = ptr[u]; r < ptr[u + 1]; r++) unitOf[roots[r]] = u;
  return unitOf;
};
