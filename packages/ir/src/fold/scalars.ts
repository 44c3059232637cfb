import type { FoldContext, Scalar } from '../kernel/dialect.js';
import type { Value } from '../kernel/op.js';
import { byteSize, isFloat, isWide, scalarOf, type Type } from '../kernel/type.js';

/** Whether a value is this constant; for floats the sign of zero counts. */
export const isConstant = (v: Value, n: number, { constantOf }: FoldContext): boolean => {
  const c = constantOf(v);
  if (c === undefined || typeof c === 'boolean') return false;
  return typeof c === 'bigint' ? c === BigInt(n) : isFloat(v.type) ? Object.is(c, n) : c === n;
};

/** Whether a value is zero of either sign. */
export const isZero = (v: Value, context: FoldContext): boolean =>
  isConstant(v, 0, context) || isConstant(v, -0, context);

/** The runtime form of a small integer in this type. */
export const scalarFor = (n: number, type: Type): Scalar =>
  isWide(type) ? BigInt(n) : scalarOf(type) === 'i1' ? n !== 0 : n;

/** Whether an integer value has every bit set. */
export const isAllOnes = (v: Value, context: FoldContext): boolean => {
  const c = context.constantOf(v);
  if (c === undefined || isFloat(v.type)) return false;
  return typeof c === 'boolean' ? c : BigInt.asIntN(bits(v.type), BigInt(c)) === -1n;
};

/** `k` where the integer constant is 2^k > 1. */
export const powerOfTwo = (v: Value, context: FoldContext): number | undefined => {
  const c = context.constantOf(v);
  if (c === undefined || typeof c === 'boolean' || isFloat(v.type)) return undefined;
  const n = BigInt(c);
  if (n < 2n || (n & (n - 1n)) !== 0n) return undefined;
  return n.toString(2).length - 1;
};

export const bits = (type: Type): number => 8 * byteSize(scalarOf(type));

export const isUnsigned = (type: Type): boolean => scalarOf(type).startsWith('u');
