import type { Builder, Value } from '@filigree/ir';

/** An index of a buffer: a value, and a number that is added to it. */
export interface Place {
  readonly buffer: string;
  readonly base: Value;
  readonly offset: number;
}

/** The index `extra` elements on. */
export const indexOf = (b: Builder, { base, offset }: Place, extra = 0): Value =>
  offset + extra === 0 ? base : b.add(base, number(b, base, offset + extra));

export const shifted = (place: Place, by: number): Place => ({ ...place, offset: place.offset + by });

/** The place `count`·`stride` elements on; `count` is i32. */
export const moved = (b: Builder, place: Place, count: Value, stride: number): Place => {
  const like = place.base.type;
  const wide = count.type === like ? count : b.cast(count, 'i64');
  return { ...place, base: b.add(place.base, stride === 1 ? wide : b.mul(wide, number(b, place.base, stride))) };
};

const number = (b: Builder, like: Value, x: number): Value =>
  b.constant(like.type === 'i64' ? BigInt(x) : x, like.type);
