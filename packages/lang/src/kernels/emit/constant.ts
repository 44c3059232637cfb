import { byteSize, integerRange, isFloat, isSigned, isWide, type ScalarType } from '@filigree/ir';

/**
 * A literal as a constant of a type, converted as `arith.cast` does: whole numbers wrap, others are cut off and kept in range,
 * and so are whole numbers that are `real`.
 */
export const constantOf = (
  value: number | bigint | boolean,
  type: ScalarType,
  real = false,
): number | bigint | boolean => {
  if (type === 'i1') return typeof value === 'boolean' ? value : Number(value) !== 0;
  const x = typeof value === 'boolean' ? Number(value) : value;
  if (isFloat(type)) return Number(x);
  const whole =
    typeof x === 'bigint' || (Number.isSafeInteger(x) && !real) ? wrapped(BigInt(x), type) : saturated(x, type);
  return isWide(type) ? whole : Number(whole);
};

const wrapped = (x: bigint, type: ScalarType): bigint =>
  isSigned(type) ? BigInt.asIntN(8 * byteSize(type), x) : BigInt.asUintN(8 * byteSize(type), x);

const saturated = (x: number, type: ScalarType): bigint => {
  const [min, max] = integerRange(type);
  if (Number.isNaN(x)) return 0n;
  return x <= Number(min) ? min : x >= Number(max) ? max : BigInt(Math.trunc(x));
};
