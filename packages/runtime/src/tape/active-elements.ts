import { allocateArray, isFloat, type TypedArray } from '@filigree/ir';
import { growCell, visitElements } from '@filigree/sparse/cells';
import type { FieldDecl, Layout } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn } from '../fields/component.js';
import { elementWriter } from '../fields/elements/write-element.js';
import { areNear } from './are-near.js';
import type { State } from './saved.js';

/**
 * Copies the elements of fields in the same cells, as far as these are active. What has become active until they are put back becomes ambient, and what has become inactive
 * becomes active.
 */
export const activeElements = (arena: Arena, fields: readonly FieldDecl[]): State => {
  const { layout } = arena.storage;
  const components = fields.flatMap((f) => componentsIn(arena, f));
  const [{ path, nodes }] = components;
  const branches = new Set([nodes[0]]);
  const width = path.axes.length;
  const grow = (n: number, at: ArrayLike<number>): number => growCell(arena, components[n].path, at);
  const write = elementWriter(components, grow);
  const ambient = components.map((c) => c.ambient);
  const taken = (): Copy => {
    const indices: number[] = [];
    const cells: number[] = [];
    arena.ready(undefined, branches);
    visitElements(arena, path, (cell, at) => {
      cells.push(cell);
      for (let a = 0; a < width; a++) indices.push(at[a]);
    });
    return {
      count: cells.length,
      indices: Int32Array.from(indices),
      values: components.map(({ decl: { type }, isPlain, get }) => {
        /* A format may have more digits than what is computed with. */
        const values = allocateArray(!isPlain && isFloat(type) ? 'f64' : type, cells.length);
        for (let n = 0; n < cells.length; n++) values[n] = get(cells[n]);
        return values;
      }),
    };
  };
  const then = taken();
  const restore = (): void => {
    arena.ready('structure', branches);
    const valuesOf = (n: number) => then.values.map((all) => all[n]);
    let n = 0;
    /* Mostly the cells are those that there were, in their order. */
    visitElements(arena, path, (cell, at) => {
      const same = n < then.count && at.every((x, a) => x === then.indices[n * width + a]);
      write(cell, at, same ? valuesOf(n++) : ambient);
    });
    for (; n < then.count; n++) {
      const at = then.indices.subarray(n * width, (n + 1) * width);
      write(grow(0, at), at, valuesOf(n));
    }
  };
  return {
    bytes: then.values.reduce((sum, { byteLength }) => sum + byteLength, then.indices.byteLength),
    restore,
    restoreLast: restore,
    differs: (mixed = false) => {
      const [before, now] = [then, taken()].map((copy) =>
        mixed && isInList(layout, fields[0].name) ? sorted(copy, width) : copy,
      );
      const place = placeIn(now, before, width);
      const differs = (n: number): boolean =>
        !place || !areNear(fields[n].type, before.values[n], now.values[n], place);
      return fields.find((_, n) => differs(n))?.name;
    },
  };
};

/** Elements by their indices, one behind the other, and their values, of each field. */
interface Copy {
  readonly count: number;
  readonly indices: Int32Array;
  readonly values: readonly TypedArray[];
}

/** Whether the elements of a field are the cells of lists. */
export const isInList = ({ fields, nodes }: Layout, field: string): boolean =>
  nodes[fields.get(field)!.path.at(-2)!].kind === 'dynamic';

/** The elements of lists, each list in the order of its values. */
const sorted = ({ count, indices, values }: Copy, width: number): Copy => {
  const isOneList = (n: number, m: number): boolean =>
    indices.subarray(n * width, (n + 1) * width - 1).every((x, a) => x === indices[m * width + a]);
  const order: number[] = [];
  for (let from = 0, to = 0; from < count; from = to) {
    while (to < count && isOneList(from, to)) to++;
    const list = Array.from({ length: to - from }, (_, k) => from + k);
    order.push(...list.sort((n, m) => differenceOf(values, n, m)));
  }
  const inOrder = (all: TypedArray): TypedArray => {
    const made = all.slice();
    order.forEach((from, n) => (made[n] = all[from]));
    return made;
  };
  return { count, indices, values: values.map(inOrder) };
};

const differenceOf = (values: readonly TypedArray[], n: number, m: number): number => {
  for (const all of values) if (all[n] !== all[m]) return all[n] < all[m] ? -1 : 1;
  return 0;
};

/** Where the elements of another copy are in one: a hash table may have them in another order. Nothing where it has others. */
const placeIn = (one: Copy, other: Copy, width: number): ((n: number) => number) | undefined => {
  if (one.count !== other.count) return undefined;
  if (one.indices.every((x, k) => x === other.indices[k])) return (n) => n;
  const key = ({ indices }: Copy, n: number): string => indices.subarray(n * width, (n + 1) * width).join();
  const places = new Map(Array.from({ length: one.count }, (_, n) => [key(one, n), n] as const));
  const found = Int32Array.from({ length: other.count }, (_, n) => places.get(key(other, n)) ?? -1);
  return found.includes(-1) ? undefined : (n) => found[n];
};
