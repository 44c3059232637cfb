import type { DeviceBuffer } from '@filigree/backend/device';
import {
  allocateArray,
  describeValue,
  fail,
  flatValues,
  isFloat,
  type Nested,
  type ScalarType,
  type TypedArray,
  type TypedArrayOf,
  readOnly,
} from '@filigree/ir';
import {
  dropAll,
  dropCell,
  elements,
  findCell,
  growCell,
  visitElements,
  type AnyField,
  type IndexBox as Box,
  type FieldDecl,
  type MatrixField,
  type VectorField,
} from '@filigree/sparse/fields';
import type { Arena, ArenaUse } from './arena.js';
import { areTogether, componentsIn, elementAt, encodedTogether, type Component } from './component.js';
import { boundsOf, boxOf, denseArray, isAll, sizeOfBox, visitBox } from './dense-array.js';
import { denseBuffer, denseView, type DenseView } from './dense-view.js';
import { checkedIndices, type Indices } from './indices.js';
import { listAround } from './list.js';
import { once } from './once.js';
import { activeContainers, fillCells, grownTiles, hasTiles, sidesOfTile, stridedInBox, stridedTile } from './rows.js';
import { shapeOf } from './shape.js';
import { innermostSparse, outermostSparse } from './sparse-around.js';
import { copyStrided } from './strided.js';
import { fromStored, toStored } from './value.js';
import { wholeOf, type Whole } from './whole.js';

/**
 * A field in memory, to be read and written from outside kernels. Indices are a list, or a number where there is one axis.
 * Every method throws `DiagnosticError`: `field/index` outside the field, `field/indices` on a wrong number of indices,
 * `field/value` on what is no value of the field, `field/exhausted` where no cell is left to activate, and what its program
 * says when the memory must not be touched.
 */
export interface HostField<V = number, W = V, A extends TypedArray = TypedArray> {
  readonly name: string;
  readonly type: ScalarType;
  /** Indices along each axis are below this; `undefined` where a hash table takes any. */
  readonly extents: readonly (number | undefined)[];
  /**
   * The value of an element, the ambient value where it is not active. Error: `field/wide` on a 64-bit integer that is no exact
   * number, which `toArray` and `view` give as a bigint.
   */
  readonly get: (indices: Indices) => V;
  /** Writes an element, and activates it as a kernel would. */
  readonly set: (indices: Indices, value: W) => void;
  readonly isActive: (indices: Indices) => boolean;
  readonly activate: (indices: Indices) => void;
  /** Deactivates the innermost sparse cell around an element, and all within it; in a dense layout the element becomes ambient. Error: `field/in-list`. */
  readonly deactivate: (indices: Indices) => void;
  /**
   * Deactivates everything around the field, which in a dense layout becomes ambient, or empties the one list with these indices.
   * Error: `field/no-list`.
   */
  readonly clear: (list?: Indices) => void;
  /** Cells of the list with these indices, those of the axes above its own. Error: `field/no-list`. */
  readonly length: (list?: Indices) => number;
  /** Adds a value at the end of a list; returns its position, from 0. Errors: `field/no-list`, `field/list-full`. */
  readonly append: (list: Indices, value: W) => number;
  /** Writes a value into every active element. */
  readonly fill: (value: W) => void;
  /**
   * Indices and values of the active elements, in the order of memory; nothing may be activated or deactivated meanwhile. Error:
   * `field/wide`, as for `get`.
   */
  readonly entries: () => Generator<readonly [indices: readonly number[], value: V]>;
  /** The smallest box that holds all active elements; `undefined` where none is active. */
  readonly bounds: () => Box | undefined;
  /**
   * The values of a box as a dense array, row by row, components last. The default box is the whole field; a field
   * below a hash table needs one. They fill `into` where it is given, an array of their type and number. Errors: `field/box`,
   * `field/too-large`, `field/length`.
   */
  readonly toArray: (box?: Box, into?: A) => A;
  /**
   * Writes every element of a box from an array in the form of `toArray`, or lists of lists, and so activates it. Errors: `field/box`,
   * `field/length`.
   */
  readonly fromArray: (values: Nested<number | bigint>, box?: Box) => void;
  /** The memory itself, where nothing is sparse; valid until the program is disposed of. Errors: `field/not-dense`, `memory/apart`. */
  readonly view: () => DenseView<A>;
  /**
   * The memory itself, for programs that are to be bound to it, where nothing is sparse and values lie one behind the other, as in
   * `view().data`: row by row, the last index counts first. To a tensor, whose first index does, a field `u[i][j]` is `U[ji]`. Error: `field/not-dense`.
   */
  readonly buffer: () => DeviceBuffer;
}

