import {
  mapKernels,
  rewriteOps,
  opWith,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { corePass } from '../support/core-pass.js';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { attrsOfParts, chunkedBound, chunkFits, indexConstant } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';
import { isSerial } from './hold-rows.js';
import { countOps, isInnermost, iteration, unrollWhole } from './iterations.js';

/**
 * Unrolls serial loops, inner ones first. A short loop with constant bounds becomes its iterations; an innermost loop with
 * a constant step becomes, with `factor` > 1, a loop over groups of iterations and an epilogue for the rest. Parallel and
 * simd loops stay whole: their iterations belong to threads and lanes.
 *
 * Options: `factor` (default 1), iterations put into one where a loop is not unrolled in full; `maxTrips` (default 16), the
 * most iterations of a loop that is; `maxOps` (default 1024), beyond which no loop grows.
 * Throws `option/value` when one of them is not a whole number in its range.
 */
export const unroll = corePass(
  'unroll',
  { factor: 1, maxTrips: 16, maxOps: 1024 },
  (dialects, limits) => {
    const facts = factsOf(dialects);
    return (module) => {
      return mapKernels(module, (k) =>
        rewriteOps(
          k,
          dialects,
          (op, ctx) => (isSerial(op) ? unrollLoop(op, ctx, facts, limits) : undefined),
          module.buffers,
        ),
      );
    };
  },
  { factor: 1 },
);

interface Limits {
  readonly factor: number;
  readonly maxTrips: number;
  readonly maxOps: number;
}

const unrollLoop = (loop: Op, ctx: RewriteContext, facts: Facts, limits: Limits): Replacement | undefined => {
  const constantOf = (v: Value) => constantIn(v, ctx.definition, facts);
  const size = countOps(loop);
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips !== undefined && trips <= BigInt(limits.maxTrips) && Number(trips) * size <= limits.maxOps)
    return unrollWhole(
      loop,
      Number(trips),
      ctx,
      BigInt(constantOf(loop.operands[0]!) ?? 0),
      BigInt(constantOf(loop.operands[2]!) ?? 0),
    );
  const step = constantOf(loop.operands[2]!);
  if (limits.factor < 2 || step === undefined || !isInnermost(loop, facts) || size * limits.factor > limits.maxOps)
    return undefined;
  if (!chunkFits(loop, BigInt(step), limits.factor) || (trips !== undefined && trips < BigInt(limits.factor)))
    return undefined;
  return unrollByFactor(loop, ctx, BigInt(step), limits.factor, trips);
};

const unrollByFactor = (
  loop: Op,
  ctx: RewriteContext,
  step: bigint,
  factor: number,
  trips: bigint | undefined,
): Replacement =>
  ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = [loop.operands[0]!, loop.operands[1]!, loop.operands[2]!];
    const even = trips !== undefined && trips % BigInt(factor) === 0n;
    const end = even ? ub : chunkedBound(b, loop, step, factor);
    const stride = indexConstant(b, loop, step * BigInt(factor));
    const main = b.for(lb, end, stride, attrsOfParts(loop), loop.operands.slice(3), (iv, inits) => {
      let carried = inits;
      for (let i = 0; i < factor; i++) {
        const index = i === 0 ? iv : b.add(iv, indexConstant(b, loop, step * BigInt(i)));
        carried = iteration(loop, index, carried, b, ctx);
      }
      return carried;
    });
    return even ? main : b.append(opWith(loop, { operands: [end, ub, one, ...main], attrs: attrsOfParts(loop) }));
  });
