import type { Attrs, Builder, Op, Scalar, Value } from '@filigree/ir';
import type { Facts } from './facts.js';
import { tripCount } from './trip-count.js';

/**
 * The bound at which a loop over chunks of `chunk` consecutive iterations must stop: the last multiple of a chunk that
 * fits between `lb` and `ub`, or `lb` where none fits. The distance is taken without sign, so that it is exact for every
 * pair of bounds. `step` is the step of the loop when it is a known positive number with `chunk · step` in the type's range.
 */
export const chunkedBound = (b: Builder, loop: Op, step: bigint, chunk: number): Value => {
  const [lb, ub] = [loop.operands[0]!, loop.operands[1]!];
  const index = lb.type === 'i64' ? 'i64' : 'i32';
  const unsigned = index === 'i64' ? 'u64' : 'u32';
  const end = b.max(ub, lb);
  const distance = b.sub(b.cast(end, unsigned), b.cast(lb, unsigned));
  const stride = step * BigInt(chunk);
  const rest = b.rem(distance, b.constant(unsigned === 'u64' ? stride : Number(stride), unsigned));
  return b.sub(end, b.cast(rest, index));
};

/** What a loop says of itself that holds for loops over parts of its iterations, too. */
export const attrsOfParts = ({ attrs: { least: _least, ...attrs } }: Op): Attrs => attrs;

/** A constant of the loop's index type. */
export const indexConstant = (b: Builder, loop: Op, value: bigint): Value => {
  const type = loop.operands[0]!.type;
  return b.constant(type === 'i64' ? value : Number(value), type);
};

/** Whether `step · chunk` is a number of the loop's index type. */
export const chunkFits = (loop: Op, step: bigint, chunk: number): boolean =>
  step > 0n && step * BigInt(chunk) < (loop.operands[0]!.type === 'i64' ? 1n << 63n : 1n << 31n);

/** Whether chunks divide a loop evenly, of which each step is one; nothing for other loops, and for those known to be too short for two chunks. */
export const unitChunks = (
  loop: Op,
  chunk: number,
  facts: Facts,
  constantOf: (v: Value) => Scalar | undefined,
): { readonly isEven: boolean } | undefined => {
  const step = constantOf(loop.operands[2]!);
  if (step === undefined || BigInt(step) !== 1n || !chunkFits(loop, 1n, chunk)) return undefined;
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips !== undefined && trips < BigInt(2 * chunk)) return undefined;
  return { isEven: trips !== undefined && trips % BigInt(chunk) === 0n };
};
