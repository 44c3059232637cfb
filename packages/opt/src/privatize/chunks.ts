import { makeOp, type Builder, type Op, type Value, opWith } from '@filigree/ir';
import { workOf, type Loops } from '../support/work.js';
import { attrsOfParts } from '../support/split-loop.js';

/** Ops that a chunk should take at the least: well more than the atomics after it. */
const leastWork = 16_384;
const mostIterations = 4096;

/**
 * Appends a parallel loop over at most `chunks` chunks of the iterations of `loop`; `inside` appends one chunk, given the
 * loop over its iterations. All counts are taken without sign, so that they are exact for every pair of bounds.
 */
export const chunkedLoop = (
  b: Builder,
  loop: Op,
  step: bigint,
  chunks: number,
  loops: Loops,
  inside: (loop: Op) => void,
): void => {
  b.loc = loop.loc;
  const [lb, ub] = [loop.operands[0]!, loop.operands[1]!];
  const index = lb.type === 'i64' ? 'i64' : 'i32';
  const unsigned = index === 'i64' ? 'u64' : 'u32';
  const signed = (n: number): Value => b.constant(n, index);
  const whole = (n: bigint | number): Value => b.constant(unsigned === 'u64' ? BigInt(n) : Number(n), unsigned);
  const ceilDivide = (a: Value, by: bigint | number): Value =>
    b.add(b.div(a, whole(by)), b.min(b.rem(a, whole(by)), whole(1)));

  const distance = b.sub(b.cast(b.max(ub, lb), unsigned), b.cast(lb, unsigned));
  const trips = step === 1n ? distance : ceilDivide(distance, step);
  const least = leastIterations(workOf(loop.regions[0]!, loops));
  const length = b.mul(ceilDivide(trips, Math.min(chunks * least, 2 ** 31)), whole(least));
  const count = b.add(b.div(trips, b.max(length, whole(1))), b.min(b.rem(trips, b.max(length, whole(1))), whole(1)));
  const { simd: _simd, independent: _independent, trips: _trips, ...outer } = attrsOfParts(loop);
  const attrs = { ...attrsOfParts(loop), ...(least > 1 ? { trips: least } : {}) };
  b.for(signed(0), b.cast(count, index), signed(1), outer, [], (c) => {
    const first = b.mul(b.cast(c, unsigned), length);
    const many = b.min(length, b.sub(trips, first));
    if (step === 1n) {
      const from = b.add(lb, b.cast(first, index));
      inside(opWith(loop, { attrs, operands: [from, b.add(from, b.cast(many, index)), loop.operands[2]!] }));
      return;
    }
    /* Counted from zero, since the bound behind the last iteration may not be a number of the type. */
    const from = b.add(lb, b.mul(b.cast(first, index), loop.operands[2]!));
    const region = loop.regions[0]!;
    const iv = region.params[0]!;
    const k = b.newValue(index);
    const { ops } = b.collect(() => {
      const ahead = b.mul(k, loop.operands[2]!);
      b.append(makeOp('arith.add', [from, ahead], [iv], {}, [], undefined));
    });
    inside(
      opWith(loop, {
        attrs,
        operands: [signed(0), b.cast(many, index), signed(1)],
        regions: [{ params: [k], ops: [...ops, ...region.ops] }],
      }),
    );
  });
};

/** Whether chunks would be of one iteration each, of which there are so many, because each has enough to do. */
export const isInChunks = (loop: Op, trips: bigint | undefined, chunks: number, loops: Loops): boolean =>
  trips !== undefined && trips <= BigInt(chunks) && leastIterations(workOf(loop.regions[0]!, loops)) === 1;

/** A power of two, so that lanes divide it. */
const leastIterations = (work: number): number =>
  Math.max(1, Math.min(mostIterations, 2 ** Math.floor(Math.log2(leastWork / Math.max(1, work)))));
