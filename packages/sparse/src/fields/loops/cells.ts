import type { Builder, Value } from '@filigree/ir';
import { axesOf, type SNode } from '../layout/layout.js';
import { along, fixed, load, plus, store, type Address, type Emit } from '../access/lower/address.js';
import { extract, interleave } from '../access/lower/digits.js';
import { extentAlong } from '../access/path.js';
import { poolCell } from '../access/lower/pool-cell.js';
import { deinterleave } from './deinterleave.js';
import type { NodeStorage, Storage } from '../storage/storage.js';

/**
 * A cell of a node that was found by going through the structure, not by coordinates: where it lies, and its number among
 * all of its node (see `List`). The root's cell has no number.
 */
export interface Cell {
  readonly node: NodeStorage;
  readonly address: Address;
  readonly id: Value | undefined;
}

/** Coordinates in the index space of a node's cells, by axis; only axes that are split there or above. */
export type Coordinates = ReadonlyMap<number, Value>;

export const rootCell = ({ storage }: Emit): Cell => ({
  node: storage.nodes[0],
  address: fixed(storage.root),
  id: undefined,
});

/** A cell of a pool. */
export const pooledCell = (node: NodeStorage, id: Value): Cell => ({
  node,
  address: poolCell(node, node.pool!, id),
  id,
});

/** A cell that lies in a container, in a cell of the node around. */
export const innerCell = ({ b }: Emit, around: Cell, node: NodeStorage, number: Value): Cell => ({
  node,
  address: along(plus(around.address, node.offset + node.firstCell), number, node.cellBytes),
  id: around.id ? b.add(b.mul(around.id, b.i32(node.cells)), number) : number,
});

/** The cell of a node, not the root, with this number among all of its node. */
export const cellOf = (e: Emit, node: number, id: Value): Cell => {
  const { storage, b } = e;
  const at = storage.nodes[node];
  if (at.pool) return pooledCell(at, id);
  const [around, number] = split(b, at, id);
  return { ...innerCell(e, aroundOf(e, at, around), at, number), id };
};

/** Its coordinates. */
export const coordinatesOf = (e: Emit, node: number, id: Value): Coordinates => {
  const { storage, b } = e;
  const at = storage.nodes[node];
  if (at.pool) {
    const row = along(fixed(at.pool.coordinates), id, 4 * at.pool.axes.length);
    return new Map(at.pool.axes.map((axis, n) => [axis, inBounds(e, node, axis, load(e, plus(row, 4 * n), 'i32'))]));
  }
  const [around, number] = split(b, at, id);
  const { parent } = at.node;
  const outer: Coordinates = around ? coordinatesOf(e, parent, around) : new Map();
  return refine(e, at, outer, digitsOf(b, at, number));
};

/** Coordinates in a node's cell space from those of its container and the cell's digits along the axes that it splits. */
const refine = (e: Emit, at: NodeStorage, outer: Coordinates, digits: Coordinates): Coordinates =>
  at.node.axes.reduce<Coordinates>(
    (all, axis) => new Map([...all, [axis, refineAxis(e, at.node, axis, all.get(axis), digits.get(axis)!)]]),
    outer,
  );

/** The same along one axis. */
const refineAxis = (e: Emit, node: SNode, axis: number, outer: Value | undefined, digit: Value): Value =>
  withDigit(e, node, axis, baseOf(e, node, axis, outer), digit);

/** The coordinate of a container's first cell along an axis, from that of the cell around it. */
export const baseOf = ({ b }: Emit, node: SNode, axis: number, outer: Value | undefined): Value =>
  !outer ? b.i32(0) : node.extents[axis] === 1 ? outer : b.mul(outer, b.i32(node.extents[axis]));

export const withDigit = ({ b, storage }: Emit, node: SNode, axis: number, base: Value, digit: Value): Value =>
  b.value('snode.index', [base, digit], { unit: node.extents[axis], ...boundsOf(storage, node.id, axis) });

/** The number of a cell in its container, from its digits; those along axes of one cell may be missing. */
export const numberOf = (b: Builder, { node, strides }: NodeStorage, digits: Coordinates): Value => {
  const axes = node.axes.filter((axis) => node.extents[axis] > 1);
  if (axes.length === 0) return b.i32(0);
  if (node.morton)
    return interleave(
      b,
      axes.map((axis) => digits.get(axis)!),
      node.extents[axes[0]],
    );
  return axes
    .map((axis) => (strides[axis] === 1 ? digits.get(axis)! : b.mul(digits.get(axis)!, b.i32(strides[axis]))))
    .reduce((x, y) => b.add(x, y));
};

/** The place of a cell in a container, from its digits. */
export const cellAddress = ({ b }: Emit, container: Address, at: NodeStorage, digits: Coordinates): Address => {
  const first = plus(container, at.firstCell);
  if (at.node.morton) return along(first, numberOf(b, at, digits), at.cellBytes);
  return at.node.axes
    .filter((axis) => at.node.extents[axis] > 1)
    .reduce((place, axis) => along(place, digits.get(axis)!, at.strides[axis] * at.cellBytes), first);
};

/** Values of coordinates in the order of axes, as ops take them. */
export const ordered = (storage: Storage, node: number, coordinates: Coordinates): readonly Value[] =>
  axesOf(storage.layout, node).map((axis) => coordinates.get(axis)!);

/** An i32 of an array in the arena. */
export const entry = (array: number, at: Value): Address => along(fixed(array), at, 4);

export const loadWord = (e: Emit, at: Address): Value => load(e, at, 'i32');

export const storeWord = (e: Emit, value: Value, at: Address): void => store(e, value, at, 'i32');

const aroundOf = (e: Emit, at: NodeStorage, id: Value | undefined): Cell =>
  id ? cellOf(e, at.node.parent, id) : rootCell(e);

/** Number of the cell around, and the number in the container. */
const split = (b: Builder, at: NodeStorage, id: Value): readonly [around: Value | undefined, number: Value] =>
  at.node.parent === 0 ? [undefined, id] : [extract(b, id, at.cells, 0, false), extract(b, id, 1, at.cells, false)];

/** The digits of a number in a container. */
const digitsOf = (b: Builder, { node, strides }: NodeStorage, number: Value): Coordinates => {
  if (node.morton) {
    const digits = deinterleave(b, number, node.axes.length, node.extents[node.axes[0]]);
    return new Map(node.axes.map((axis, n) => [axis, digits[n]]));
  }
  return new Map(
    node.axes.map((axis, n) => [axis, extract(b, number, strides[axis], n === 0 ? 0 : node.extents[axis], false)]),
  );
};

/** A coordinate that is known to be within bounds, said so. */
const inBounds = ({ b, storage }: Emit, node: number, axis: number, value: Value): Value => {
  const bounds = boundsOf(storage, node, axis);
  return bounds ? b.value('snode.index', [value, b.i32(0)], { unit: 1, ...bounds }) : value;
};

const boundsOf = (
  { layout }: Storage,
  node: number,
  axis: number,
): { readonly lo: number; readonly hi: number } | undefined => {
  const hi = extentAlong(layout, node, axis);
  return hi === undefined ? undefined : { lo: 0, hi };
};
