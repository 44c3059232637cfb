import { type Op, type Region, type Value } from '@filigree/ir';

/**
 * An i32 as a linear form of values that a task does not change, plus an interval (thesis §4.1: bounds by interval analysis
 * as in Halide): Σ coefficient · anchor + [lo, hi].
 */
export interface Form {
  /** By anchor. A coefficient is a whole number, or one part of a power of two where the anchor is a multiple of that. */
  readonly terms: ReadonlyMap<Anchor, number>;
  readonly lo: number;
  readonly hi: number;
  /** Whether the bounds rest on what the user promised, so that a wrong promise must do no harm. */
  readonly promised: boolean;
}

/** The first coordinate of a task along an axis (its number), or a value from outside the loop (its id with a `%`). */
export type Anchor = number | `%${number}`;

/** What a task's coordinates are along an axis: from a first one, which is a multiple of `unit`, so many. */
export interface Span {
  readonly extent: number;
  readonly unit: number;
  /** Largest coordinate that there is, where there are bounds. */
  readonly last: number | undefined;
}

/** The forms of the i32 values of a loop's body, by id. Those that are no form are absent. */
export const formsOf = (
  body: Region,
  spans: readonly (readonly [axis: number, span: Span])[],
  outside: (v: Value) => Op | undefined,
): ReadonlyMap<number, Form> => {
  const analysis = new Analysis(new Map(spans), outside);
  body.params.forEach((p, n) => {
    const [axis, { extent }] = spans[n];
    analysis.set(p, { terms: new Map([[axis, 1]]), lo: 0, hi: extent - 1, promised: false });
  });
  analysis.region(body);
  return analysis.forms;
};

const none: ReadonlyMap<Anchor, number> = new Map();

const interval = (lo: number, hi: number, promised = false): Form => ({ terms: none, lo, hi, promised });

class Analysis {
  readonly forms = new Map<number, Form>();
  private readonly defined = new Set<number>();

  constructor(
    private readonly spans: ReadonlyMap<number, Span>,
    private readonly outside: (v: Value) => Op | undefined,
  ) {}

  set(v: Value, form: Form | undefined): void {
    this.defined.add(v.id);
    if (form && v.type === 'i32' && [form.lo, form.hi].every(Number.isSafeInteger)) this.forms.set(v.id, form);
  }

  region(region: Region): void {
    for (const op of region.ops) this.op(op);
  }

  private op(op: Op): void {
    if (op.name === 'scf.for') {
      const [iv, ...carried] = op.regions[0].params;
      this.set(iv, this.counter(op));
      for (const v of carried) this.set(v, undefined);
    } else for (const r of op.regions) for (const p of r.params) this.set(p, undefined);
    for (const r of op.regions) this.region(r);
    op.results.forEach((r, n) =>
      this.set(r, op.results.length === 1 || op.name === 'scf.if' ? this.result(op, n) : undefined),
    );
  }

  private of(v: Value): Form | undefined {
    const known = this.forms.get(v.id);
    if (known || this.defined.has(v.id) || v.type !== 'i32') return known;
    const op = this.outside(v);
    const form: Form =
      op?.name === 'arith.constant'
        ? interval(Number(op.attrs.value), Number(op.attrs.value))
        : { terms: new Map<Anchor, number>([[`%${v.id}`, 1]]), lo: 0, hi: 0, promised: false };
    this.forms.set(v.id, form);
    return form;
  }

  /** The counter of a loop within the body: from the lowest first value to below the highest bound. */
  private counter(op: Op): Form | undefined {
    const [from, to] = [this.of(op.operands[0]), this.of(op.operands[1])];
    if (!from || !to || !sameTerms(from, to)) return undefined;
    return { ...from, hi: Math.max(from.lo, to.hi - 1), promised: from.promised || to.promised };
  }

  private result(op: Op, n: number): Form | undefined {
    if (op.name === 'scf.if') {
      const [x, y] = op.regions.map((r) => this.of(r.ops[r.ops.length - 1].operands[n]));
      return x && y && join(x, y);
    }
    const forms = op.operands.map((v) => this.of(v));
    const rule = rules[op.name];
    return rule?.(op, forms, this.spans);
  }
}

type Rule = (op: Op, forms: readonly (Form | undefined)[], spans: ReadonlyMap<number, Span>) => Form | undefined;

