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
import type { AnyField, IndexBox as Box, FieldDecl, MatrixField, VectorField } from '@filigree/sparse/fields';
import type { Arena, ArenaUse } from './arena.js';
import { boxOf, sizeOfBox } from './box.js';
import { areTogether, componentsIn, type Component } from './component.js';
import { denseBuffer, denseView, type DenseView } from './dense-view.js';
import { elementsIn } from './elements/elements-in.js';
import { elementWriter } from './elements/write-element.js';
import { checkedIndices, type Indices } from './indices.js';
import { shapeOf } from './shape.js';
import { fromStored, toStored } from './value.js';

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
  const elements = elementsIn(arena, name, components);

  const readOne = (c: Component, cell: number, at: ArrayLike<number>): number =>
    fromStored(c.decl.name, cell < 0 ? c.ambient : c.get(cell), at);
  const read: (cell: number, indices: ArrayLike<number>) => unknown =
    any.is === 'scalar'
      ? (cell, indices) => readOne(first, cell, indices)
      : (cell, indices) =>
          shape.pack(
            components.map((c, n) => readOne(c, together || n === 0 ? cell : elements.find(n, indices), indices)),
          );
  const stored = (value: unknown): readonly (number | bigint)[] =>
    shape.unpack(value).map((x, n) => toStored(components[n].decl.name, type, x));
  const write = elementWriter(components, elements.grow);
  const put: (at: ArrayLike<number>, value: unknown) => void =
    any.is === 'scalar'
      ? (at, value) => {
          const plain = toStored(name, type, value);
          first.set(elements.grow(0, at), plain);
        }
      : (at, value) => {
          const values = stored(value);
          write(elements.grow(0, at), at, values);
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
      return read(elements.find(0, at), at);
    },
    set: (indices, value) => put(checked(indices, 'structure'), value),
    isActive: (indices) => elements.find(0, checked(indices)) >= 0,
    activate: (indices) => {
      const at = checked(indices, 'structure');
      components.forEach((_, n) => elements.grow(n, at));
    },
    deactivate: (indices) => elements.drop(checked(indices, 'structure')),
    clear: (indices) => {
      ready('structure');
      if (indices === undefined) elements.dropAll();
      else elements.list().clear(indices);
    },
    length: (indices = []) => {
      ready();
      return elements.list().length(indices);
    },
    append: (indices, value) => {
      ready('structure');
      const values = stored(value);
      const [cell, place, at] = elements.list().append(indices);
      write(cell, at, values);
      return place;
    },
    fill: (value) => {
      ready('values');
      elements.fill(stored(value));
    },
    entries: () => {
      ready();
      return whileReady(
        ready,
        elements.each((cell, indices) => [indices, read(cell, indices)] as const),
      );
    },
    bounds: () => {
      ready();
      return elements.bounds();
    },
    toArray: (box, into) => {
      ready();
      const inside = boxOf(name, path, box);
      const length = components.length * sizeOfBox(inside);
      if (length > MAX_LENGTH)
        fail('field/too-large', `the box of ${what} holds ${length} values`, {
          remedy: 'give a smaller box, or use entries()',
        });
      if (into && (into.length !== length || into.constructor !== allocateArray(type, 0).constructor))
        fail(
          'field/length',
          `the box of ${what} does not fill an array of ${into.length} values: it has ${length} of ${type}`,
          {
            remedy: 'give an array that toArray made of this box, or none',
          },
        );
      return elements.read(inside, into);
    },
    fromArray: (given, box) => {
      ready('structure');
      const inside = boxOf(name, path, box);
      const sides = inside.from.map((x, a) => inside.to[a] - x);
      const values = flatValues(`the box of ${what}`, 'field/length', given, [...sides, ...shape.sides]);
      const count = components.length;
      const length = count * sizeOfBox(inside);
      if (values?.length !== length)
        fail(
          'field/length',
          `the box of ${what} takes ${length} values, got ${values?.length ?? describeValue(values)}`,
          {
            remedy: 'give one for each element and component, row by row, or another box',
          },
        );
      const words = isPlain(values, type)
        ? values
        : typed(type, values, (x, n) => toStored(components[n % count].decl.name, type, x));
      elements.write(words, inside);
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

/* What engines allow in one typed array, in elements. */
const MAX_LENGTH = 2 ** 32;

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
