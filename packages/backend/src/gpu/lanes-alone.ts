import type { Builder, Extension, Value } from '@filigree/ir';

const number = (b: Builder, x: number | bigint): Value => b.constant(x, 'u64');

/** Ops of `gpu` where threads are not in step: each is alone, as in the interpreter. */
export const lanesAlone: Extension = {
  name: 'threads that are alone',
  spellings: {
    'gpu.lane': { core: (b) => b.i32(0) },
    'gpu.here': { core: (b) => number(b, 1) },
    'gpu.ballot': { core: (b, { operands: [holds] }) => b.select(holds!, number(b, 1), number(b, 0)) },
    'gpu.shuffle': { core: (_, { operands: [value] }) => value! },
    'gpu.count': { core: (b, { operands: [set] }) => bits(b, set!) },
    /* The bits below the first. */
    'gpu.first': { core: (b, { operands: [set] }) => bits(b, b.and(b.sub(set!, number(b, 1)), b.not(set!))) },
  },
};

/* Of pairs, of fours, of bytes, and the bytes together. */
const bits = (b: Builder, set: Value): Value => {
  const masked = (x: Value, by: number, mask: bigint): Value => b.and(b.shr(x, number(b, by)), number(b, mask));
  const pairs = b.sub(set, masked(set, 1, 0x5555555555555555n));
  const fours = b.add(masked(pairs, 0, 0x3333333333333333n), masked(pairs, 2, 0x3333333333333333n));
  const bytes = b.and(b.add(fours, b.shr(fours, number(b, 4))), number(b, 0x0f0f0f0f0f0f0f0fn));
  return b.cast(b.shr(b.mul(bytes, number(b, 0x0101010101010101n)), number(b, 56)), 'i32');
};
