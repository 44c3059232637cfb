import {
  inversePredicate,
  mirroredPredicate,
  fitsType,
  hasRange,
  type Op,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import type { Ranges } from '../integer-range/analysis.js';

/**
 * An op in the body of a loop that equals one of its operands, or a number less, or a constant, in all but the first or last few
 * iterations.
 */
export interface Clamp {
  readonly op: Op;
  /** What its result is where it does nothing. */
  readonly becomes: Value | boolean | Less;
  /** From here on it has no effect, … */
  readonly first?: Threshold | undefined;
  /** … up to and including this iteration. */
  readonly last?: Threshold | undefined;
}

/** A value less a number: of what goes round it is how often it did. */
export interface Less {
  readonly value: Value;
  readonly less: number;
}

/** `limit − Σ bases − offset` */
export interface Threshold {
  readonly limit: Value;
  readonly bases: readonly Value[];
  readonly offset: number;
  /** How many iterations more it is that are different because of what inner loops count. */
  readonly spread: number;
}

export interface LoopFacts {
  /**
   * Whether the loop holds loops: what these count is part of a line then, and comparisons may be false in the middle. In an innermost loop that is cheaper done on lanes than left out by edges, which are not on lanes.
   */
  readonly nest: boolean;
  /** What it counts to in its middle, where that is known. */
  readonly middle: number | undefined;
  readonly ranges: Ranges;
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** Whether a value is defined in the loop. */
  readonly inside: (v: Value) => boolean;
}

type Side = 'first' | 'last';

/** A value of the body as `iv + Σ bases` and a number from `lo` to `hi`, where that never wraps. */
interface Line {
  readonly bases: readonly Value[];
  readonly lo: number;
  readonly hi: number;
}

/** Minima, maxima and comparisons of a loop's body that its counter decides. */
export const clampsOf = (loop: Op, facts: LoopFacts): readonly Clamp[] => {
  const lines = new Map<number, Line>([[loop.regions[0]!.params[0]!.id, { bases: [], lo: 0, hi: 0 }]]);
  const clamps: Clamp[] = [];
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(visit);
      const result = op.results[0];
      if (op.results.length !== 1 || !result || op.regions.length > 0) continue;
      const line = lineOf(op, lines, facts);
      const found = line ? [] : clampsBy(op, lines, facts);
      clamps.push(...found);
      const [clamp] = found;
      const known = line ?? (clamp && lineOfClamp(clamp, lines));
      if (known) lines.set(result.id, known);
    }
  };
  visit(loop.regions[0]!);
  return clamps;
};

/** What a clamp does not change goes on with its line. */
const lineOfClamp = ({ becomes }: Clamp, lines: ReadonlyMap<number, Line>): Line | undefined => {
  if (typeof becomes === 'boolean') return undefined;
  if (!('less' in becomes)) return lines.get(becomes.id);
  const { bases, lo, hi } = lines.get(becomes.value.id)!;
  return { bases, lo: lo - becomes.less, hi: hi - becomes.less };
};

const mostBases = 3;

const lineOf = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): Line | undefined => {
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  if ((op.name !== 'arith.add' && op.name !== 'arith.sub') || !facts.ranges.exact(op)) return undefined;
  const [x, y] = [lines.get(a.id), lines.get(b.id)];
  if (op.name === 'arith.sub') {
    const away = x && !y ? spanOf(b, facts) : undefined;
    return away && { ...x!, lo: x!.lo - away.hi, hi: x!.hi - away.lo };
  }
  if ((x === undefined) === (y === undefined)) return undefined;
  const [line, other] = x ? [x, b] : [y!, a];
  const span = spanOf(other, facts);
  if (span) return { ...line, lo: line.lo + span.lo, hi: line.hi + span.hi };
  return !facts.inside(other) && line.bases.length < mostBases ? { ...line, bases: [...line.bases, other] } : undefined;
};

/** What a number is, or what inner loops count lies between. */
const spanOf = (v: Value, facts: LoopFacts): { readonly lo: number; readonly hi: number } | undefined => {
  const n = numberOf(v, facts);
  if (n !== undefined) return { lo: n, hi: n };
  const range = facts.nest && facts.inside(v) ? facts.ranges.of(v) : undefined;
  return range && range.hi - range.lo <= mostSpread ? range : undefined;
};

