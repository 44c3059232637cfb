import { fail } from '@filigree/ir';
import type { AnyField } from '@filigree/sparse/fields';

/** How the components of a field make up what users see: a number, a list, or a list of rows. */
export interface Shape {
  /** Components along each side; none for a scalar. */
  readonly sides: readonly number[];
  readonly pack: (components: readonly number[]) => unknown;
  /** The components of a value. Error: `field/value` where it has another shape. */
  readonly unpack: (value: unknown) => readonly unknown[];
}

/** The shape of a field's values. */
export const shapeOf = (any: AnyField): Shape => {
  if (any.is === 'scalar') return { sides: [], pack: ([x]) => x, unpack: (value) => [value] };
  if (any.is === 'vector')
    return {
      sides: [any.size],
      pack: (components) => components,
      unpack: (value) => listOf(any.name, value, any.size, `a list of ${any.size} numbers`),
    };
  const { rows, cols, name } = any;
  const wanted = `${rows} rows of ${cols} numbers`;
  return {
    sides: [rows, cols],
    pack: (components) => Array.from({ length: rows }, (_, r) => components.slice(r * cols, (r + 1) * cols)),
    unpack: (value) => listOf(name, value, rows, wanted).flatMap((row) => listOf(name, row, cols, wanted)),
  };
};

const listOf = (field: string, value: unknown, length: number, wanted: string): readonly unknown[] => {
  const list =
    typeof value === 'object' && value !== null && 'length' in value ? Array.from(value as ArrayLike<unknown>) : [];
  return list.length === length
    ? list
    : fail('field/value', `the value for field '${field}' has another shape`, { remedy: `give ${wanted}` });
};
