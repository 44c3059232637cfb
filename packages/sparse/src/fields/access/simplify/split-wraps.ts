import {
  cloneRegion,
  makeOp,
  mapRegions,
  opWith,
  rewriteOps,
  walk,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { distances } from './distance.js';
import { numberOf } from './number-of.js';
import { hasAtMost } from './size.js';

/**
 * Splits loops where indices that follow the counter go round: in each piece `(j + c) % n` is j and a number. So nearly all iterations find
 * neighbours side by side, and need no clamps.
 */
export const splitWraps = (kernel: Kernel, dialects: readonly Dialect[], buffers: readonly Buffer[]): Kernel =>
  rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const found = cutsOf(op, ctx);
      return found && ctx.build((b) => pieces(op, found, b, ctx));
    },
    buffers,
  );

/** The longest body that is worth having more than once. */
const MAX_OPS = 400;

/** So few iterations are not worth pieces. */
const SHORT = 32;

/** Where a loop goes round more often than so, it stays whole. */
const MOST_CUTS = 4;

/** A remainder of the counter, or of what is a number further. */
interface Wrap {
  readonly op: Op;
  readonly by: number;
  readonly extent: number;
}

interface Cuts {
  readonly wraps: readonly Wrap[];
  /** The bounds of the pieces. */
  readonly at: readonly number[];
}

const cutsOf = (loop: Op, ctx: RewriteContext): Cuts | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs.parallel === true || loop.results.length > 0) return undefined;
  const [from, to, step] = loop.operands.map((v) => numberOf(ctx.definition(v)));
  if (from === undefined || to === undefined || step !== 1 || to - from < SHORT) return undefined;
  if (!hasAtMost(loop, MAX_OPS)) return undefined;
  const wraps = wrapsIn(loop, from, ctx);
  const cuts = new Set<number>();
  for (const { by, extent } of wraps)
    for (let at = (Math.floor((from + by) / extent) + 1) * extent - by; at < to && cuts.size <= MOST_CUTS; at += extent)
      cuts.add(at);
  const at = [from, ...[...cuts].sort((a, b) => a - b), to];
  const longest = at.slice(1).reduce((most, end, n) => Math.max(most, end - at[n]), 0);
  return wraps.length > 0 && cuts.size <= MOST_CUTS && 2 * longest >= to - from ? { wraps, at } : undefined;
};

const wrapsIn = (loop: Op, from: number, ctx: RewriteContext): readonly Wrap[] => {
  const distance = distances(loop.regions[0].params[0], ctx);
  const wraps: Wrap[] = [];
  walk(loop.regions[0], (op) => {
    distance.note(op);
    if (op.name !== 'arith.rem') return;
    const [by, extent] = [distance.of(op.operands[0]), numberOf(ctx.definition(op.operands[1]))];
    /* Below zero remainders do not go round. */
    if (by !== undefined && from + by >= 0 && extent !== undefined && extent > 1) wraps.push({ op, by, extent });
  });
  return wraps;
};

const pieces = (loop: Op, { wraps, at }: Cuts, b: Builder, ctx: RewriteContext): readonly Value[] => {
  const constant = (value: number): Value => b.constant(value, loop.operands[0].type);
  const [region] = loop.regions;
  for (let n = 0; n + 1 < at.length; n++) {
    const sums = new Map(
      wraps.map(({ op, by, extent }) => [op, constant(by - extent * Math.floor((at[n] + by) / extent))] as const),
    );
    const body = withSums(region, region.params[0], sums);
    b.append(
      opWith(loop, {
        operands: [constant(at[n]), constant(at[n + 1]), loop.operands[2]],
        regions: [cloneRegion(body, ctx.ids)],
      }),
    );
  }
  return [];
};

/** A region in which ops are sums of the counter and numbers. */
const withSums = (region: Region, counter: Value, sums: ReadonlyMap<Op, Value>): Region => ({
  ...region,
  ops: region.ops.map((op) => {
    const number = sums.get(op);
    return number
      ? makeOp('arith.add', [counter, number], op.results, {}, [], op.loc)
      : mapRegions(op, (inner) => withSums(inner, counter, sums));
  }),
});
