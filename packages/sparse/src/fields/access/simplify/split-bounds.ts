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
import { rangesOf, type Ranges } from './ranges.js';
import { distances } from './distance.js';
import { hasAtMost } from './size.js';

/**
 * Splits innermost loops of unknown length at the point where indices that follow the counter leave the bounds of a
 * field: the first part needs no clamps, so that neighbours stay neighbours. The second part hardly ever runs, and runs
 * serially.
 */
export const splitAtBounds = (kernel: Kernel, dialects: readonly Dialect[], buffers: readonly Buffer[]): Kernel => {
  let known: Ranges | undefined;
  const ranges = (): Ranges => (known ??= rangesOf(kernel, dialects));
  return rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const end = endOf(op, ranges, ctx);
      return end === undefined ? undefined : ctx.build((b) => split(op, end, b, ctx));
    },
    buffers,
  );
};

/** The longest body that is worth having twice. */
const MAX_OPS = 400;

/** Below this a counter keeps all indices in bounds; undefined if there is no need to split, or it would not help. */
const endOf = (loop: Op, ranges: () => Ranges, ctx: RewriteContext): number | undefined => {
  if (loop.name !== 'scf.for' || loop.results.length > 0 || loop.operands[0].type !== 'i32') return undefined;
  if (!hasAtMost(loop, MAX_OPS)) return undefined;
  const distance = distances(loop.regions[0].params[0], ctx);
  let [end, first, innermost] = [Infinity, 0, true];
  walk(loop.regions[0], (op) => {
    if (op.name === 'scf.for' || op.name === 'scf.while') innermost = false;
    distance.note(op);
    const plus = op.name === 'snode.clamp' ? distance.of(op.operands[0]) : undefined;
    if (plus === undefined) return;
    end = Math.min(end, Number(op.attrs.extent) - plus);
    first = Math.max(first, -plus);
  });
  if (!innermost || end === Infinity) return undefined;
  const [from, to, step] = loop.operands.map((v) => ranges().of(v));
  const helps = step.lo === 1 && step.hi === 1 && from.lo >= first;
  return helps && to.hi > end && end > from.lo ? end : undefined;
};

const split = (loop: Op, end: number, b: Builder, ctx: RewriteContext): readonly Value[] => {
  const [from, to, step] = loop.operands;
  const middle = b.min(to, b.i32(end));
  b.append(opWith(loop, { operands: [from, middle, step] }));
  b.append(
    opWith(loop, {
      operands: [b.max(from, middle), to, step],
      attrs: {},
      regions: [cloneRegion(loop.regions[0], ctx.ids)],
    }),
  );
  return [];
};
