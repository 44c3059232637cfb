import type { Buffer, Op, RewriteContext } from '@filigree/ir';
import { touches, type Facts } from './facts.js';

/** The names of scratch buffers: private to an iteration of an outermost parallel loop, or to the serial code around it. */
export const scratchOf = (buffers: Iterable<Buffer>): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const b of buffers) if (b.role === 'scratch') names.add(b.name);
  return names;
};

/** Whether the iterations of an op may run at once. */
export const isParallelLoop = (op: Op, facts: Facts): boolean => facts.control(op)?.parallel === true;

/** Whether an op is a parallel loop, or holds one: what serial code has written to scratch buffers is lost by it. */
export const losesScratch = (op: Op, facts: Facts): boolean =>
  isParallelLoop(op, facts) || op.regions.some((r) => r.ops.some((inner) => losesScratch(inner, facts)));

/** Whether an op, or one in its regions, may use a scratch buffer. */
export const usesScratch = (op: Op, scratch: ReadonlySet<string>, facts: Facts): boolean => {
  const { reads, writes } = facts.footprint(op);
  for (const name of scratch) if (touches(reads, name) || touches(writes, name)) return true;
  return false;
};

/** Whether iterations of a loop have scratch buffers of their own, which vector lanes would share. */
export const ownsScratch = (op: Op, ctx: RewriteContext, scratch: ReadonlySet<string>, facts: Facts): boolean =>
  isParallelLoop(op, facts) && !ctx.parents.some((p) => isParallelLoop(p, facts)) && usesScratch(op, scratch, facts);
