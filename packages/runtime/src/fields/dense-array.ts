import { allocateArray, type TypedArray } from '@filigree/ir';
import { findCell, visitElements } from '@filigree/sparse/cells';
import { type IndexBox as Box } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { areTogether, type Component } from './component.js';
import { activeTiles, hasTiles } from './rows.js';
import { copyStrided } from './strided.js';
import { sidesOfTile, stridedInBox, stridedTile } from './tile.js';

/** The smallest box that holds the active elements of a component; `undefined` where none is active. */
export const boundsOf = (arena: Arena, { path }: Component): Box | undefined => {
  const from = path.axes.map(() => Infinity);
  const to = path.axes.map(() => -Infinity);
  visitElements(arena, path, (_cell, indices) => {
    for (let a = 0; a < indices.length; a++) {
      if (indices[a] < from[a]) from[a] = indices[a];
      if (indices[a] >= to[a]) to[a] = indices[a] + 1;
    }
  });
  return from[0] === Infinity ? undefined : { from, to };
};

/** The values of a box, row by row, components last. */
export const denseArray = (arena: Arena, components: readonly Component[], { from, to }: Box): TypedArray => {
  const sides = from.map((x, a) => to[a] - x);
  const count = components.length;
  const length = sides.reduce((n, side) => n * side, count);
  const out = allocateArray(components[0].decl.type, length);
  const together = areTogether(components);
  for (const [n, c] of components.entries())
    if (!Object.is(Number(c.ambient), 0)) for (let k = n; k < length; k += count) out[k] = c.ambient;
  if (together && hasTiles(components[0].path) && components.every((c) => c.isPlain)) {
    const box = { from, to };
    for (const tile of activeTiles(arena, components[0].path, box))
      components.forEach((c, n) =>
        copyStrided(stridedTile(tile, c), stridedInBox(out, tile, box, n, count), sidesOfTile(tile)),
      );
    return out;
  }
  const copy = (cell: number, indices: ArrayLike<number>): void => {
    let at = 0;
    for (let a = 0; a < indices.length; a++) at = at * sides[a] + indices[a] - from[a];
    for (let n = 0; n < count; n++) {
      const c = components[n];
      const holder = n === 0 || together ? cell : findCell(arena, c.path, indices);
      if (holder >= 0) out[at * count + n] = c.get(holder);
    }
  };
  visitElements(arena, components[0].path, copy, { from, to });
  return out;
};
