import { fail, integerRange, isFloat, isWide, type ScalarType } from '@filigree/ir';

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

/** A stored number as a plain one. Error: `field/wide` where it has more than 53 bits. */
export const fromStored = (field: string, stored: number | bigint): number => {
  if (typeof stored === 'number') return stored;
  const value = Number(stored);
  return Number.isSafeInteger(value)
    ? value
    : fail('field/wide', `field '${field}' holds ${stored}, which is no exact number`, {
        remedy: 'read it with toArray() or view(), which hold 64-bit integers',
      });
};

const refuse = (field: string, value: unknown, wanted: string): never =>
  fail('field/value', `field '${field}' cannot hold ${shown(value)}`, { remedy: `give ${wanted}` });

const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : typeof value === 'string'
      ? `the text '${value}'`
      : value === undefined || value === null
        ? String(value)
        : `a value of type ${Array.isArray(value) ? 'array' : typeof value}`;