const rules: Readonly<Record<string, Rule>> = {
  'arith.constant': (op) => interval(Number(op.attrs.value), Number(op.attrs.value)),
  'arith.add': (_op, [x, y]) => x && y && sum(x, y, 1),
  'arith.sub': (_op, [x, y]) => x && y && sum(x, y, -1),
  'arith.neg': (_op, [x]) => x && scale(x, -1),
  'arith.mul': (_op, [x, y]) => {
    if (!x || !y) return undefined;
    const [form, factor] = isConstant(y) ? [x, y.lo] : [y, x.lo];
    return isConstant(x) || isConstant(y) ? scale(form, factor) : undefined;
  },
  'arith.shl': (_op, [x, y]) => (x && y && isConstant(y) && y.lo >= 0 && y.lo < 31 ? scale(x, 2 ** y.lo) : undefined),
  'arith.shr': (_op, [x, y], spans) =>
    x && y && isConstant(y) && y.lo >= 0 && y.lo < 31 ? quotient(x, 2 ** y.lo, spans) : undefined,
  'arith.div': (_op, [x, y], spans) => {
    const floor = x && rangeOf(x.terms, spans).least;
    const whole = x && y && isConstant(y) && y.lo > 0 && floor !== undefined && floor + x.lo >= 0;
    return whole ? quotient(x, y.lo, spans) : undefined;
  },
  'arith.and': (_op, [, y]) => (y && isConstant(y) && y.lo >= 0 ? interval(0, y.lo) : undefined),
  'arith.rem': (_op, [, y]) => (y && isConstant(y) && y.lo > 0 ? interval(1 - y.lo, y.lo - 1) : undefined),
  'snode.extract': (op, [x], spans) =>
    x && op.attrs.extent === 0 ? quotient(x, Number(op.attrs.below), spans) : undefined,
  'snode.index': (_op, [x, y]) => x && y && sum(x, y, 1),
  'arith.min': (_op, [x, y], spans) => x && y && least(x, y, spans),
  'arith.max': (_op, [x, y], spans) => x && y && greatest(x, y, spans),
  'arith.select': (_op, [, x, y]) => x && y && join(x, y),
  'field.assume_in_range': (op, [, base]) =>
    base && sum(base, interval(Number(op.attrs.lo), Number(op.attrs.hi) - 1, true), 1),
};

const isConstant = (f: Form): boolean => f.terms.size === 0 && f.lo === f.hi;

const sameTerms = (a: Form, b: Form): boolean =>
  a.terms.size === b.terms.size && [...a.terms].every(([anchor, c]) => b.terms.get(anchor) === c);

/** What is one or the other. */
export const join = (a: Form, b: Form): Form | undefined =>
  sameTerms(a, b)
    ? { ...a, lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi), promised: a.promised || b.promised }
    : undefined;

const sum = (a: Form, b: Form, sign: 1 | -1): Form => {
  const terms = new Map(a.terms);
  for (const [anchor, c] of b.terms) {
    const total = (terms.get(anchor) ?? 0) + sign * c;
    if (total === 0) terms.delete(anchor);
    else terms.set(anchor, total);
  }
  const [lo, hi] = sign === 1 ? [b.lo, b.hi] : [-b.hi, -b.lo];
  return { terms, lo: a.lo + lo, hi: a.hi + hi, promised: a.promised || b.promised };
};

const scale = (f: Form, by: number): Form => {
  if (by === 0) return interval(0, 0);
  const [lo, hi] = [f.lo * by, f.hi * by].sort((x, y) => x - y);
  return { ...f, terms: new Map([...f.terms].map(([anchor, c]) => [anchor, c * by])), lo, hi };
};

/** ⌊f ÷ by⌋, where every term is a multiple of the divisor. */
const quotient = (f: Form, by: number, spans: ReadonlyMap<number, Span>): Form | undefined => {
  const divides = ([anchor, c]: readonly [Anchor, number]): boolean =>
    typeof anchor === 'number' && Number.isInteger((c * spans.get(anchor)!.unit) / by);
  if (![...f.terms].every(divides)) return undefined;
  return {
    ...f,
    terms: new Map([...f.terms].map(([anchor, c]) => [anchor, c / by])),
    lo: Math.floor(f.lo / by),
    hi: Math.floor(f.hi / by),
  };
};

/** The greater of two; of a coordinate and a number that is not above zero, as at the lower boundary of a grid. */
const greatest = (x: Form, y: Form, spans: ReadonlyMap<number, Span>): Form | undefined => {
  if (sameTerms(x, y))
    return { ...x, lo: Math.max(x.lo, y.lo), hi: Math.max(x.hi, y.hi), promised: x.promised || y.promised };
  const [form, bound] = y.terms.size === 0 ? [x, y] : [y, x];
  const { least: floor } = rangeOf(form.terms, spans);
  if (bound.terms.size > 0 || floor === undefined) return undefined;
  /* The bound is at most so much above the terms. */
  return { ...form, hi: Math.max(form.hi, bound.hi - floor) };
};

/** The smaller of two; of a coordinate and a number, as at the upper boundary of a grid. */
const least = (x: Form, y: Form, spans: ReadonlyMap<number, Span>): Form | undefined => {
  if (sameTerms(x, y))
    return { ...x, lo: Math.min(x.lo, y.lo), hi: Math.min(x.hi, y.hi), promised: x.promised || y.promised };
  const [form, bound] = y.terms.size === 0 ? [x, y] : [y, x];
  const { most: ceiling } = rangeOf(form.terms, spans);
  if (bound.terms.size > 0 || ceiling === undefined) return undefined;
  return { ...form, lo: Math.min(form.lo, bound.lo - ceiling) };
};

/** Bounds of the sum of some terms, where there are any. */
const rangeOf = (
  terms: ReadonlyMap<Anchor, number>,
  spans: ReadonlyMap<number, Span>,
): { readonly least: number | undefined; readonly most: number | undefined } => {
  let [low, high]: (number | undefined)[] = [0, 0];
  for (const [anchor, c] of terms) {
    const span = typeof anchor === 'number' ? spans.get(anchor) : undefined;
    if (span?.last === undefined) return { least: undefined, most: undefined };
    const first = span.last + 1 - span.extent;
    low = low! + Math.min(0, c * first);
    high = high! + Math.max(0, c * first);
  }
  return { least: low, most: high };
};
