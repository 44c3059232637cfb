import { axesOf, pathTo, type Layout } from '../layout/layout.js';
import { elementsBelow, type NodeStorage, type Storage } from '../storage/storage.js';

/** One level on the way from the root to an element: how to find the cell of a node from the element's indices. */
export interface Step {
  readonly id: number;
  readonly at: NodeStorage;
  /** The digits of the indices that number a cell within its container, in the order in which the node names its axes. */
  readonly digits: readonly Digit[];
  /** The place of the cell among all cells of the node, along each axis that the path down to it splits. */
  readonly cell: readonly Quotient[];
}

/** floor(index / below). */
export interface Quotient {
  /** Which of the element's indices. */
  readonly position: number;
  readonly below: number;
}

/** A quotient modulo `extent`. */
export interface Digit extends Quotient {
  readonly extent: number;
  /** Cells from one value of the digit to the next; 0 for `morton`. */
  readonly stride: number;
}

/** Which indices the elements of a node have, and the levels that lead to its cells, the outermost first. */
export interface Path {
  /** Axes of the indices, ascending. */
  readonly axes: readonly number[];
  /** Indices along each axis are below this and not below zero; `undefined` along an axis of a hash table. */
  readonly extents: readonly (number | undefined)[];
  readonly steps: readonly Step[];
}

/** The path to the cells of a structural node; the indices are numbers of its cells. */
export const pathTowards = (storage: Storage, id: number): Path => {
  const { layout, nodes } = storage;
  const ids = pathTo(layout.nodes, id);
  const axes = axesOf(layout, id);
  const quotient = (node: number, axis: number): Quotient => ({
    position: axes.indexOf(axis),
    below: elementsBelow(layout, node, id, axis),
  });
  return {
    axes,
    extents: axes.map((axis) => extentOf(layout, ids, axis)),
    steps: ids.map((n) => ({
      id: n,
      at: nodes[n],
      digits: layout.nodes[n].axes.map((axis) => ({
        ...quotient(n, axis),
        extent: layout.nodes[n].extents[axis],
        stride: nodes[n].strides[axis],
      })),
      cell: axesOf(layout, n).map((axis) => quotient(n, axis)),
    })),
  };
};

const extentOf = ({ nodes }: Layout, ids: readonly number[], axis: number): number | undefined =>
  ids.some((n) => nodes[n].kind === 'hash' && nodes[n].axes.includes(axis))
    ? undefined
    : ids.reduce((product, n) => product * nodes[n].extents[axis], 1);

/** What indices are divided by these. */
export const quotients = (list: readonly Quotient[], indices: ArrayLike<number>): readonly number[] =>
  list.map(({ position, below }) => Math.floor(indices[position] / below));

/** Number of a cell within its container. */
export const cellNumber = ({ at, digits }: Step, indices: ArrayLike<number>): number => {
  if (at.node.morton) return mortonNumber(digits.map((d) => digitOf(d, indices)));
  let number = 0;
  for (let d = 0; d < digits.length; d++) number += digitOf(digits[d], indices) * digits[d].stride;
  return number;
};

const digitOf = ({ position, below, extent }: Digit, indices: ArrayLike<number>): number => {
  const rest = Math.floor(indices[position] / below) % extent;
  return rest < 0 ? rest + extent : rest;
};

/**
 * The number of a cell along a Z-order curve: bit b of the digits stands before bit b − 1 of all, that of the first digit first. Digits
 * are words: of one below zero, an index outside, all bits count.
 */
export const mortonNumber = (digits: readonly number[]): number => {
  let number = 0;
  let all = 0;
  for (const digit of digits) all |= digit;
  for (let bit = 0, weight = 1; bit < 32 && all >>> bit !== 0; bit++)
    for (let d = digits.length - 1; d >= 0; d--, weight *= 2) if ((digits[d] >> bit) & 1) number += weight;
  return number;
};

/** The digits of a cell's number along a Z-order curve. */
export const mortonDigits = (number: number, count: number): readonly number[] => {
  const digits = new Array<number>(count).fill(0);
  for (let bit = 0, rest = number; rest > 0; bit++)
    for (let d = count - 1; d >= 0; d--) {
      digits[d] |= (rest % 2) << bit;
      rest = Math.floor(rest / 2);
    }
  return digits;
};
