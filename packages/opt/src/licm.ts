import {
  alwaysRuns,
  bufferMap,
  freeValues,
  isLoop,
  mapKernels,
  rewriteOps,
  walk,
  opWith,
  type Control,
  type LoopCount,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { rangesOf } from './integer-range/analysis.js';
import { inBounds } from './support/bounds.js';
import { corePass } from './support/core-pass.js';
import { constantIn } from './support/constant-in.js';
import { accessIn, factsOf, touches, type Facts, type Footprint } from './support/facts.js';
import { tripCount } from './support/trip-count.js';
import { definedIn } from './support/values.js';

/**
 * Loop-invariant code motion: ops of a loop body whose operands come from outside move before the loop, inner loops
 * first. They must be pure and unable to trap; reads move too when nothing in the loop writes that buffer and either the
 * loop is known to run, by its bounds or by a condition around it, or the index is known to be inside the buffer.
 *
 * With `keepOffsets`, a sum of a value and a constant that is only used as an index of loads and stores stays with them: most
 * machines add the constant as part of the access, whereas a hoisted sum would occupy a register.
 */
export const licm = corePass('licm', { keepOffsets: false as boolean }, (dialects, { keepOffsets }) => {
  const facts = factsOf(dialects);
  return (module) => {
    const buffers = bufferMap(module.buffers);
    return mapKernels(module, (k) => {
      const runsAgain = (op: Op): boolean => {
        const control = facts.control(op);
        return control !== undefined && isLoop(control);
      };
      const ranges = lazily(() => rangesOf(k, buffers, facts, { unasked: runsAgain }));
      const safe = (op: Op): boolean => inBounds(op, facts, ranges, buffers);
      return rewriteOps(
        k,
        dialects,
        (op, ctx) => {
          const control = facts.control(op);
          return control && isLoop(control) ? hoist(op, control, ctx, facts, safe, keepOffsets) : undefined;
        },
        module.buffers,
      );
    });
  };
});

const lazily = <T extends object>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const hoist = (
  loop: Op,
  control: Control,
  ctx: RewriteContext,
  facts: Facts,
  safe: (op: Op) => boolean,
  keepOffsets: boolean,
): Replacement | undefined => {
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const footprint = facts.footprint(loop);
  const inside = new Set<number>();
  for (const r of loop.regions) definedIn(r, inside);
  const outside = (v: Value): boolean => !inside.has(v.id);
  const runs = certainlyRuns(loop, control, ctx, facts, constantOf);
  const moved = new Set<Op>();
  const regions = loop.regions.map((region, i): Region => {
    const always = runs || alwaysRuns(control, i);
    const kept = region.ops.filter((op) => {
      if (facts.terminator(op) || !usesOnly(op, outside)) return true;
      if (!facts.speculatable(op) && !movableRead(op, footprint, facts, () => always || safe(op))) return true;
      moved.add(op);
      for (const v of op.results) inside.delete(v.id);
      return false;
    });
    return kept.length === region.ops.length ? region : { params: region.params, ops: kept };
  });
  if (moved.size === 0) return undefined;
  if (!keepOffsets) return { ops: [...moved, opWith(loop, { regions })], values: loop.results };
  const stays = offsetsIn(loop, moved, facts, (v) => constantOf(v) !== undefined);
  if (stays.size === moved.size) return undefined;
  const before = [...moved].filter((op) => !stays.has(op));
  const left = loop.regions.map((r): Region => ({
    params: r.params,
    ops: r.ops.filter((op) => !moved.has(op) || stays.has(op)),
  }));
  return { ops: [...before, opWith(loop, { regions: left })], values: loop.results };
};

/** Of the ops that could move those that add a constant to an index of accesses that do not. */
const offsetsIn = (
  loop: Op,
  moved: ReadonlySet<Op>,
  facts: Facts,
  constant: (v: Value) => boolean,
): ReadonlySet<Op> => {
  const elsewhere = new Set<number>();
  for (const region of loop.regions)
    walk(region, (op) => {
      const access = moved.has(op) ? undefined : accessIn(op, facts);
      for (const v of op.operands) if (!access?.index.includes(v) || access.value === v) elsewhere.add(v.id);
    });
  return new Set(
    [...moved].filter(
      (op) => op.name === 'arith.add' && op.operands.some(constant) && !elsewhere.has(op.results[0].id),
    ),
  );
};

const usesOnly = (op: Op, allowed: (v: Value) => boolean): boolean =>
  op.operands.every(allowed) && op.regions.every((r) => freeValues(r).every(allowed));

/** A read that sees the same memory before the loop as in any iteration, at a place where it may run. */
const movableRead = (op: Op, loop: Footprint, facts: Facts, safe: () => boolean): boolean => {
  if (op.regions.length > 0 || loop.external || loop.writes.any) return false;
  const f = facts.footprint(op);
  if (f.external || f.writes.any || f.writes.names.size > 0 || f.reads.any || f.reads.names.size === 0) return false;
  return [...f.reads.names].every((b) => !touches(loop.writes, b)) && safe();
};

/** Whether a loop that counts runs at least once whenever it is reached. */
const certainlyRuns = (
  loop: Op,
  { count }: Control,
  ctx: RewriteContext,
  facts: Facts,
  constantOf: (v: Value) => Scalar | undefined,
): boolean => {
  if (!count) return false;
  const trips = tripCount(count, constantOf);
  if (trips !== undefined) return trips > 0n;
  return ctx.parents.some((parent, depth) => {
    const control = facts.control(parent);
    // Inside a loop over the same range the range is not empty.
    if (control?.count) return same(control.count.lower, count.lower) && same(control.count.upper, count.upper);
    const child = ctx.parents[depth + 1];
    const around = parent.regions.findIndex((r) => r.ops.some((o) => (child ? o === child : sameLoop(o, loop))));
    const ways = control?.edges.filter(({ to }) => to === around) ?? [];
    const when = ways.length === 1 && ways[0]!.from === 'start' ? ways[0]!.when : undefined;
    return when?.is === true && saysLess(ctx.definition(parent.operands[when.operand]!), count);
  });
};

const same = (a: Value | number, b: Value | number): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.id === b.id : a === b;

/** Whether a condition is that the bounds of a loop are in order. */
const saysLess = (cmp: Op | undefined, { lower, upper }: LoopCount): boolean => {
  if (cmp?.name !== 'arith.cmp') return false;
  const [a, b] = [cmp.operands[0]!, cmp.operands[1]!];
  const p = cmp.attrs['predicate'];
  return (p === 'lt' && same(a, lower) && same(b, upper)) || (p === 'gt' && same(a, upper) && same(b, lower));
};

/** Whether two states of the op are one loop: its induction value is defined by nothing else. */
const sameLoop = (a: Op, b: Op): boolean =>
  a.name === b.name &&
  a.regions[0]?.params[0] !== undefined &&
  a.regions[0].params[0].id === b.regions[0]!.params[0]?.id;
