import { exactText, type TypedArray } from '@filigree/ir';

/**
 * Says where two arrays differ first, or undefined if nowhere. Integers must be equal. Floats may differ by `ulps` units
 * in the last place; NaN equals NaN whatever its bits; with 0 ulps the zeros differ, else they do not.
 */
export const difference = (got: TypedArray, want: TypedArray, ulps = 0): string | undefined => {
  if (got.length !== want.length) return `has ${got.length} elements, expected ${want.length}`;
  const distance = want instanceof Float64Array ? ulps64 : want instanceof Float32Array ? ulps32 : undefined;
  for (let i = 0; i < want.length; i++) {
    const [a, b] = [got[i]!, want[i]!];
    if (Object.is(a, b)) continue;
    const far = distance ? distance(a as number, b as number) : Infinity;
    if (far > ulps || (ulps === 0 && far === 0))
      return `element ${i} is ${exactText(a)}, expected ${exactText(b)}${distance ? ` (${far} ulps)` : ''}`;
  }
  return undefined;
};

const wide = new DataView(new ArrayBuffer(8));

/* The bits of a float as an integer that counts up with its value; both zeros are 0. */
const order64 = (x: number): bigint => {
  wide.setFloat64(0, x);
  const bits = wide.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
};

const order32 = (x: number): number => {
  wide.setFloat32(0, x);
  const bits = wide.getInt32(0);
  return bits < 0 ? -(bits & 0x7fffffff) : bits;
};

const ulps64 = (a: number, b: number): number => {
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const d = order64(a) - order64(b);
  return Number(d < 0n ? -d : d);
};

const ulps32 = (a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? Infinity : Math.abs(order32(a) - order32(b));
