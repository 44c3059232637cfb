import { byteSize, describeValue, fail, type Scalar, type TypedArray } from '@filigree/ir';
import {
  ambientOf,
  componentsOf,
  holdsWords,
  isField,
  pathTowards,
  storedType,
  valueIn,
  withValues,
  type AnyField,
  type FieldDecl,
  type Layout,
  type Path,
  type SNode,
  type Stored,
} from '@filigree/sparse/fields';
import type { Arena } from './arena.js';

/** A scalar of a field, and where it lies in the cells that hold it. */
export interface Component {
  readonly decl: FieldDecl;
  /** Nodes from below the root to the one in whose cells the value lies. */
  readonly nodes: readonly number[];
  /** The way to those cells. */
  readonly path: Path;
  /** Bytes from the start of a cell. */
  readonly offset: number;
  readonly bytes: number;
  /** The words that hold the values. */
  readonly array: TypedArray;
  /** Whether these are the values: they are not stored in a format. */
  readonly isPlain: boolean;
  readonly ambient: number | bigint;
  /** The value in the cell at an address, and writing it. */
  readonly get: (cell: number) => number | bigint;
  readonly set: (cell: number, value: number | bigint) => void;
  /** Writes it with components that are encoded together with it, in the same cell, where there can be such. */
  readonly setAll?: (cell: number, components: readonly Component[], values: readonly (number | bigint)[]) => void;
  readonly node: SNode;
}

/** The components of a field. Errors: `field/unknown`, `field/foreign` where the arena's layout does not hold this very field. */
export const componentsIn = (arena: Arena, any: AnyField): readonly Component[] => {
  const { storage } = arena;
  if (!isField(any))
    fail('field/unknown', `${describeValue(any)} is no field`, {
      remedy: 'give the fields that were placed in the layout',
    });
  return componentsOf(any).map((decl) => {
    const placed = storage.layout.fields.get(decl.name);
    if (!placed)
      return fail('field/unknown', `the program has no field '${decl.name}'`, {
        remedy: `place it in the layout; its fields are ${fieldsOf(storage.layout).join(', ')}`,
      });
    if (placed.field !== decl)
      fail('field/foreign', `'${decl.name}' is a field of another program, which has a field of the same name`, {
        remedy: 'use the very field that was placed in the layout of this program',
      });
    const nodes = placed.path.slice(0, -1);
    const place = storage.nodes[placed.path[placed.path.length - 1]];
    const array = arena.array(storedType(place.node));
    return {
      decl,
      nodes,
      path: pathTowards(storage, nodes[nodes.length - 1]),
      offset: place.offset,
      bytes: byteSize(storedType(place.node)),
      array,
      isPlain: !place.node.stored,
      node: place.node,
      ambient: plain(ambientOf(storage.layout, decl.name)),
      ...accessTo(array, place.node, place.offset, byteSize(storedType(place.node))),
    };
  });
};

/** Names of the fields that users have placed: words of bit arrays are fields of a layout, too. */
export const fieldsOf = ({ fields, nodes }: Layout): readonly string[] =>
  [...fields].flatMap(([name, { path }]) => (holdsWords(nodes[path[path.length - 1]]) ? [] : [name]));

const plain = (value: Scalar): number | bigint => (typeof value === 'boolean' ? Number(value) : value);

/** How a value is read and written that lies so far from the start of a cell. */
const accessTo = (
  array: TypedArray,
  { field, stored }: SNode,
  offset: number,
  bytes: number,
): Pick<Component, 'get' | 'set' | 'setAll'> => {
  if (!stored)
    return {
      get: (cell) => array[(cell + offset) / bytes],
      set: (cell, value) => {
        array[(cell + offset) / bytes] = value;
      },
    };
  if (stored.inArray) return accessToBits(array, { field: field!, stored }, offset, bytes);
  return {
    get: (cell) => plain(valueIn(field!, stored, array[(cell + offset) / bytes])),
    set: (cell, value) => {
      const at = (cell + offset) / bytes;
      array[at] = withValues(array[at], [{ field: field!, stored, value }]);
    },
    ...(stored.joint && {
      setAll: (cell, components, values) => {
        const at = (cell + offset) / bytes;
        array[at] = withValues(
          array[at],
          components.map(({ node }, n) => ({ field: node.field!, stored: node.stored!, value: values[n] })),
        );
      },
    }),
  };
};

/** The same of an element of a bit array: in two bytes, if it lies in such, whatever the words are. */
const accessToBits = (
  array: TypedArray,
  { field, stored }: { readonly field: FieldDecl; readonly stored: Stored },
  offset: number,
  bytes: number,
): Pick<Component, 'get' | 'set'> => {
  const small = 16 % stored.format.bits === 0 && array.byteLength % 2 === 0;
  const words = small ? new Uint16Array(array.buffer, array.byteOffset, array.byteLength / 2) : array;
  const size = small ? 2 : bytes;
  const shifted = Array.from({ length: 8 * size }, (_, shift): Stored => ({
    ...stored,
    shift,
    ...(small && { wordBits: 16 }),
  }));
  const indexOf = (cell: number): number => Math.floor((cell + offset) / size);
  const at = (cell: number, index: number): Stored => shifted[8 * (cell + offset - index * size)];
  return {
    get: (cell) => {
      const index = indexOf(cell);
      return plain(valueIn(field, at(cell, index), words[index]));
    },
    set: (cell, value) => {
      const index = indexOf(cell);
      words[index] = withValues(words[index], [{ field, stored: at(cell, index), value }]);
    },
  };
};

/** Numbers of the components that are encoded together, those of one word that share an exponent; every other one is alone. */
export const encodedTogether = (components: readonly Component[]): readonly (readonly number[])[] => {
  const groups = new Map<string | number, number[]>();
  components.forEach(({ node }, n) => {
    const key = node.stored?.joint?.by.name ?? n;
    groups.set(key, [...(groups.get(key) ?? []), n]);
  });
  return [...groups.values()];
};

/** Components lie in the cells of one node. */
export const areTogether = (components: readonly Component[]): boolean =>
  components.every((c) => parentOf(c) === parentOf(components[0]));

/** Number of the node in whose cells a component lies. */
export const parentOf = ({ nodes }: Component): number => nodes[nodes.length - 1];

/** Index into a component's array of its value in the cell at an address. */
export const elementAt = ({ offset, bytes }: Component, cell: number): number => (cell + offset) / bytes;
