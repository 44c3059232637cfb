import { rare } from '#rare';
import {
  bufferMap,
  cloneOps,
  mapKernels,
  rewriteOps,
  walk,
  opWith,
  typeText,
  type Attrs,
  type Builder,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Type,
  type Value,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { constantIn } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, isLoopOp, type Facts } from '../support/facts.js';
import { attrsOfParts, indexConstant } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';
import { bodyOf, definedIn, terminatorOf } from '../support/values.js';
import { clampsOf, type Clamp, type Threshold } from './clamps.js';

/**
 * Partitions innermost loops (the loop partitioning of Halide): minima, maxima and comparisons that only the first or
 * last iterations need, such as those that clamp an index to a field, are removed from the iterations in between. If
 * the number of iterations is known, a loop is split where its edges are known too; otherwise, as in a block of a
 * larger grid, it is written twice: once for blocks that touch no edge and once for those that do.
 *
 * Options: `maxOps` (default 256): the size in ops up to which a loop may be duplicated. `nests` (default false): of loops for lanes with loops in them, instead of innermost ones, as those of a filter whose taps
 * `if (x + q >= 0 && x + q < n)` all lie in the image but for some pixels at its edges. `wrapping` (default true): also where indices may wrap, as `x[t - lag]` of any lag. Throws `option/value` when one is not of its kind.
 */
export const partition = corePass(
  'partition',
  { maxOps: 256, nests: false as boolean, wrapping: true as boolean },
  (dialects, { maxOps, nests, wrapping }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const buffers = bufferMap(module.buffers);
      return mapKernels(module, (k) => {
        const ranges = lazily(() => rangesOf(k, buffers, facts));
        return rewriteOps(
          k,
          dialects,
          (op, ctx) =>
            fitsLoop(op, maxOps, nests, facts)
              ? partitionLoop(op, { nests, wrapping }, ctx, facts, ranges())
              : undefined,
          module.buffers,
        );
      });
    };
  },
);

const lazily = <T extends object>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

/** Innermost, or for lanes, small enough, and with something in it that could be decided. */
const fitsLoop = (op: Op, maxOps: number, nests: boolean, facts: Facts): boolean => {
  if (op.name !== 'scf.for' || (nests && op.attrs['simd'] !== true)) return false;
  let [ops, inner, limits] = [0, false, false];
  walk(op.regions[0]!, (o) => {
    ops++;
    inner ||= isLoopOp(o, facts);
    limits ||= LIMITS.test(o.name);
  });
  return limits && inner === nests && ops <= maxOps;
};

const LIMITS = /^arith\.(min|max|cmp)$/;

/** Loops of fewer iterations than this are not split; at most this many may stay at an edge, beside what inner loops make of it, and no more than this part. */
const leastTrips = 8;
const mostEdge = 4;
const mostOfLoop = 0.25;