/** What is spread more changes too many iterations. */
const mostSpread = 4096;

const numberOf = (v: Value, { constantOf }: LoopFacts): number | undefined => {
  const c = constantOf(v);
  return c === undefined || typeof c === 'boolean' ? undefined : Number(c);
};

const clampsBy = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): readonly Clamp[] => {
  const side = op.name === 'arith.max' ? 'first' : op.name === 'arith.min' ? 'last' : undefined;
  if (op.name === 'arith.cmp') return comparison(op, lines, facts);
  if (op.name === 'arith.rem' || op.name === 'arith.and') return round(op, lines, facts);
  if (!side) return [];
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  for (const [x, limit] of [
    [a, b],
    [b, a],
  ] as const) {
    const at = thresholdOf(lines.get(x.id), limit, side, 0, facts);
    if (at) return [{ op, becomes: x, [side]: at }];
  }
  return [];
};

/** What goes round, `(x + q + n) % n`, does so before or behind the middle of the loop. */
const round = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): readonly Clamp[] => {
  const [x, by] = [op.operands[0]!, op.operands[1]!];
  const [line, n] = [lines.get(x.id), numberOf(by, facts)];
  if (!facts.nest || facts.middle === undefined || !line || line.bases.length > 0 || n === undefined) return [];
  const length = op.name === 'arith.rem' ? n : n + 1;
  if (length < 2 || (op.name === 'arith.and' && !Number.isInteger(Math.log2(length)))) return [];
  const less = Math.floor((facts.middle + (line.lo + line.hi) / 2) / length) * length;
  const first = thresholdOf(line, by, 'first', less - n, facts);
  const last = thresholdOf(line, by, 'last', less + length - 1 - n, facts);
  return less >= 0 && first && last ? [{ op, becomes: { value: x, less }, first, last }] : [];
};

/** A comparison holds in the middle of the loop, or it does not: the pass sees which changes near an end. */
const comparison = (op: Op, lines: ReadonlyMap<number, Line>, facts: LoopFacts): readonly Clamp[] => {
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  const crossed = !lines.has(a.id);
  const predicate = String(op.attrs['predicate']);
  const said = crossed ? (mirroredPredicate[predicate] ?? predicate) : predicate;
  return (facts.nest ? [true, false] : [true]).flatMap((becomes): readonly Clamp[] => {
    const rule = comparisons[becomes ? said : (inversePredicate[said] ?? said)];
    if (!rule) return [];
    const at = thresholdOf(lines.get(crossed ? b.id : a.id), crossed ? a : b, rule.side, rule.shift, facts);
    return at ? [{ op, becomes, [rule.side]: at }] : [];
  });
};

/** `x < k` holds up to k − 1, `x > k` from k + 1 on. */
const comparisons: Readonly<Record<string, { readonly side: Side; readonly shift: number }>> = {
  lt: { side: 'last', shift: -1 },
  le: { side: 'last', shift: 0 },
  gt: { side: 'first', shift: 1 },
  ge: { side: 'first', shift: 0 },
};

/** Where the line meets the limit, if that is a number of the type whatever the values are. */
const thresholdOf = (
  line: Line | undefined,
  limit: Value,
  side: Side,
  shift: number,
  facts: LoopFacts,
): Threshold | undefined => {
  const { ranges, inside, constantOf } = facts;
  if (!line || !hasRange(limit.type) || (inside(limit) && constantOf(limit) === undefined)) return undefined;
  const parts = line.bases.map((v) => ranges.of(v)!);
  const bound = ranges.of(limit)!;
  const offset = (side === 'first' ? line.lo : line.hi) - shift;
  const lo = bound.lo - parts.reduce((sum, r) => sum + r.hi, 0) - offset;
  const hi = bound.hi - parts.reduce((sum, r) => sum + r.lo, 0) - offset;
  /* One more for the bound behind the last iteration. */
  return fitsType(limit.type, lo - 1, hi + 1)
    ? { limit, bases: line.bases, offset, spread: line.hi - line.lo }
    : undefined;
};