/** The host's view of a field of numbers. */
export type ScalarHostField<A extends TypedArray = TypedArray> = HostField<number, number | bigint | boolean, A>;
/** The host's view of a field of vectors. */
export type VectorHostField<A extends TypedArray = TypedArray> = HostField<readonly number[], ArrayLike<number>, A>;
/** The host's view of a field of matrices, an element as its components row by row. */
export type MatrixHostField<A extends TypedArray = TypedArray> = HostField<
  readonly (readonly number[])[],
  ArrayLike<ArrayLike<number>>,
  A
>;

/** The host's view of a field, by its kind and type. */
export type HostFieldOf<F extends AnyField> = F extends FieldDecl
  ? ScalarHostField<TypedArrayOf<F['type']>>
  : F extends VectorField
    ? VectorHostField<TypedArrayOf<F['type']>>
    : F extends MatrixField
      ? MatrixHostField<TypedArrayOf<F['type']>>
      : never;

/**
 * The host's view of a field in an arena. Errors: `field/unknown`, `field/foreign` where the arena's layout does not hold this
 * very field.
 */
export const hostField = <F extends AnyField>(arena: Arena, any: F): HostFieldOf<F> =>
  readOnly(
    make(arena, any) as HostField<unknown> as unknown as HostFieldOf<F>,
    `field '${any.name}' is read and written by its methods`,
    (at) => (/^-?\d+$/.test(at) ? `write get(${at}) or set(${at}, value)` : 'see its methods: set, fill, fromArray'),
  );

/** The host's views of the fields in an arena: each is made once. */
export const hostFields = (arena: Arena): (<F extends AnyField>(field: F) => HostFieldOf<F>) => {
  const made = new WeakMap<AnyField, unknown>();
  return <F extends AnyField>(field: F): HostFieldOf<F> => {
    const known = made.get(field) as HostFieldOf<F> | undefined;
    if (known) return known;
    const view = hostField(arena, field);
    made.set(field, view);
    return view;
  };
};

