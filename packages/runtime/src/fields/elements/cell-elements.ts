import { once } from '@filigree/ir';
import { dropAll, dropCell, elements, findCell, growCell, visitElements } from '@filigree/sparse/cells';
import type { Arena } from '../arena.js';
import { isAll, visitBox } from '../box.js';
import { areTogether, elementAt, type Component } from '../component.js';
import { boundsOf, denseArray } from '../dense-array.js';
import { listAround } from '../list.js';
import { activeContainers, fillCells, grownTiles, hasTiles } from '../rows.js';
import { innermostSparse, outermostSparse } from '../sparse-around.js';
import { copyStrided } from '../strided.js';
import { sidesOfTile, stridedInBox, stridedTile } from '../tile.js';
import { wholeOf } from '../whole.js';
import type { Elements } from './elements.js';
import { elementWriter } from './write-element.js';

/** The elements of a field in any layout: those in cells that are active. */
export const cellElements = (arena: Arena, name: string, components: readonly Component[]): Elements => {
  const [{ path }] = components;
  const count = components.length;
  const together = areTogether(components);
  const plain = components.every((c) => c.isPlain);
  const inTiles = together && hasTiles(path) && plain;
  const growsInTiles = plain && components.every((c) => hasTiles(c.path));
  /* Components whose elements lie in the same cells, each with its number. */
  const numbered = components.map((c, n) => ({ c, n }));
  const beside = together ? [numbered] : numbered.map((one) => [one]);
  const whole = once(() => wholeOf(arena, components));
  const innermost = once(() => innermostSparse(arena, components));
  const outermost = once(() => outermostSparse(arena, components));
  const grow: Elements['grow'] = (n, at) => growCell(arena, components[n].path, at);
  const write = elementWriter(components, grow);
  return {
    find: (n, at) => findCell(arena, components[n].path, at),
    grow,
    drop: (at) => {
      for (const { cells, indicesOf } of innermost()) dropCell(arena, cells, indicesOf(at));
    },
    dropAll: () => {
      for (const around of outermost()) dropAll(arena, around);
    },
    list: once(() => listAround(arena, name, components)),
    fill: (values) => {
      const all = whole();
      if (all) all.fill(values);
      else if (!inTiles) visitElements(arena, path, (cell, indices) => write(cell, indices, values));
      else
        for (const first of activeContainers(arena, path))
          components.forEach((c, n) => fillCells(c, elementAt(c, first), path, values[n]));
    },
    each: (make) => elements(arena, path, make),
    bounds: () => boundsOf(arena, components[0]),
    read: (box, into) => {
      const all = isAll(path, box) ? whole() : undefined;
      if (all) return all.read(into);
      const values = denseArray(arena, components, box);
      if (!into) return values;
      (into as Float64Array).set(values as Float64Array);
      return into;
    },
    write: (values, box) => {
      const all = isAll(path, box) ? whole() : undefined;
      if (all) return all.write(values);
      if (growsInTiles) {
        for (const some of beside)
          for (const tile of grownTiles(arena, some[0].c.path, box))
            for (const { c, n } of some)
              copyStrided(stridedInBox(values, tile, box, n, count), stridedTile(tile, c), sidesOfTile(tile));
        return;
      }
      let n = 0;
      visitBox(box, (at) => {
        write(grow(0, at), at, values, n);
        n += count;
      });
    },
  };
};
