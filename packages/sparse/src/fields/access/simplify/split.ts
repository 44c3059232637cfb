import {
  cloneRegion,
  rewriteOps,
  walk,
  opWith,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { distances } from './distance.js';
import { numberOf } from './number-of.js';
import { hasAtMost } from './size.js';

/**
 * Splits loops over the digit of a block where its neighbours begin: in the middle part, index + c lies in the block
 * for every small c that the body adds, so it needs no lookup of its own and vector lanes lie side by side. The parts
 * at the ends reach into the neighbouring blocks. Innermost loops are split like this, and the loops over rows around
 * them: most rows then find their neighbours without a lookup. Lookups further out are too rare to be worth three
 * copies of the rows.
 */
export const splitLoops = (kernel: Kernel, dialects: readonly Dialect[], buffers: readonly Buffer[]): Kernel =>
  rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const at = cuts(op, ctx);
      return at && ctx.build((b) => split(op, at, b, ctx));
    },
    buffers,
  );

/** The longest body that is worth having three times. */
const MAX_OPS = 400;

/** Where to cut a loop into three, if that leaves more than half of it in the middle. */
const cuts = (loop: Op, ctx: RewriteContext): readonly number[] | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs.parallel === true || loop.results.length > 0) return undefined;
  const [from, to, step] = loop.operands.map((v) => numberOf(ctx.definition(v)));
  if (from === undefined || to === undefined || step !== 1) return undefined;
  const reach = hasAtMost(loop, MAX_OPS) && loopsWithin(loop) <= 1 ? reachOf(loop, from, to, ctx) : undefined;
  if (!reach) return undefined;
  const first = Math.max(from, -reach.least);
  const last = Math.min(to, reach.unit - reach.most);
  if (first === from && last === to) return undefined;
  return 2 * (last - first) >= to - from
    ? [from, first, last, to].filter((x, n, all) => n === 0 || x > all[n - 1])
    : undefined;
};

/** The numbers that are added to indices of which the counter of the loop is the digit. */
export const reachOf = (
  loop: Op,
  from: number,
  to: number,
  ctx: RewriteContext,
): { readonly unit: number; readonly least: number; readonly most: number } | undefined => {
  const [counter] = loop.regions[0].params;
  const distance = distances(undefined, ctx);
  let [unit, least, most] = [0, 0, 0];
  walk(loop.regions[0], (op) => {
    if (op.name === 'snode.index' && op.operands[1].id === counter.id) {
      const size = Number(op.attrs.unit);
      unit = unit === 0 || unit === size ? size : -1;
      distance.start(op.results[0]);
    }
    distance.note(op);
    const sum = op.results.length === 1 ? distance.of(op.results[0]) : undefined;
    if (sum === undefined) return;
    least = Math.min(least, sum);
    most = Math.max(most, sum);
  });
  return unit >= to && from >= 0 ? { unit, least, most } : undefined;
};

/** How many loops are one within the other in the body of a loop. */
const loopsWithin = (op: Op): number => {
  let most = 0;
  for (const { ops } of op.regions)
    for (const inner of ops) {
      const loop = inner.name === 'scf.for' || inner.name === 'scf.while';
      if (inner.regions.length > 0) most = Math.max(most, (loop ? 1 : 0) + loopsWithin(inner));
    }
  return most;
};

/** A loop in pieces. */
export const split = (loop: Op, at: readonly number[], b: Builder, ctx: RewriteContext): readonly Value[] => {
  const constant = (value: number): Value => b.constant(value, loop.operands[0].type);
  for (let n = 0; n + 1 < at.length; n++)
    b.append(
      opWith(loop, {
        operands: [constant(at[n]), constant(at[n + 1]), loop.operands[2]],
        regions: [cloneRegion(loop.regions[0], ctx.ids)],
      }),
    );
  return [];
};
