import { opWith, type Op, type Region, type Value } from '@filigree/ir';

/** Between which numbers a loop counts: from, and to below. */
export type Between = readonly [from: number, to: number];

/** A box that was cut, and what is done in its inner part. */
export interface Cut {
  readonly inner: readonly Between[];
  readonly ops: readonly Op[];
}

/**
 * The inner part of a box, in which what keeps indices within a field does nothing: there `max(i - 1, 0)` is `i - 1`, `i < n - 1 ? i + 1 : i` is `i + 1`, and a branch that only the first or last iterations take is gone. Nothing where there is nothing of that kind.
 *
 * @param counters of the loops within one another, by which ranges
 * @param ops what is in the innermost of them
 */
export const cutAtClamps = (
  counters: readonly Value[],
  ranges: readonly Between[],
  ops: readonly Op[],
  numberOf: (v: Value) => number | undefined,
): Cut | undefined => {
  const inner = ranges.map(([from, to]): [number, number] => [from, to]);
  const lines = new Map(counters.map((c, axis): [number, Line] => [c.id, { axis, plus: 0 }]));
  const same = new Map<number, Value>();
  const decided = new Map<number, boolean>();
  const now = (v: Value): Value => same.get(v.id) ?? v;
  /** Cuts off what comes before a number, or from it on; false where that is not an edge alone. */
  const cut = (axis: number, at: number, before: boolean): boolean => {
    const [from, to] = ranges[axis];
    if (before ? at - from > MOST_EDGE : to - at > MOST_EDGE) return false;
    if (before) inner[axis][0] = Math.max(inner[axis][0], at);
    else inner[axis][1] = Math.min(inner[axis][1], at);
    return true;
  };
  const clampOf = (op: Op): Value | undefined => {
    for (const [x, limit] of [op.operands, [...op.operands].reverse()]) {
      const [line, number] = [lines.get(now(x).id), numberOf(limit)];
      if (!line || number === undefined) continue;
      const at = number - line.plus;
      return cut(line.axis, op.name === 'arith.max' ? at : at + 1, op.name === 'arith.max') ? now(x) : undefined;
    }
    return undefined;
  };
  /** What a comparison says in the inner part. */
  const comparison = (op: Op): boolean | undefined => {
    const [a, b] = op.operands.map((v) => lines.get(now(v).id));
    const [m, n] = op.operands.map(numberOf);
    const line = a ?? b;
    const number = a ? n : m;
    if (!line || number === undefined) return undefined;
    const predicate = String(op.attrs.predicate);
    const { below, at, above } = SAYS[a ? predicate : (MIRRORED[predicate] ?? predicate)] ?? {};
    const here = number - line.plus;
    /* It is told by what lies before and what behind the number, and by the number itself. */
    if (below === undefined || at === undefined || above === undefined) return undefined;
    if (cut(line.axis, at === above ? here : here + 1, true)) return above;
    return cut(line.axis, at === below ? here + 1 : here, false) ? below : undefined;
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
    const [m, n] = [numberOf(a), numberOf(b)];
    if (x && n !== undefined) return { ...x, plus: x.plus + (name === 'arith.add' ? n : -n) };
    return y && m !== undefined && name === 'arith.add' ? { ...y, plus: y.plus + m } : undefined;
  };
  const left = within(ops);
  const isCut = inner.some(([from, to], n) => from > ranges[n][0] || to < ranges[n][1]);
  return isCut && inner.every(([from, to]) => from < to) ? { inner, ops: left } : undefined;
};

/** The parts of a box outside of its inner part: along each axis what comes before and behind, of what lies between along those before it. */
export const edgesOf = (whole: readonly Between[], inner: readonly Between[]): readonly (readonly Between[])[] =>
  whole
    .flatMap(([from, to], d): readonly (readonly Between[])[] =>
      [[from, inner[d][0]] as const, [inner[d][1], to] as const].map((part) => [
        ...inner.slice(0, d),
        part,
        ...whole.slice(d + 1),
      ]),
    )
    .filter((box) => box.every(([from, to]) => from < to));

/** A counter of the box, and a number. */
interface Line {
  readonly axis: number;
  readonly plus: number;
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

const MIRRORED: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le' };
