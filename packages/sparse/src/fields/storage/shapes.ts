import { byteSize } from '@filigree/ir';
import { allocates, isSparse, type Layout, type SNode } from '../layout/layout.js';
import { storedType } from '../layout/stored-type.js';
import { align } from './align.js';
import { hasBorder, hasRows } from './margins.js';
import { staggered } from './stagger.js';

/** How one node lies in its parent's cell, and its cells in it: what does not depend on how many there are. */
export interface Shape {
  /** Bytes from the start of the parent's cell to this node's container, or to the value of a `place` node. */
  readonly offset: number;
  /** Bytes of a container. */
  readonly containerBytes: number;
  /** Cells of a container. */
  readonly cells: number;
  /**
   * Cells of a row, which differ along all of the node's axes but the first, if the container has two rows more: one that is
   * never written, where what is read out of bounds is found, and one that takes what is written there, or finds no room in a
   * list. Else 0. In Z-order a cell is a row.
   */
  readonly row: number;
  /** Cells, or slots, that lie in a container, with those rows, or that border; of slots a list has one more as well. */
  readonly storedCells: number;
  /**
   * Whether there are slots also for one more digit along each axis, which hold no cell: what is out of bounds is as what is not
   * active.
   */
  readonly border: boolean;
  /** Bytes from one cell to the next, in a container or in a pool; of a bit array eighths of them. */
  readonly cellBytes: number;
  /** Cells, or slots, from one to the next along each axis of the layout; 0 along axes that this node does not split. Not for `morton`. */
  readonly strides: readonly number[];
  /** Bytes from the start of a container to its first cell, where cells lie in the container. */
  readonly firstCell: number;
  /** Bytes from the start of a container to the i32 words of its mask, a bit a cell; for `bitmasked`. */
  readonly mask: number | undefined;
  /** Bytes from the start of a container to the i32 count of its cells; for `dynamic`. */
  readonly length: number | undefined;
  /**
   * Bytes from the start of a container to a copy of its mask or its length, of when a loop over its elements began that may
   * change them; for nodes of which cells lie in their containers and hold fields.
   */
  readonly snapshot: number | undefined;
  /** Bytes from the start of a container to the i32 cell numbers, one a cell; for `pointer`. */
  readonly slots: number | undefined;
}

/** Sizes from the leaves up, and then offsets within each cell. */
export const shapesOf = (layout: Layout): readonly Shape[] => {
  const { nodes } = layout;
  const alignments = new Array<number>(nodes.length);
  const shapes = new Array<Shape>(nodes.length);
  for (const node of [...nodes].reverse()) {
    if (node.field) {
      const bytes = byteSize(storedType(node));
      alignments[node.id] = bytes;
      shapes[node.id] = { ...nothing(nodes[0].extents.length), containerBytes: bytes, cellBytes: bytes };
      continue;
    }
    if (node.kind === 'bits') {
      const bytes = node.word! / 8;
      const { bits } = nodes[node.children[0]].stored!.format;
      node.children.forEach((c, n) => (shapes[c] = { ...shapes[c], offset: n * bytes }));
      alignments[node.id] = bytes;
      shapes[node.id] = {
        ...nothing(nodes[0].extents.length),
        containerBytes: node.children.length * bytes,
        cells: node.extents.reduce((n, extent) => n * extent, 1),
        cellBytes: bits / 8,
        strides: stridesOf(node, false),
      };
      continue;
    }
    let cell = 0;
    const place = node.id === 0 ? staggered() : (from: number, _: number, alignment: number) => align(from, alignment);
    const words = new Map<string, number>();
    for (const c of node.children) {
      const word = nodes[c].stored?.word ?? '';
      const offset = words.get(word) ?? place(cell, shapes[c].containerBytes, alignments[c]);
      shapes[c] = { ...shapes[c], offset };
      if (word !== '') words.set(word, offset);
      if (nodes[c].kind === 'bits')
        for (const f of nodes[c].children) words.set(nodes[f].stored!.word, offset + shapes[f].offset);
      cell = Math.max(cell, offset + shapes[c].containerBytes);
    }
    const inPool = allocates(node);
    const contents = Math.max(1, ...node.children.map((c) => alignments[c]));
    const cellBytes = align(cell, inPool ? 8 : contents);
    const cells = node.extents.reduce((n, extent) => n * extent, 1);
    const list = node.kind === 'dynamic';
    const row = list || hasRows(layout, node.id) ? (list || node.morton ? 1 : cells / node.extents[node.axes[0]]) : 0;
    const border = hasBorder(node);
    const strides = stridesOf(node, border);
    const slots = border ? strides[node.axes[0]] * (node.extents[node.axes[0]] + 1) : cells + (list ? 1 : 0);
    const storedCells = node.pointer ? slots : cells + 2 * row;
    const shape = { ...nothing(nodes[0].extents.length), cells, row, border, storedCells, cellBytes, strides };
    alignments[node.id] = node.kind === 'hash' ? 1 : inPool ? 4 : Math.max(contents, isSparse(node) ? 4 : 1);
    const loops = node.children.some((c) => nodes[c].field);
    shapes[node.id] = { ...shape, ...containerOf(node, shape, contents, loops) };
  }
  return shapes;
};

const nothing = (axes: number): Shape => ({
  offset: 0,
  containerBytes: 0,
  cells: 1,
  row: 0,
  storedCells: 1,
  border: false,
  cellBytes: 0,
  strides: new Array<number>(axes).fill(0),
  firstCell: 0,
  mask: undefined,
  length: undefined,
  snapshot: undefined,
  slots: undefined,
});

const containerOf = (
  node: SNode,
  { cells, storedCells, cellBytes }: Shape,
  contents: number,
  loops: boolean,
): Partial<Shape> => {
  if (node.kind === 'hash') return { containerBytes: 0 };
  const length = node.kind === 'dynamic' ? 0 : undefined;
  const head = length === undefined ? 0 : 4;
  if (node.pointer) return { length, slots: head, containerBytes: head + 4 * storedCells };
  const mask = node.bitmasked ? 0 : undefined;
  const bytes = mask === undefined ? head : 4 * Math.ceil(cells / 32);
  const snapshot = loops && bytes > 0 ? bytes : undefined;
  const firstCell = align(snapshot === undefined ? bytes : 2 * bytes, contents);
  return { length, mask, snapshot, firstCell, containerBytes: firstCell + storedCells * cellBytes };
};

/** Row by row: the last of a node's axes, as they were written, runs fastest. */
const stridesOf = (node: SNode, border: boolean): readonly number[] => {
  const strides = node.extents.map(() => 0);
  let stride = 1;
  for (const axis of [...node.axes].reverse()) {
    strides[axis] = stride;
    stride *= node.extents[axis] + (border ? 1 : 0);
  }
  return strides;
};
