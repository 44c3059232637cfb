import { fail } from '@filigree/ir';
import { emptyList, findCell, growCell } from '@filigree/sparse/cells';
import { nodeText, pathTowards, type NodeStorage, type Path } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { parentOf, type Component } from './component.js';
import { noList, type ListAccess } from './elements/elements.js';
import { checkedIndices, type Indices } from './indices.js';

/** The innermost lists around the elements of a field. Error: `field/no-list`; of `append` also where more nodes lie within. */
export const listAround = (arena: Arena, name: string, components: readonly Component[]): ListAccess => {
  const { nodes } = arena.storage;
  const [id, ...others] = new Set(
    components.map((c) => [...c.nodes].reverse().find((n) => nodes[n].node.kind === 'dynamic')),
  );
  if (id === undefined || others.length > 0) return noList(name, id === undefined ? 'lists' : 'one list');
  const at = nodes[id];
  const what = `the list of field '${name}'`;
  const around = pathTowards(arena.storage, at.node.parent);
  const path = pathTowards(arena.storage, id);
  const containerAt = (list: Indices): number => {
    const cell = findCell(arena, around, checkedIndices(what, around, list));
    return cell < 0 ? -1 : cell + at.offset;
  };
  const length = (list: Indices): number => {
    const container = containerAt(list);
    return container < 0 ? 0 : Math.min(at.cells, arena.words[(container + at.length!) / 4]);
  };
  return {
    length,
    clear: (list) => {
      const container = containerAt(list);
      if (container >= 0) emptyList(arena, at, container);
    },
    append: (list) => {
      if (components.some((c) => parentOf(c) !== id))
        fail('field/no-list', `a cell of ${what} holds more than one element`, {
          remedy: 'write the elements one by one, with set()',
        });
      const place = length(list);
      if (place >= at.cells)
        fail('field/list-full', `${what} is full: ${nodeText(at.node)} holds ${at.cells} cells`, {
          remedy: 'make the list longer in the layout, or clear it',
        });
      const indices = withPlace(at, path, around, list, place);
      return [growCell(arena, path, indices), place, indices];
    },
  };
};

/* The indices of a list's cell: those of the list, and its place on the list's own axis. */
const withPlace = (at: NodeStorage, path: Path, around: Path, list: Indices, place: number): readonly number[] => {
  const given = typeof list === 'number' ? [list] : list;
  return path.axes.map((axis) => (axis === at.node.axes[0] ? place : given[around.axes.indexOf(axis)]));
};
