import { isSparse } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import type { Component } from './component.js';

/** Where a component begins in memory, and how many bytes it is from one digit of an index to the next; `undefined` where that is not constant, or it is stored in a format. */
export const digitsIn = ({ storage }: Arena, { path: { steps }, offset, isPlain }: Component) => {
  if (!isPlain || steps.some(({ at }) => isSparse(at.node) || at.node.morton)) return undefined;
  return {
    start: steps.reduce((address, { at }) => address + at.offset + at.firstCell, storage.root + offset),
    digits: steps.flatMap(({ at, digits }) => digits.map((d) => ({ ...d, bytes: d.stride * at.cellBytes }))),
  };
};
