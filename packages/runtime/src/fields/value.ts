import { fail, integerRange, isFloat, isWide, type ScalarType } from '@filigree/ir';
import { shownValue } from '../shown-value.js';

/**
 * A number as it is stored in a field of some type. Floats take any number; integers take whole numbers of their range, as
 * numbers or bigints; truth values take 0, 1, and booleans. Error: `field/value`.
 */
export const toStored = (field: string, type: ScalarType, value: unknown): number | bigint => {
  if (isFloat(type)) return typeof value === 'number' ? value : refuse(field, value, 'a number');
  const plain = typeof value === 'boolean' ? Number(value) : value;
  if (type === 'i1') return plain === 0 || plain === 1 ? plain : refuse(field, value, 'true or false');
  if (typeof plain !== 'bigint' && !Number.isSafeInteger(plain))
    return refuse(
      field,
      value,
      isWide(type) ? `a safe whole number or a bigint (${type})` : `a whole number (${type})`,
    );
  const [min, max] = integerRange(type);
  const exact = plain as number | bigint;
  if (exact < min || exact > max) return refuse(field, value, `a whole number from ${min} to ${max} (${type})`);
  return isWide(type) ? BigInt(exact) : Number(exact);
};

/** A stored number as a plain one. Error: `field/wide` where it is a 64-bit integer that no number is equal to. */
export const fromStored = (field: string, stored: number | bigint, at: ArrayLike<number>): number => {
  if (typeof stored === 'number') return stored;
  const value = Number(stored);
  if (Number.isSafeInteger(value)) return value;
  const from = Array.from(at);
  return fail('field/wide', `field '${field}' holds ${stored} at [${from.join(', ')}], which is no exact number`, {
    remedy: `read it as a bigint: toArray({ from: [${from.join(', ')}], to: [${from.map((x) => x + 1).join(', ')}] })`,
  });
};

const refuse = (field: string, value: unknown, wanted: string): never =>
  fail('field/value', `field '${field}' cannot hold ${shownValue(value)}`, { remedy: `give ${wanted}` });