const partitionLoop = (
  loop: Op,
  { nests: nest, wrapping }: { readonly nests: boolean; readonly wrapping: boolean },
  ctx: RewriteContext,
  facts: Facts,
  ranges: Ranges,
): Replacement | undefined => {
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const number = (v: Value): number | undefined => {
    const c = constantOf(v);
    return c === undefined || typeof c === 'boolean' ? undefined : Number(c);
  };
  if (number(loop.operands[2]!) !== 1) return undefined;
  const inside = definedIn(loop.regions[0]!);
  const [lb, ub] = [number(loop.operands[0]!), number(loop.operands[1]!)];
  const middle = lb === undefined || ub === undefined ? undefined : (lb + ub) / 2;
  const clamps = clampsOf(loop, { nest, middle, ranges, constantOf, inside: (v) => inside.has(v.id) });
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips !== undefined && trips < BigInt(leastTrips)) return undefined;
  const at = ({ limit, bases, offset }: Threshold): number | undefined => {
    const known = number(limit);
    return known === undefined || bases.length > 0 ? undefined : known - offset;
  };
  /* A comparison does not tell which way most iterations go, unless it changes near an end. */
  const nearEnd = ({ becomes, first, last }: Clamp): boolean => {
    const isNear = (threshold: Threshold | undefined, end: number | undefined, sign: 1 | -1): boolean => {
      if (!threshold) return true;
      const t = at(threshold);
      if (t === undefined || end === undefined) return typeof becomes !== 'boolean';
      const edge = sign * (t - end);
      const { spread } = threshold;
      return edge <= mostEdge || (edge <= mostEdge + spread && edge <= mostOfLoop * Number(trips ?? Infinity));
    };
    return isNear(first, lb, 1) && isNear(last, ub === undefined ? undefined : ub - 1, -1);
  };
  const near = clamps.filter(nearEnd);
  const used = near.filter((c, k) => near.findIndex(({ op }) => op === c.op) === k);
  const idle = new Map(used.map((c) => [c.op, c.becomes]));
  const wraps =
    wrapping && !nest && mayWrap(loop, idle) && ctx.parents.every((p) => p.attrs['simd'] !== true)
      ? rare().wrappingIndices(loop, { constantOf, ranges, inside: (v) => inside.has(v.id), idle, trips, mostEdge })
      : undefined;
  if (used.length === 0 && !wraps) return undefined;
  const fixed = lb !== undefined && ub !== undefined;
  if (!wraps && fixed && used.some(({ first, last }) => [first, last].some((t) => t && at(t) === undefined)))
    return ctx.build((b) => twice(b, loop, used, idle, ctx, constantOf));
  return ctx.build((b) => {
    b.loc = loop.loc;
    const starts = used.flatMap(({ first }) => (first ? [threshold(b, loop, first, 0, constantOf)] : []));
    const ends = used.flatMap(({ last }) => (last ? [threshold(b, loop, last, 1, constantOf)] : []));
    wraps?.bounds(b).forEach(([first, end]) => {
      starts.push(first);
      ends.push(end);
    });
    const [first, last] = loop.operands as readonly [Value, Value];
    /* Without regard to one another, so that the bounds of the middle say most about its counter. */
    const from = starts.reduce(b.max, first);
    const to = ends.reduce(b.min, last);
    const before = starts.length === 0 ? first : b.min(from, last);
    const { simd: _simd, ...plain } = attrsOfParts(loop);
    const edge: Attrs = { ...plain, trips: 1 };
    let carried: readonly Value[] = loop.operands.slice(3);
    if (starts.length > 0) carried = piece(b, loop, [first, before], carried, edge, asItIs, ctx);
    const middle = { ...attrsOfParts(loop), ...wraps?.attrs };
    carried = piece(b, loop, [from, to], carried, middle, wraps?.idle ?? idle, ctx, wraps?.anew(b, used, at));
    return ends.length === 0 ? carried : piece(b, loop, [b.max(to, before), last], carried, edge, asItIs, ctx);
  });
};

/** What clamps and comparisons come to where they do nothing. */
type Idle = ReadonlyMap<Op, Clamp['becomes']>;

const asItIs: Idle = new Map();

/** Whether a loop clamps sums of its counter in other ways than these. */
const mayWrap = (loop: Op, idle: Idle): boolean => {
  const sums = new Set([loop.regions[0]!.params[0]!.id]);
  let found = false;
  walk(loop.regions[0]!, (op) => {
    if (!SUMS.test(op.name) || !op.operands.some((v) => sums.has(v.id))) return;
    sums.add(op.results[0]!.id);
    found ||= LIMITS.test(op.name) && !idle.has(op);
  });
  return found;
};

const SUMS = /^arith\.(add|sub|neg|cast|min|max)$/;

