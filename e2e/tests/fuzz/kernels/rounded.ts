import { isWide } from '@filigree/ir';
import type { FieldCode } from './code.js';
import { formatOf } from './formats.js';
import { cast, isFloat, type Scalar } from './scalars.js';

/** What is read of a field after a number was written to it; of one that shares an exponent with no other. */
export const rounded = ({ type, stored }: FieldCode, value: Scalar): Scalar => {
  if (!stored) return value;
  const format = formatOf(stored.format);
  const given = typeof value === 'number' || isWide(type) ? value : Number(value);
  const back = format.decode(format.encode(given, type), type);
  return typeof value === 'number' ? back : cast(type, BigInt(back));
};

/** Whether sums into a field add codes, in another way than its numbers are added. */
export const addsCodes = ({ type, stored }: FieldCode): boolean =>
  isFloat(type) && stored !== undefined && formatOf(stored.format).addend !== undefined;

/** The code of a number in such a field, and back. */
export const codeOf = ({ type, stored }: FieldCode, value: Scalar): Scalar =>
  formatOf(stored!.format).encode(value, type);

export const numberOf = ({ type, stored }: FieldCode, code: Scalar): Scalar =>
  formatOf(stored!.format).decode(code, type);

/** The code after a number was added. */
export const codeOfSum = ({ type, stored }: FieldCode, code: Scalar, value: Scalar): Scalar => {
  const { bits, addend } = formatOf(stored!.format);
  const sum = BigInt.asUintN(bits, BigInt(code) + BigInt(addend!.encode(value, type)));
  return bits > 32 ? sum : Number(sum);
};

/** The fields with which one shares an exponent, itself among them; none where it has its own. */
export const sharingWith = (all: readonly FieldCode[], { stored }: FieldCode): readonly FieldCode[] => {
  const name = exponentOf(stored);
  return name === undefined ? [] : all.filter((f) => exponentOf(f.stored) === name);
};

const exponentOf = (stored: FieldCode['stored']): string | undefined =>
  stored?.format.name === 'float' ? stored.format.shared : undefined;

/** What is read of fields that share an exponent after these numbers were written to all of them. */
export const roundedTogether = (fields: readonly FieldCode[], values: readonly Scalar[]): readonly Scalar[] => {
  const [{ stored, type }] = fields;
  const { joint } = formatOf(stored!.format);
  const { shared, codes } = joint!.encode(values.map(Number), type);
  return codes.map((code) => joint!.decode(code, shared, type));
};
