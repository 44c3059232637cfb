import { allocateArray, fail, type TypedArray } from '@filigree/ir';
import { findCell, visitElements, type IndexBox as Box, type Path } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { areTogether, type Component } from './component.js';
import { activeTiles, hasTiles, sidesOfTile, stridedInBox, stridedTile } from './rows.js';
import { copyStrided } from './strided.js';

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

/** The box given, checked, or all of a field. Error: `field/box`. */
export const boxOf = (name: string, { extents, axes }: Path, box: Box | undefined): Box => {
  if (box !== undefined) {
    if (
      ![box?.from, box?.to].every((s) => Array.isArray(s) && s.length === axes.length && s.every(Number.isSafeInteger))
    )
      refuse(
        `the box of field '${name}' has not ${axes.length} whole numbers a side`,
        'give { from: […], to: […] }, an index an axis',
      );
    const inside = axes.every(
      (_, a) =>
        box.from[a] <= box.to[a] && (extents[a] === undefined || (box.from[a] >= 0 && box.to[a] <= extents[a]!)),
    );
    if (!inside)
      refuse(
        `the box from [${box.from.join(', ')}] to [${box.to.join(', ')}] is not inside field '${name}'`,
        `its indices are below [${extents.map((n) => n ?? '∞').join(', ')}]`,
      );
    return box;
  }
  if (extents.includes(undefined))
    return refuse(`field '${name}' has no bounds`, 'give a box; bounds() is the smallest that holds all');
  return { from: axes.map(() => 0), to: extents as readonly number[] };
};

/** Whether a box is all of a field that has bounds. */
export const isAll = ({ extents }: Path, { from, to }: Box): boolean =>
  extents.every((n, a) => from[a] === 0 && to[a] === n);

const refuse = (message: string, remedy: string): never => fail('field/box', message, { remedy });

/** The values of a box, row by row, components last. Error: `field/too-large`. */
export const denseArray = (
  arena: Arena,
  name: string,
  components: readonly Component[],
  { from, to }: Box,
): TypedArray => {
  const sides = from.map((x, a) => to[a] - x);
  const count = components.length;
  const length = sides.reduce((n, side) => n * side, count);
  if (length > MAX_LENGTH)
    fail('field/too-large', `the box of field '${name}' holds ${length} values`, {
      remedy: 'give a smaller box, or use entries()',
    });
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

/** Visits the indices of a box row by row, always in the same list. */
export const visitBox = ({ from, to }: Box, visit: (indices: readonly number[]) => void): void => {
  if (from.some((x, a) => x >= to[a])) return;
  const indices = [...from];
  for (;;) {
    visit(indices);
    let a = indices.length - 1;
    while (a >= 0 && ++indices[a] === to[a]) {
      indices[a] = from[a];
      a--;
    }
    if (a < 0) return;
  }
};

/** Values in a box, row by row. */
export const sizeOfBox = ({ from, to }: Box): number => from.reduce((n, x, a) => n * (to[a] - x), 1);

/* What engines allow in one typed array, in elements. */
const MAX_LENGTH = 2 ** 32;
