import {
  byteSize,
  isVector,
  lanesOf,
  makeValue,
  opWith,
  scalarOf,
  type Builder,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';
import { attrsOfParts, indexConstant, unitChunks } from '../support/split-loop.js';
import { terminatorOf } from '../support/values.js';
import { sumsOf } from './sums-of.js';

/** Sums that are in registers at once, of those that processors have: the others are for what is added. */
const SUMS = 8;

/** Iterations that go together, at most: so many sums do not wait for each other, and what they share is loaded for each of them once. */
const TOGETHER = 4;

/** Several iterations of a parallel loop at once, with their sums; nothing where that cannot be, or would gain nothing. */
export const jamLoop = (loop: Op, ctx: RewriteContext, facts: Facts, bytes: number): Replacement | undefined => {
  const [region] = loop.regions as readonly [Region];
  const sums = sumsOf(region);
  const own = dependentIn(region);
  if (!sums || !goTogether(region, own, facts) || !sharesLoads(sums, own)) return undefined;
  const registers = sums.results.reduce(
    (n, { type }) => n + Math.ceil((byteSize(scalarOf(type)) * lanesOf(type)) / bytes),
    0,
  );
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const together = [TOGETHER, TOGETHER / 2].find(
    (n) => n * registers <= SUMS && unitChunks(loop, n, facts, constantOf)?.isEven === true,
  );
  if (together === undefined) return undefined;
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lower, upper] = loop.operands as readonly [Value, Value];
    b.for(lower, upper, indexConstant(b, loop, BigInt(together)), attrsOfParts(loop), [], (first) => {
      const copies = Array.from({ length: together }, (_, n) => {
        const at = n === 0 ? first : b.add(first, indexConstant(b, loop, BigInt(n)));
        return new Map([[region.params[0]!.id, at]]);
      });
      jam(region, copies, own, ctx, b);
    });
    return [];
  });
};

/** The values in a region that follow from its parameters, or that its loops carry. */
const dependentIn = (region: Region): ReadonlySet<number> => {
  const found = new Set<number>(region.params.map((p) => p.id));
  const visit = ({ ops }: Region): void => {
    for (const op of ops) {
      for (const { params } of op.regions) for (const p of params.slice(1)) found.add(p.id);
      op.regions.forEach(visit);
      if (op.regions.length > 0 || op.operands.some((v) => found.has(v.id)))
        for (const r of op.results) found.add(r.id);
    }
  };
  visit(region);
  return found;
};

/** Whether inner loops are the same for all iterations, and nothing is done in them but computing, loading, and storing what the innermost has added up. */
const goTogether = (region: Region, own: ReadonlySet<number>, facts: Facts): boolean =>
  region.ops.every((op, n) => {
    if (op.regions.length > 0)
      return !op.operands.slice(0, 3).some((v) => own.has(v.id)) && op.regions.every((r) => goTogether(r, own, facts));
    if (facts.terminator(op) || facts.pure(op) || op.name === 'mem.load') return true;
    return op.name === 'mem.store' && region.ops.slice(0, n).some((before) => before.regions.length > 0);
  });

/** Whether iterations load vectors for their sums that are the same for all of them. */
const sharesLoads = (sums: Op, own: ReadonlySet<number>): boolean =>
  sums.regions[0]!.ops.some(
    (op) => op.name === 'mem.load' && isVector(op.results[0]!.type) && !own.has(op.operands[0]!.id),
  );

/** Appends a region for several iterations, of each of which is known what stands for its values: op by op, what is the same for all of them once. */
const jam = (
  { ops }: Region,
  copies: readonly Map<number, Value>[],
  own: ReadonlySet<number>,
  ctx: RewriteContext,
  b: Builder,
): void => {
  for (const op of ops.slice(0, -1)) {
    b.loc = op.loc;
    if (op.regions.length > 0) {
      jamInner(op, copies, own, ctx, b);
      continue;
    }
    const each = op.results.some((r) => own.has(r.id)) || op.name === 'mem.store' ? copies : copies.slice(0, 1);
    for (const copy of each) {
      const results = op.results.map((r) => makeValue(ctx.ids.next(), r.type, r.hint));
      b.append(opWith(op, { operands: op.operands.map((v) => copy.get(v.id) ?? v), results }));
      for (const other of each.length === 1 ? copies : [copy])
        op.results.forEach((r, n) => other.set(r.id, results[n]!));
    }
  }
};

/** A loop that goes through the iterations of several at once, and carries what each of them does. */
const jamInner = (
  loop: Op,
  copies: readonly Map<number, Value>[],
  own: ReadonlySet<number>,
  ctx: RewriteContext,
  b: Builder,
): void => {
  const [first] = copies as readonly [Map<number, Value>];
  const [lower, upper, step] = loop.operands.slice(0, 3).map((v) => first.get(v.id) ?? v) as [Value, Value, Value];
  const [region] = loop.regions as readonly [Region];
  const begin = copies.flatMap((copy) => loop.operands.slice(3).map((v) => copy.get(v.id) ?? v));
  const carries = loop.results.length;
  const results = b.for(lower, upper, step, attrsOfParts(loop), begin, (counter, carried) => {
    copies.forEach((copy, n) => {
      copy.set(region.params[0]!.id, counter);
      region.params.slice(1).forEach((p, k) => copy.set(p.id, carried[n * carries + k]!));
    });
    jam(region, copies, own, ctx, b);
    return copies.flatMap((copy) => terminatorOf(region).operands.map((v) => copy.get(v.id) ?? v));
  });
  copies.forEach((copy, n) => loop.results.forEach((r, k) => copy.set(r.id, results[n * carries + k]!)));
};
