import { byteSize, fail, isWide, type ScalarType, type TypedArray } from '@filigree/ir';
import { componentsOf, type AnyField, type FieldDecl } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { pathTowards, type Path } from './path.js';

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
  readonly array: TypedArray;
  readonly ambient: number | bigint;
}

/** The components of a field. Errors: `field/unknown`, `field/foreign` where the arena's layout does not hold this very field. */
export const componentsIn = (arena: Arena, any: AnyField): readonly Component[] => {
  const { storage } = arena;
  return componentsOf(any).map((decl) => {
    const placed = storage.layout.fields.get(decl.name);
    if (!placed)
      return fail('field/unknown', `the program has no field '${decl.name}'`, {
        remedy: `place it in the layout; its fields are ${[...storage.layout.fields.keys()].join(', ')}`,
      });
    if (placed.field !== decl)
      fail('field/foreign', `'${decl.name}' is a field of another program, which has a field of the same name`, {
        remedy: 'use the very field that was placed in the layout of this program',
      });
    const nodes = placed.path.slice(0, -1);
    const place = storage.nodes[placed.path[placed.path.length - 1]];
    return {
      decl,
      nodes,
      path: pathTowards(storage, nodes[nodes.length - 1]),
      offset: place.offset,
      bytes: byteSize(decl.type),
      array: arena.array(decl.type),
      ambient: storedAmbient(decl.type, decl.ambient),
    };
  });
};

/** Components lie in the cells of one node. */
export const areTogether = (components: readonly Component[]): boolean =>
  components.every((c) => parentOf(c) === parentOf(components[0]));

/** Number of the node in whose cells a component lies. */
export const parentOf = ({ nodes }: Component): number => nodes[nodes.length - 1];

/** Index into a component's array of its value in the cell at an address. */
export const elementAt = ({ offset, bytes }: Component, cell: number): number => (cell + offset) / bytes;

const storedAmbient = (type: ScalarType, ambient: number): number | bigint =>
  isWide(type) ? BigInt(ambient) : type === 'f32' ? Math.fround(ambient) : ambient;
