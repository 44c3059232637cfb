import { allocateArray } from '@filigree/ir';
import { ambientCells, type IndexBox as Box } from '@filigree/sparse/fields';
import type { Arena } from '../arena.js';
import { sizeOfBox } from '../box.js';
import type { Component } from '../component.js';
import { digitsIn } from '../digits.js';
import { copyStrided } from '../strided.js';
import { sidesOfTile, stridedInBox, stridedTile, type Tile } from '../tile.js';
import { noList, type Elements } from './elements.js';

/** The elements of a field where all of them are there, along each axis at a constant distance from one to the next. */
export const stridedElements = (arena: Arena, name: string, components: readonly Component[]): Elements => {
  const { storage, words } = arena;
  const parts = components.map((c) => partOf(arena, c));
  const [{ path, decl }] = components;
  const extents = path.extents as readonly number[];
  const cellAt = (component: number, at: ArrayLike<number>): number => {
    const { first, bytes } = parts[component];
    let cell = first;
    for (let a = 0; a < at.length; a++) cell += at[a] * bytes[a];
    return cell;
  };
  const tileOf = (n: number, box: Box): Tile => ({ ...box, cell: cellAt(n, box.from), steps: parts[n].bytes });
  const all: Box = { from: extents.map(() => 0), to: extents };
  return {
    find: cellAt,
    grow: cellAt,
    drop: (at) => {
      for (const [node, n] of numberedBy(components, (nodes) => nodes[nodes.length - 1]))
        ambientCells(storage, words, storage.nodes[node], cellAt(n, at), 1);
    },
    dropAll: () => {
      for (const [node] of numberedBy(components, ([outermost]) => outermost)) {
        const at = storage.nodes[node];
        ambientCells(storage, words, at, storage.root + at.offset + at.firstCell, at.cells);
      }
    },
    list: () => noList(name, 'lists'),
    fill: (values) =>
      values.forEach((value, n) => {
        const array = allocateArray(decl.type, 1);
        array[0] = value;
        copyStrided(
          { array, first: 0, steps: extents.map(() => 0) },
          stridedTile(tileOf(n, all), components[n]),
          extents,
        );
      }),
    each: <A>(make: (cell: number, indices: readonly number[]) => A) =>
      places(parts[0].order, extents, (at) => make(cellAt(0, at), at)),
    bounds: () => ({ from: [...all.from], to: [...extents] }),
    read: (box, into) => {
      const array = into ?? allocateArray(decl.type, components.length * sizeOfBox(box));
      components.forEach((c, n) => {
        const tile = tileOf(n, box);
        copyStrided(stridedTile(tile, c), stridedInBox(array, tile, box, n, components.length), sidesOfTile(tile));
      });
      return array;
    },
    write: (array, box) =>
      components.forEach((c, n) => {
        const tile = tileOf(n, box);
        copyStrided(stridedInBox(array, tile, box, n, components.length), stridedTile(tile, c), sidesOfTile(tile));
      }),
  };
};

/** The address of the first cell of a component, bytes from one to the next along each axis, and the axes in the order of memory, the last of which runs fastest. */
const partOf = (arena: Arena, component: Component) => {
  const { start, digits } = digitsIn(arena, component)!;
  const bytes = component.path.axes.map((_, a) => digits.find((d) => d.position === a)!.bytes);
  return { first: start - component.offset, bytes, order: digits.map((d) => d.position) };
};

/* Nodes, and the number of the first component in each. */
const numberedBy = (
  components: readonly Component[],
  of: (nodes: readonly number[]) => number,
): ReadonlyMap<number, number> => new Map(components.map(({ nodes }, n) => [of(nodes), n] as const).reverse());

function* places<A>(
  order: readonly number[],
  extents: readonly number[],
  make: (at: readonly number[]) => A,
): Generator<A> {
  const at = extents.map(() => 0);
  for (;;) {
    yield make([...at]);
    let k = order.length - 1;
    while (k >= 0 && ++at[order[k]] === extents[order[k]]) at[order[k--]] = 0;
    if (k < 0) return;
  }
}
