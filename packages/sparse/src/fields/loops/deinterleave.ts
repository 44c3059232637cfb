import type { Builder, Value } from '@filigree/ir';

/** The digits, each below `extent`, whose bits a place on a Z-order curve interleaves; the last one's are the lowest. */
export const deinterleave = (b: Builder, place: Value, count: number, extent: number): readonly Value[] => {
  const bits = Math.log2(extent);
  return Array.from({ length: count }, (_, n) => gather(b, b.shr(place, b.i32(count - 1 - n)), bits, count));
};

/** Moves bit k · `gap` of a number to bit k, for so many bits, halving the room between groups from step to step. */
const gather = (b: Builder, number: Value, bits: number, gap: number): Value => {
  let value = b.and(number, b.i32(groups(bits, gap, 1)));
  if (gap === 1) return value;
  for (let size = 1; size < bits; size *= 2)
    value = b.and(b.or(value, b.shr(value, b.i32(size * (gap - 1)))), b.i32(groups(bits, gap, 2 * size)));
  return value;
};

/** The bits that so many bits take in groups of `size` that stand `size · gap` apart. */
const groups = (bits: number, gap: number, size: number): number => {
  let mask = 0;
  for (let k = 0; k < bits; k++) mask |= 1 << (Math.floor(k / size) * size * gap + (k % size));
  return mask;
};
