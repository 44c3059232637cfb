import { fitsType, hasRange, type Op, type Region, type Scalar, type Value } from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';

/**
 * An op in the body of a loop that equals one of its operands, or a constant, in all but the first or last few
 * iterations.
 */
export interface Clamp {
  readonly op: Op;
  /** What its result is where it does nothing. */
  readonly becomes: Value | boolean;
  /** `first`: it has no effect from `at` on. `last`: it has none up to and including iteration `at`. */
  readonly side: 'first' | 'last';
  readonly at: Threshold;
}

/** `limit − Σ bases − offset` */
export interface Threshold {
  readonly limit: Value;
  readonly bases: readonly Value[];
  readonly offset: number;
}

export interface LoopFacts {
  readonly ranges: Ranges;
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** Whether a value is defined in the loop. */
  readonly inside: (v: Value) => boolean;
}

/** A value of the body as `iv + Σ bases + offset`, where that never wraps. */
interface Line {
  readonly bases: readonly Value[];
  readonly offset: number;
}

/** Minima, maxima and comparisons of a loop's body that its counter decides. */
export const clampsOf = (loop: Op, facts: LoopFacts): readonly Clamp[] => {
  const lines = new Map<number, Line>([[loop.regions[0]!.params[0]!.id, { bases: [], offset: 0 }]]);
  const clamps: Clamp[] = [];
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      const result = op.results[0];
      if (op.results.length !== 1 || !result || op.regions.length > 0) continue;
      const line = lineOf(op, lines, facts);
      const clamp = line ? undefined : clampOf(op, lines, facts);
      if (clamp) clamps.push(clamp);
      const known = line ?? (clamp && typeof clamp.becomes !== 'boolean' ? lines.get(clamp.becomes.id) : undefined);
      if (known) lines.set(result.id, known);
    }
  };
  visit(loop.regions[0]!);
  return clamps;
};

const mostBases = 3;

const lineOf = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): Line | undefined => {
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  if ((op.name !== 'arith.add' && op.name !== 'arith.sub') || !facts.ranges.exact(op)) return undefined;
  const [x, y] = [lines.get(a.id), lines.get(b.id)];
  const n = numberOf(b, facts);
  if (x && n !== undefined) return { ...x, offset: x.offset + (op.name === 'arith.add' ? n : -n) };
  const m = numberOf(a, facts);
  if (op.name === 'arith.sub') return undefined;
  if (y && m !== undefined) return { ...y, offset: y.offset + m };
  if (x && !y && !facts.inside(b) && x.bases.length < mostBases) return { ...x, bases: [...x.bases, b] };
  return y && !x && !facts.inside(a) && y.bases.length < mostBases ? { ...y, bases: [...y.bases, a] } : undefined;
};

const numberOf = (v: Value, { constantOf }: LoopFacts): number | undefined => {
  const c = constantOf(v);
  return c === undefined || typeof c === 'boolean' ? undefined : Number(c);
};

const clampOf = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): Clamp | undefined => {
  const side = op.name === 'arith.max' ? 'first' : op.name === 'arith.min' ? 'last' : undefined;
  if (op.name === 'arith.cmp') return comparison(op, lines, facts);
  if (!side) return undefined;
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  for (const [x, limit] of [
    [a, b],
    [b, a],
  ] as const) {
    const at = thresholdOf(lines.get(x.id), limit, 0, facts);
    if (at) return { op, becomes: x, side, at };
  }
  return undefined;
};

/** A comparison is taken for true in the middle of the loop, which the pass sees to be so. */
const comparison = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): Clamp | undefined => {
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  const crossed = !lines.has(a.id);
  const predicate = String(op.attrs['predicate']);
  const said = crossed ? (mirrored[predicate] ?? predicate) : predicate;
  const rule = comparisons[said];
  const at = rule && thresholdOf(lines.get(crossed ? b.id : a.id), crossed ? a : b, rule.shift, facts);
  return at && { op, becomes: true, side: rule.side, at };
};

/** `x < k` holds up to k − 1, `x > k` from k + 1 on. */
const comparisons: Readonly<Record<string, { readonly side: Clamp['side']; readonly shift: number }>> = {
  lt: { side: 'last', shift: -1 },
  le: { side: 'last', shift: 0 },
  gt: { side: 'first', shift: 1 },
  ge: { side: 'first', shift: 0 },
};

const mirrored: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le' };

/** Where the line meets the limit, if that is a number of the type whatever the values are. */
const thresholdOf = (line: Line | undefined, limit: Value, shift: number, facts: LoopFacts): Threshold | undefined => {
  const { ranges, inside, constantOf } = facts;
  if (!line || !hasRange(limit.type) || (inside(limit) && constantOf(limit) === undefined)) return undefined;
  const parts = line.bases.map((v) => ranges.of(v)!);
  const bound = ranges.of(limit)!;
  const offset = line.offset - shift;
  const lo = bound.lo - parts.reduce((sum, r) => sum + r.hi, 0) - offset;
  const hi = bound.hi - parts.reduce((sum, r) => sum + r.lo, 0) - offset;
  /* One more for the bound behind the last iteration. */
  return fitsType(limit.type, lo - 1, hi + 1) ? { limit, bases: line.bases, offset } : undefined;
};
