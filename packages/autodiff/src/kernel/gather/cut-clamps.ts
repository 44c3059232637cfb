import {
  mirroredPredicate,
  makeOp,
  makeValue,
  opWith,
  type IdSource,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import {
  FAR,
  further,
  gap,
  limitOfNumber,
  limitSum,
  narrowedBy,
  numbersOf,
  type Between,
  type Limit,
} from './limits.js';
import type { Same } from './same.js';

/** A box that was cut, and what is done in its inner part. */
export interface Cut {
  readonly inner: readonly Between[];
  readonly ops: readonly Op[];
}

/**
 * The inner part of a box, in which what keeps indices within a field does nothing: there `max(i - 1, 0)` is `i - 1`, `i < n - 1 ? i + 1 : i` and `(i + 1) % n` are `i + 1`, and a branch that only the first or last iterations take is gone. Nothing where there is nothing of that kind.
 *
 * Where all that is known of an edge is that it is the same for all, as an argument is, it may be anywhere: then more is cut off, and nothing is wrong.
 *
 * @param counters of the loops within one another, by which ranges
 * @param ops what is in the innermost of them
 */
export const cutAtClamps = (
  counters: readonly Value[],
  ranges: readonly Between[],
  ops: readonly Op[],
  { limitOf, between }: Same,
  ids: IdSource,
): Cut | undefined => {
  const inner = [...ranges];
  let isCut = false;
  const lines = new Map(counters.map((c, axis): [number, Line] => [c.id, { axis, plus: limitOfNumber(0), taps: [] }]));
  /** Counters of loops within an iteration. */
  const taps = new Map<number, Between | undefined>();
  const same = new Map<number, Value>();
  const decided = new Map<number, boolean>();
  const now = (v: Value): Value => same.get(v.id) ?? v;
  /** Cuts off what comes before a limit, or from it on; false where that is not an edge alone. What nobody knows is taken for one where `otherwise` says so. */
  const cut = (axis: number, at: Limit, side: keyof Between, otherwise: boolean): boolean => {
    const gaps = ranges[axis][side].flatMap((end) => gap(at, end) ?? []);
    const isEdge = gaps.length === 0 ? otherwise : gaps.some((g) => (side === 'from' ? g : -g) <= MOST_EDGE);
    if (!isEdge) return false;
    isCut = true;
    inner[axis] = { ...inner[axis], [side]: narrowedBy(inner[axis][side], at, side) };
    return true;
  };
  /** A limit of a line, as one of its counter: the least of those that loops within an iteration have for it, or the greatest. */
  const ofCounter = (limit: Limit, line: Line, side: keyof Between): Limit | undefined => {
    const ends = line.taps.map((tap) => taps.get(tap.id)?.[side][0]);
    if (!ends.every((end) => end !== undefined)) return undefined;
    return ends.reduce((at, end) => limitSum(at, side === 'from' ? end : further(end, -1), -1), limitSum(limit, line.plus, -1)); // prettier-ignore
  };
  const cutLine = (line: Line, limit: Limit, side: keyof Between, otherwise: boolean): boolean => {
    const at = ofCounter(limit, line, side);
    return at !== undefined && cut(line.axis, at, side, otherwise);
  };
  const clampOf = (op: Op): Value | undefined => {
    const side = op.name === 'arith.max' ? 'from' : 'to';
    for (const [x, by] of [op.operands, [...op.operands].reverse()]) {
      const [line, limit] = [lines.get(now(x).id), limitOf(by)];
      if (!line || !limit) continue;
      return cutLine(line, side === 'from' ? limit : further(limit, 1), side, true) ? now(x) : undefined;
    }
    return undefined;
  };
  /** What a comparison says in the inner part. */
  const comparison = (op: Op): boolean | undefined => {
    const [a, b] = op.operands.map((v) => lines.get(now(v).id));
    const [m, n] = op.operands.map(limitOf);
    const line = a ?? b;
    const here = a ? n : m;
    if (!line || !here) return undefined;
    const predicate = String(op.attrs.predicate);
    const { below, at, above } = SAYS[a ? predicate : (mirroredPredicate[predicate] ?? predicate)] ?? {};
    /* It is told by what lies before and what behind the limit, and by the limit itself. */
    if (below === undefined || at === undefined || above === undefined) return undefined;
    const [before, behind] = [at === above ? here : further(here, 1), at === below ? further(here, 1) : here];
    if (cutLine(line, before, 'from', false)) return above;
    if (cutLine(line, behind, 'to', false)) return below;
    /* Of what may be anywhere most lies where it holds that an index is within. */
    if (!below && above && cutLine(line, before, 'from', true)) return above;
    return cutLine(line, behind, 'to', true) ? below : undefined;
  };
  const not = (v: boolean | undefined): boolean | undefined => (v === undefined ? undefined : !v);
  /** Truth values that others decide, and what is chosen by such. */
  const decide = (op: Op): boolean | undefined => {
    if (op.name === 'arith.cmp') return comparison(op);
    const known = op.operands.map((v) => decided.get(now(v).id));
    if (op.name === 'arith.not') return not(known[0]);
    const ends = op.name === 'arith.and' ? false : op.name === 'arith.or' ? true : undefined;
    if (ends === undefined) return undefined;
    if (known.includes(ends)) return ends;
    if (known.every((k) => k === !ends)) return !ends;
    const open = known.findIndex((k) => k === undefined);
    if (known.some((k) => k === !ends)) same.set(op.results[0].id, now(op.operands[open]));
    return undefined;
  };
  const within = (all: readonly Op[]): readonly Op[] => all.flatMap(visit);
  const region = (r: Region): Region => ({ params: r.params, ops: within(r.ops) });
  const visit = (op: Op): readonly Op[] => {
    const [result] = op.results;
    const operands = op.operands.map(now);
    if (op.name === 'arith.max' || op.name === 'arith.min') {
      const clamped = clampOf(op);
      if (clamped) {
        same.set(result.id, clamped);
        return [];
      }
    }
    if (op.name === 'arith.add' || op.name === 'arith.sub') {
      const line = lineOf(op.name, operands);
      if (line) lines.set(result.id, line);
    }
    const straight = op.name === 'arith.rem' ? unwound(operands, result) : undefined;
    if (straight) return straight;
    if (op.name === 'scf.for') taps.set(op.regions[0].params[0].id, between(op));
    const truth = decide(op);
    if (truth !== undefined) {
      decided.set(result.id, truth);
      return [opWith(op, { operands })];
    }
    if (same.has(result?.id)) return [];
    const asked = operands.length > 0 ? decided.get(operands[0].id) : undefined;
    if (asked !== undefined && op.name === 'arith.select') {
      same.set(result.id, operands[asked ? 1 : 2]);
      return [];
    }
    if (asked !== undefined && op.name === 'scf.if') {
      const taken = within(op.regions[asked ? 0 : 1]?.ops ?? []);
      op.results.forEach((r, n) => same.set(r.id, now(taken[taken.length - 1].operands[n])));
      return taken.slice(0, -1);
    }
    return [opWith(op, { operands, regions: op.regions.map(region) })];
  };
  const lineOf = (name: string, [a, b]: readonly Value[]): Line | undefined => {
    const [x, y] = [lines.get(a.id), lines.get(b.id)];
    const beside = x ? b : a;
    const line = x ?? (name === 'arith.add' ? y : undefined);
    if (!line || (x && y)) return undefined;
    if (name === 'arith.add' && taps.has(beside.id)) return { ...line, taps: [...line.taps, beside] };
    const limit = limitOf(beside);
    return limit && { ...line, plus: limitSum(line.plus, limit, name === 'arith.add' ? 1 : -1) };
  };
  /** What goes round at an extent that is no number, where it does not go round; how often it has gone round before is written in it, `(i + n - 1) % n`. */
  const unwound = ([of, by]: readonly Value[], result: Value): readonly Op[] | undefined => {
    const [line, extent] = [lines.get(of.id), limitOf(by)];
    if (!line || !extent || extent.terms.length !== 1 || line.taps.length > 0) return undefined;
    const rounds = [0, 1, 2].find((n) => limitSum(line.plus, extent, -n).form.terms.size === 0);
    if (rounds === undefined) return undefined;
    const plus = limitOfNumber(limitSum(line.plus, extent, -rounds).form.plus);
    const left: Line = { axis: line.axis, plus, taps: [] };
    if (!cutLine(left, limitOfNumber(0), 'from', true) || !cutLine(left, extent, 'to', true)) return undefined;
    /* Where the sum is no integer of 32 bits, the extent is so large that nothing is left within this. */
    const room = limitSum(limitOfNumber(2 ** 31 - 1), extent, -2);
    if (rounds > 0) inner[line.axis] = { ...inner[line.axis], to: [...inner[line.axis].to, room] };
    lines.set(result.id, left);
    const number = makeValue(ids.next(), result.type, undefined);
    return [
      makeOp('arith.constant', [], [number], { value: plus.plus }, [], undefined),
      makeOp('arith.add', [counters[line.axis], number], [result], {}, [], undefined),
    ];
  };
  const left = within(ops);
  const isLeft = inner.map(numbersOf).every((numbers) => !numbers || numbers[0] < numbers[1]);
  /* Sums go round so far out, and clamps do something then. */
  const near = inner.map(({ from, to }) => ({
    from: narrowedBy(from, limitOfNumber(-FAR), 'from'),
    to: narrowedBy(to, limitOfNumber(FAR), 'to'),
  }));
  return isCut && isLeft ? { inner: near, ops: left } : undefined;
};

/** A counter of the box, what is added to it that is the same for all, and counters of loops within an iteration. */
interface Line {
  readonly axis: number;
  readonly plus: Limit;
  readonly taps: readonly Value[];
}

/** So many iterations at an end are an edge at most. */
const MOST_EDGE = 8;

interface Says {
  readonly below: boolean;
  readonly at: boolean;
  readonly above: boolean;
}

/** What comparisons with a number say of what is below it, equal to it, and above it. */
const SAYS: Readonly<Record<string, Says>> = {
  lt: { below: true, at: false, above: false },
  le: { below: true, at: true, above: false },
  gt: { below: false, at: false, above: true },
  ge: { below: false, at: true, above: true },
  eq: { below: false, at: true, above: false },
  ne: { below: true, at: false, above: true },
};
