import { fail } from '@filigree/ir';
import { elementsBelow, isSparse, pathTowards, type Path } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import type { Component } from './component.js';

/** The cells that a field's elements can be deactivated with, and the indices of such a cell from those of an element. */
export interface SparseCells {
  readonly cells: Path;
  readonly indicesOf: (element: ArrayLike<number>) => readonly number[];
}

/**
 * The innermost sparse cells around the components of a field, once for all that share them; where there are none the cells that
 * hold the components. Error: `field/in-list` where they are a list's.
 */
export const innermostSparse = (arena: Arena, components: readonly Component[]): readonly SparseCells[] => {
  const { layout } = arena.storage;
  return distinct(components, ({ decl, nodes, path }) => {
    const id = [...nodes].reverse().find((n) => isSparse(layout.nodes[n])) ?? nodes[nodes.length - 1];
    if (layout.nodes[id].kind === 'dynamic')
      fail('field/in-list', `elements of field '${decl.name}' lie in a list, from which single ones cannot be taken`, {
        remedy: 'clear the list, and append those that are to stay',
      });
    const leaf = nodes[nodes.length - 1];
    return [id, path.axes, leaf] as const;
  }).map(([id, axes, leaf]) => {
    const cells = pathTowards(arena.storage, id);
    const parts = cells.axes.map((axis) => ({
      position: axes.indexOf(axis),
      below: elementsBelow(layout, id, leaf, axis),
    }));
    return {
      cells,
      indicesOf: (element) => parts.map(({ position, below }) => Math.floor(element[position] / below)),
    };
  });
};

/** The outermost sparse cells around them; where there are none the outermost of all. */
export const outermostSparse = (arena: Arena, components: readonly Component[]): readonly Path[] =>
  distinct(components, ({ nodes }) => [nodes.find((n) => isSparse(arena.storage.layout.nodes[n])) ?? nodes[0]]).map(
    ([id]) => pathTowards(arena.storage, id),
  );

/* What begins with the same number is the same. */
const distinct = <A extends readonly [number, ...unknown[]]>(
  components: readonly Component[],
  f: (c: Component) => A,
): readonly A[] => [...new Map(components.map(f).map((a) => [a[0], a])).values()];