/** The loop without the clamps where none of them does anything, else as it is. */
const twice = (
  b: Builder,
  loop: Op,
  clamps: readonly Clamp[],
  idle: Idle,
  ctx: RewriteContext,
  constantOf: (v: Value) => Scalar | undefined,
): readonly Value[] => {
  b.loc = loop.loc;
  const [lb, ub] = loop.operands as readonly [Value, Value];
  const holds = clamps.flatMap(({ first, last }) => [
    ...(first ? [b.cmp('le', threshold(b, loop, first, 0, constantOf), lb)] : []),
    ...(last ? [b.cmp('ge', threshold(b, loop, last, 1, constantOf), ub)] : []),
  ]);
  const { simd: _simd, ...plain } = loop.attrs;
  const inits = loop.operands.slice(3);
  return b.if(
    holds.reduce(b.and),
    () => piece(b, loop, [lb, ub], inits, loop.attrs, idle, ctx),
    () => piece(b, loop, [lb, ub], inits, plain, asItIs, ctx),
  );
};

/** The first iteration at or behind a threshold. */
const threshold = (
  b: Builder,
  loop: Op,
  { limit, bases, offset }: Threshold,
  behind: number,
  constantOf: (v: Value) => Scalar | undefined,
): Value => {
  const known = constantOf(limit);
  const constant = (n: number): Value => indexConstant(b, loop, BigInt(n));
  if (known !== undefined && bases.length === 0) return constant(Number(known) - offset + behind);
  const from = known === undefined ? limit : constant(Number(known));
  const rest = bases.reduce((v, base) => b.sub(v, base), from);
  return offset === behind ? rest : b.add(rest, constant(behind - offset));
};

/** Appends a copy of the loop over part of its iterations, of which this is known. */
const piece = (
  b: Builder,
  loop: Op,
  [from, to]: readonly [Value, Value],
  inits: readonly Value[],
  attrs: Attrs,
  idle: Idle,
  ctx: RewriteContext,
  anew?: Anew,
): readonly Value[] =>
  b.for(from, to, loop.operands[2]!, attrs, inits, (iv, carried) => {
    const region = loop.regions[0]!;
    const start = new Map<number, Value>();
    region.params.forEach((p, k) => start.set(p.id, k === 0 ? iv : carried[k - 1]!));
    const replaced = new Map<number, Value>();
    const body = idle.size === 0 ? region : withoutClamps(region, idle, replaced, b, anew);
    const { ops, values } = cloneOps(bodyOf(body), ctx.ids, start);
    for (const op of ops) b.append(op);
    return terminatorOf(body).operands.map((v) => values.get(v.id) ?? v);
  });

/** Ops that make in another way what an op of a loop makes, of constants too. */
export type Anew = (op: Op, constant: (n: number) => Value) => readonly Op[] | undefined;

/** The region with each clamp's result replaced by what it becomes; truth values are constants before all. */
const withoutClamps = (region: Region, idle: Idle, replaced: Map<number, Value>, b: Builder, anew?: Anew): Region => {
  const constants = new Map<string, Value>();
  const constant = (value: number | boolean, type: Type): Value => {
    const key = `${value} ${typeText(type)}`;
    const made = constants.get(key) ?? b.constant(value, type);
    constants.set(key, made);
    return made;
  };
  const now = (v: Value): Value => replaced.get(v.id) ?? v;
  const visit = (r: Region): Region => ({
    params: r.params,
    ops: r.ops.flatMap((op) => {
      const becomes = idle.get(op);
      if (becomes === undefined) {
        const made = anew?.(op, (n) => constant(n, 'i32'));
        if (made) return made;
        return [opWith(op, { operands: op.operands.map(now), regions: op.regions.map(visit) })];
      }
      const [result] = op.results as readonly [Value];
      if (typeof becomes === 'object' && 'less' in becomes) {
        const less = constant(becomes.less, result.type);
        return [opWith(op, { name: 'arith.sub', operands: [now(becomes.value), less], attrs: {} })];
      }
      replaced.set(result.id, typeof becomes === 'boolean' ? constant(becomes, 'i1') : now(becomes));
      return [];
    }),
  });
  return visit(region);
};
