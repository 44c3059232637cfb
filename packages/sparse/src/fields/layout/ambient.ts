import { isWide, type Scalar, type ScalarType } from '@filigree/ir';
import type { FieldDecl } from './field-decl.js';
import type { ArrayElements, JointPlace, Stored } from './format.js';
import type { Layout } from './layout.js';

/** What reading an inactive element of a field gives: its ambient value, as it is stored. */
export const ambientOf = ({ fields, nodes }: Layout, name: string): Scalar => {
  const { field, path } = fields.get(name)!;
  const { stored } = nodes[path[path.length - 1]];
  if (stored?.elements) return ambientWordOf(stored.elements, stored.wordBits);
  if (!stored) return scalarOf(field.type, field.ambient);
  if (!stored.joint) return decoded(stored, field.type, ambientCodeOf(field, stored));
  const { members } = stored.joint;
  const all = jointlyStored(
    stored.joint,
    members.map((m) => m.field.ambient),
  );
  return all[members.findIndex((m) => m.field.name === name)];
};

/** A word of a bit array before anything was written to its elements. */
export const ambientWordOf = ({ field, format, count }: ArrayElements, wordBits: number): number | bigint => {
  const code = BigInt(format.encode(isWide(field.type) ? BigInt(field.ambient) : field.ambient, field.type));
  let word = 0n;
  for (let n = 0; n < count; n++) word |= code << BigInt(n * format.bits);
  return wordBits === 64 ? word : Number(word);
};

/** The code of a field that is encoded by itself, where nothing was written. */
export const ambientCodeOf = ({ type, ambient }: FieldDecl, stored: Stored): number | bigint =>
  encoded(stored, type, scalarOf(type, ambient));

/** What is read after values were written to all fields that are encoded together. */
export const jointlyStored = ({ by, members }: JointPlace, values: readonly Scalar[]): readonly number[] => {
  const { type } = members[0].field;
  const { shared, codes } = by.encode(values.map(Number), type);
  return codes.map((code) => by.decode(code, shared, type));
};

/** The code of a value, and back. */
export const encoded = ({ format }: Stored, type: ScalarType, value: Scalar): number | bigint =>
  format.encode(numberOf(value), type);

export const decoded = ({ format }: Stored, type: ScalarType, code: number | bigint): Scalar =>
  scalarOf(type, format.decode(code, type));

/** The code after a value was added to one whose format adds codes. */
export const summed = (
  { format: { bits, addend } }: Stored,
  type: ScalarType,
  code: number | bigint,
  value: Scalar,
): number | bigint => {
  const sum = BigInt.asUintN(bits, BigInt(code) + BigInt(addend!.encode(numberOf(value), type)));
  return bits > 32 ? sum : Number(sum);
};

const numberOf = (value: Scalar): number | bigint => (typeof value === 'boolean' ? Number(value) : value);

const scalarOf = (type: ScalarType, x: number | bigint): Scalar =>
  type === 'i1' ? Number(x) !== 0 : isWide(type) ? BigInt(x) : type === 'f32' ? Math.fround(Number(x)) : x;
