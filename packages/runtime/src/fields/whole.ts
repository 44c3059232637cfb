import { allocateArray, type TypedArray } from '@filigree/ir';
import type { Arena } from './arena.js';
import type { Component } from './component.js';
import { digitsIn } from './digits.js';
import { copyAlong, joinedAxes } from './strided.js';

/** All elements of a field, as a dense array, row by row, components last. */
export interface Whole {
  readonly length: number;
  readonly read: (into?: TypedArray) => TypedArray;
  readonly write: (values: TypedArray) => void;
  /** Writes one value of each component into all elements. */
  readonly fill: (values: readonly (number | bigint)[]) => void;
}

/** Copies of a whole field along distances that are found once; `undefined` where it does not lie at constant distances. */
export const wholeOf = (arena: Arena, components: readonly Component[]): Whole | undefined => {
  const [{ path, decl }] = components;
  const sides = path.extents as readonly number[];
  const parts = components.map((c, n) => partOf(arena, c, n, components.length));
  const length = sides.reduce((product, side) => product * side, components.length);
  if (!parts.every((p) => p !== undefined) || !(length > 0 && length < LONGEST)) return undefined;
  return {
    length,
    read: (into) => {
      const array = into ?? allocateArray(decl.type, length);
      for (const { memory, first, reading } of parts) copyAlong(memory, { array, first }, reading);
      return array;
    },
    write: (array) => {
      for (const { memory, first, writing } of parts) copyAlong({ array, first }, memory, writing);
    },
    fill: (values) => {
      const array = allocateArray(decl.type, values.length);
      for (const { memory, first, writing } of parts) {
        array[first] = values[first];
        copyAlong(
          { array, first },
          memory,
          writing.map((axis) => ({ ...axis, step: 0 })),
        );
      }
    },
  };
};

/* One component, number `n` of `count`. */
const partOf = (arena: Arena, component: Component, n: number, count: number) => {
  const { start, digits } = digitsIn(arena, component) ?? {};
  if (start === undefined || digits === undefined) return undefined;
  const { path, bytes, array } = component;
  const sides = path.extents as readonly number[];
  const rows = sides.map((_, a) => sides.slice(a + 1).reduce((product, side) => product * side, count));
  const covered = sides.map((_, a) => digits.reduce((all, d) => (d.position === a ? all * d.extent : all), 1));
  if (covered.some((all, a) => all !== sides[a])) return undefined;
  const [inMemory, inArray] = [digits.map((d) => d.bytes / bytes), digits.map((d) => d.below * rows[d.position])];
  const extent = digits.map((d) => d.extent);
  return {
    memory: { array, first: start / bytes },
    first: n,
    reading: joinedAxes(inMemory, inArray, extent),
    writing: joinedAxes(inArray, inMemory, extent),
  };
};

/* Arrays beyond this are refused where they are asked for. */
const LONGEST = 2 ** 32;
