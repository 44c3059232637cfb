/** Arithmetic modulo 2³², of plain numbers or of u32 values of kernel IR. */
export interface WordOps<S> {
  readonly constant: (value: number) => S;
  readonly add: (a: S, b: S) => S;
  readonly mul: (a: S, b: S) => S;
  readonly xor: (a: S, b: S) => S;
  readonly shl: (a: S, bits: number) => S;
  /** Zeros come in from above. */
  readonly shr: (a: S, bits: number) => S;
}

/** Where a sequence of random numbers stands: two words that are not both zero. */
export interface RandomState<S> {
  readonly first: S;
  readonly second: S;
}

/**
 * The start of the random numbers of one iteration of a parallel loop, from a seed and the coordinates of the iteration as
 * the loop counts them (the bits of an i32 as u32). The body of a kernel around its loops is the iteration without
 * coordinates, and its seed is that of the launch. Whenever a kernel that uses random numbers comes to a loop that is
 * parallel, the body draws once, and the bits drawn are the seed of that loop. So no number depends on threads.
 */
export const startRandom = <S>(ops: WordOps<S>, seed: S, coordinates: readonly S[]): RandomState<S> => ({
  first: coordinates.reduce((x, c) => mix(ops, ops.xor(x, c)), mix(ops, ops.xor(seed, ops.constant(0x243f6a88)))),
  second: odd(
    ops,
    coordinates.reduce((x, c) => mix(ops, ops.add(x, c)), mix(ops, ops.add(seed, ops.constant(0x85a308d3)))),
  ),
});

/**
 * One step of xoroshiro64** (Blackman and Vigna, Scrambled linear pseudorandom number generators, 2021), which comes back to
 * where it was after 2⁶⁴ − 1 steps. `bits` are uniform in all 32.
 */
export const nextRandom = <S>(
  ops: WordOps<S>,
  { first, second }: RandomState<S>,
): { readonly state: RandomState<S>; readonly bits: S } => {
  const both = ops.xor(first, second);
  return {
    state: { first: ops.xor(ops.xor(rotate(ops, first, 26), both), ops.shl(both, 9)), second: rotate(ops, both, 13) },
    bits: scrambled(ops, first),
  };
};

/** Another 32 bits of a step, of the other word: they follow those of `nextRandom` where a number has more. */
export const moreBits = <S>(ops: WordOps<S>, { second }: RandomState<S>): S => scrambled(ops, second);

const scrambled = <S>(ops: WordOps<S>, word: S): S =>
  ops.mul(rotate(ops, ops.mul(word, ops.constant(0x9e3779bb)), 5), ops.constant(5));

/**
 * How `random()` and `randomInt()` take their number from the bits. In f32 the first 24 of them, shifted right, times the scale; in
 * f64 all 32 and the first 21 of `moreBits`, each times its scale, so that the number in f32 is the one in f64, cut off. An
 * integer is the bits shifted right, as an i32.
 */
export const randomSingle = { shift: 8, scale: 2 ** -24 } as const;
export const randomDouble = { scale: 2 ** -32, more: { shift: 11, scale: 2 ** -53 } } as const;
export const randomInteger = { shift: 1 } as const;

/** Words of the host. */
export const hostWords: WordOps<number> = {
  constant: (value) => value >>> 0,
  add: (a, b) => (a + b) >>> 0,
  mul: (a, b) => Math.imul(a, b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
  shl: (a, bits) => (a << bits) >>> 0,
  shr: (a, bits) => a >>> bits,
};

/** A hash of 32 bits to 32, one to one, in which every input bit changes every output bit about every other time. */
const mix = <S>(ops: WordOps<S>, x: S): S => {
  const fold = (a: S, bits: number): S => ops.xor(a, ops.shr(a, bits));
  const once = ops.mul(fold(x, 16), ops.constant(0x7feb352d));
  return fold(ops.mul(fold(once, 15), ops.constant(0x846ca68b)), 16);
};

/** Shifted left, with the high bits coming in below. */
const rotate = <S>(ops: WordOps<S>, x: S, bits: number): S => ops.xor(ops.shl(x, bits), ops.shr(x, 32 - bits));

const odd = <S>(ops: WordOps<S>, x: S): S => ops.add(ops.shl(x, 1), ops.constant(1));