const make = (arena: Arena, any: AnyField): HostField<unknown> => {
  const components = componentsIn(arena, any);
  const [first] = components;
  const { path } = first;
  const { name, type } = any;
  const branches = new Set(components.map((c) => c.nodes[0]));
  const ready = (use?: ArenaUse): void => arena.ready(use, branches);
  const what = `field '${name}'`;
  const shape = shapeOf(any);
  const together = areTogether(components);
  const plain = components.every((c) => c.isPlain);
  const inTiles = together && hasTiles(path) && plain;
  /* Components whose elements lie in the same cells, each with its number. */
  const numbered = components.map((c, n) => ({ c, n }));
  const beside = together ? [numbered] : numbered.map((one) => [one]);
  const growsInTiles = plain && components.every((c) => hasTiles(c.path));
  const list = once(() => listAround(arena, name, components));
  const whole = once(() => wholeOf(arena, components));
  const wholeIn = (box: Box | undefined): Whole | undefined =>
    box === undefined || isAll(path, box) ? whole() : undefined;
  const innermost = once(() => innermostSparse(arena, components));
  const outermost = once(() => outermostSparse(arena, components));

  /* The cell that holds a component, from the one that holds the first. */
  const holder = (c: Component, cell: number, indices: ArrayLike<number>, find: typeof findCell): number =>
    together || c === first ? cell : find(arena, c.path, indices);
  const readOne = (c: Component, cell: number, at: ArrayLike<number>): number =>
    fromStored(c.decl.name, cell < 0 ? c.ambient : c.get(cell), at);
  const read: (cell: number, indices: ArrayLike<number>) => unknown =
    any.is === 'scalar'
      ? (cell, indices) => readOne(first, cell, indices)
      : (cell, indices) => shape.pack(components.map((c) => readOne(c, holder(c, cell, indices, findCell), indices)));
  const stored = (value: unknown): readonly (number | bigint)[] =>
    shape.unpack(value).map((x, n) => toStored(components[n].decl.name, type, x));
  const groups = encodedTogether(components);
  /* Values of components, from one of them on: what is encoded together is written together. */
  const write = (cell: number, indices: ArrayLike<number>, values: ArrayLike<number | bigint>, from = 0): void => {
    for (const group of groups) {
      const c = components[group[0]];
      const at = holder(c, cell, indices, growCell);
      if (group.length === 1) c.set(at, values[from + group[0]]);
      else
        c.setAll!(
          at,
          group.map((n) => components[n]),
          group.map((n) => values[from + n]),
        );
    }
  };
  const put: (at: ArrayLike<number>, value: unknown) => void =
    any.is === 'scalar'
      ? (at, value) => {
          const plain = toStored(name, type, value);
          first.set(growCell(arena, path, at), plain);
        }
      : (at, value) => {
          const values = stored(value);
          write(growCell(arena, path, at), at, values);
        };
  const checked = (indices: Indices, use?: ArenaUse): ArrayLike<number> => {
    ready(use);
    return checkedIndices(what, path, indices);
  };

  return {
    name,
    type,
    extents: path.extents,
    get: (indices) => {
      const at = checked(indices);
      return read(findCell(arena, path, at), at);
    },
    set: (indices, value) => put(checked(indices, 'structure'), value),
    isActive: (indices) => findCell(arena, path, checked(indices)) >= 0,
    activate: (indices) => {
      const at = checked(indices, 'structure');
      for (const c of components) growCell(arena, c.path, at);
    },
    deactivate: (indices) => {
      const at = checked(indices, 'structure');
      for (const { cells, indicesOf } of innermost()) dropCell(arena, cells, indicesOf(at));
    },
    clear: (indices) => {
      ready('structure');
      if (indices !== undefined) return list().clear(indices);
      for (const path of outermost()) dropAll(arena, path);
    },
    length: (indices = []) => {
      ready();
      return list().length(indices);
    },
    append: (indices, value) => {
      ready('structure');
      const values = stored(value);
      const [cell, place, at] = list().append(indices);
      write(cell, at, values);
      return place;
    },
    fill: (value) => {
      ready('values');
      const values = stored(value);
      const all = whole();
      if (all) all.fill(values);
      else if (!inTiles) visitElements(arena, path, (cell, indices) => write(cell, indices, values));
      else
        for (const first of activeContainers(arena, path))
          components.forEach((c, n) => fillCells(c, elementAt(c, first), path, values[n]));
    },
    entries: () => {
      ready();
      return whileReady(
        ready,
        elements(arena, path, (cell, indices) => [indices, read(cell, indices)] as const),
      );
    },
    bounds: () => {
      ready();
      return boundsOf(arena, first);
    },
    toArray: (box, into) => {
      ready();
      const checkedBox = box === undefined ? undefined : boxOf(name, path, box);
      const all = wholeIn(checkedBox);
      const inside = all ? undefined : boxOf(name, path, checkedBox);
      const length = all?.length ?? components.length * sizeOfBox(inside!);
      if (into && (into.length !== length || into.constructor !== allocateArray(type, 0).constructor))
        fail(
          'field/length',
          `the box of ${what} does not fill an array of ${into.length} values: it has ${length} of ${type}`,
          {
            remedy: 'give an array that toArray made of this box, or none',
          },
        );
      if (all) return all.read(into);
      const values = denseArray(arena, name, components, inside!);
      if (!into) return values;
      (into as Float64Array).set(values as Float64Array);
      return into;
    },
    fromArray: (given, box) => {
      ready('structure');
      const inside = boxOf(name, path, box);
      const sides = inside.from.map((x, a) => inside.to[a] - x);
      const values = flatValues(`the box of ${what}`, 'field/length', given, [...sides, ...shape.sides]);
      const length = components.length * sizeOfBox(inside);
      if (values?.length !== length)
        fail(
          'field/length',
          `the box of ${what} takes ${length} values, got ${values?.length ?? describeValue(values)}`,
          {
            remedy: 'give one for each element and component, row by row, or another box',
          },
        );
      const count = components.length;
      const words = isPlain(values, type)
        ? values
        : typed(type, values, (x, n) => toStored(components[n % count].decl.name, type, x));
      const all = wholeIn(inside);
      if (all) return all.write(words);
      if (growsInTiles) {
        for (const some of beside)
          for (const tile of grownTiles(arena, some[0].c.path, inside))
            for (const { c, n } of some)
              copyStrided(stridedInBox(words, tile, inside, n, count), stridedTile(tile, c), sidesOfTile(tile));
        return;
      }
      let n = 0;
      visitBox(inside, (at) => {
        write(growCell(arena, path, at), at, words, n);
        n += count;
      });
    },
    view: () => {
      if (arena.mirrored)
        fail('memory/apart', `the host has no view of ${what}, which lies in memory of a device`, {
          remedy: 'copy: toArray() and fromArray()',
        });
      ready('hold');
      return denseView(arena, name, components, shape);
    },
    buffer: () => {
      ready('bind');
      const buffer = denseBuffer(arena, any, denseView(arena, name, components, shape));
      return arena.guard?.(buffer) ?? buffer;
    },
  };
};

/* Between two elements anything may be launched. */
function* whileReady<T>(ready: () => void, all: Iterable<T>): Generator<T> {
  for (const one of all) {
    yield one;
    ready();
  }
}

/* Values as they are stored, all of them before any is written. */
const typed = (
  type: ScalarType,
  values: ArrayLike<number | bigint>,
  store: (x: unknown, n: number) => number | bigint,
): TypedArray => {
  const out = allocateArray(type, values.length);
  for (let n = 0; n < values.length; n++) out[n] = store(values[n], n);
  return out;
};

/* Numbers that a field takes as they are. */
const isPlain = (values: unknown, type: ScalarType): values is Float32Array | Float64Array =>
  isFloat(type) && (values instanceof Float32Array || values instanceof Float64Array);
