/** Arithmetic modulo 2³², of plain numbers or of u32 values of kernel IR. */
export interface WordOps<S> {
  readonly constant: (value: number) => S;
  readonly add: (a: S, b: S) => S;
  readonly mul: (a: S, b: S) => S;
  readonly xor: (a: S, b: S) => S;
  /** Zeros come in from above. */
  readonly shr: (a: S, bits: number) => S;
}

/** Where a sequence of random numbers stands, and which of 2³² sequences it is. */
export interface RandomState<S> {
  readonly position: S;
  readonly stream: S;
}

/**
 * The start of the random numbers of one iteration of a parallel loop, from a seed and the coordinates of the iteration as
 * the loop counts them (the bits of an i32 as u32). The body of a kernel around its loops is the iteration without
 * coordinates, and its seed is that of the launch. Whenever a kernel that uses random numbers comes to a loop that is
 * parallel, the body draws once, and the bits drawn are the seed of that loop. So no number depends on threads.
 */
export const startRandom = <S>(ops: WordOps<S>, seed: S, coordinates: readonly S[]): RandomState<S> => ({
  position: coordinates.reduce((x, c) => mix(ops, ops.xor(x, c)), mix(ops, ops.xor(seed, ops.constant(0x243f6a88)))),
  stream: coordinates.reduce((x, c) => mix(ops, ops.add(x, c)), mix(ops, ops.add(seed, ops.constant(0x85a308d3)))),
});

/** One step: a Weyl sequence, hashed, moved by the stream, and hashed again. `bits` are uniform in all 32. */
export const nextRandom = <S>(
  ops: WordOps<S>,
  { position, stream }: RandomState<S>,
): { readonly state: RandomState<S>; readonly bits: S } => {
  const moved = ops.add(position, ops.constant(0x9e3779b9));
  return { state: { position: moved, stream }, bits: mix(ops, ops.add(mix(ops, moved), stream)) };
};

/**
 * How `random()` and `randomInt()` take their number from the bits: shifted right, as a float times the scale; and shifted
 * right, as an i32. 24 bits are exact in f32 and f64 alike, so both compute with the same numbers.
 */
export const randomFloat = { shift: 8, scale: 2 ** -24 } as const;
export const randomInteger = { shift: 1 } as const;

/** Words of the host. */
export const hostWords: WordOps<number> = {
  constant: (value) => value >>> 0,
  add: (a, b) => (a + b) >>> 0,
  mul: (a, b) => Math.imul(a, b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
  shr: (a, bits) => a >>> bits,
};

/** A hash of 32 bits to 32, one to one, in which every input bit changes every output bit about every other time. */
const mix = <S>(ops: WordOps<S>, x: S): S => {
  const fold = (a: S, bits: number): S => ops.xor(a, ops.shr(a, bits));
  const once = ops.mul(fold(x, 16), ops.constant(0x7feb352d));
  return fold(ops.mul(fold(once, 15), ops.constant(0x846ca68b)), 16);
};
