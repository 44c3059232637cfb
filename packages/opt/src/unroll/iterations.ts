import { cloneOps, walk, type Builder, type Op, type Replacement, type RewriteContext, type Value } from '@filigree/ir';
import { isLoopOp, type Facts } from '../support/facts.js';
import { indexConstant } from '../support/split-loop.js';
import { bodyOf, terminatorOf } from '../support/values.js';

/** The iterations of a loop, one behind the other. */
export const unrollWhole = (loop: Op, trips: number, ctx: RewriteContext, lb: bigint, step: bigint): Replacement =>
  ctx.build((b) => {
    b.loc = loop.loc;
    let carried: readonly Value[] = loop.operands.slice(3);
    for (let i = 0; i < trips; i++)
      carried = iteration(loop, indexConstant(b, loop, lb + BigInt(i) * step), carried, b, ctx);
    return carried;
  });

/** Appends one copy of the loop's body; gives the values that the next iteration starts from. */
export const iteration = (
  loop: Op,
  iv: Value,
  carried: readonly Value[],
  b: Builder,
  ctx: RewriteContext,
): readonly Value[] => {
  const region = loop.regions[0]!;
  const start = new Map<number, Value>();
  region.params.forEach((p, i) => start.set(p.id, i === 0 ? iv : carried[i - 1]!));
  const { ops, values } = cloneOps(bodyOf(region), ctx.ids, start);
  for (const op of ops) b.append(op);
  return terminatorOf(region).operands.map((v) => values.get(v.id) ?? v);
};

/** The ops of a loop. */
export const countOps = (loop: Op): number => {
  let count = 0;
  for (const r of loop.regions) walk(r, () => count++);
  return count;
};

/** Whether there is no loop in a loop. */
export const isInnermost = (loop: Op, facts: Facts): boolean => {
  let inner = false;
  walk(loop.regions[0]!, (op) => (inner ||= isLoopOp(op, facts)));
  return !inner;
};
