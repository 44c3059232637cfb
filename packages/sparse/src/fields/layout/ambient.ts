import { isWide, type Scalar, type ScalarType } from '@filigree/ir';
import type { Stored } from './format.js';
import type { Layout, SNode } from './layout.js';

/** What reading an inactive element of a field gives: its ambient value, as it is stored. */
export const ambientOf = ({ fields, nodes }: Layout, name: string): Scalar => {
  const { field, path } = fields.get(name)!;
  return asStored(nodes[path[path.length - 1]], scalarOf(field.type, field.ambient));
};

/** What is read after a value was written to the field of a `place` node. */
export const asStored = ({ field, stored }: SNode, value: Scalar): Scalar =>
  stored ? decoded(stored, field!.type, encoded(stored, field!.type, value)) : value;

/** The code of a value, and back. */
export const encoded = ({ format }: Stored, type: ScalarType, value: Scalar): number | bigint =>
  format.encode(typeof value === 'boolean' ? Number(value) : value, type);

export const decoded = ({ format }: Stored, type: ScalarType, code: number | bigint): Scalar =>
  scalarOf(type, format.decode(code, type));

const scalarOf = (type: ScalarType, x: number | bigint): Scalar =>
  type === 'i1' ? Number(x) !== 0 : isWide(type) ? BigInt(x) : type === 'f32' ? Math.fround(Number(x)) : x;
