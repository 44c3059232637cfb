import {
  anyReal,
  beforeWrap,
  containsRange,
  containsReals,
  fitsType,
  fullRange,
  handedOn,
  hasRange,
  hasRealRange,
  isRealRange,
  isSingleRange,
  joinRanges,
  joinReals,
  meetRange,
  meetReals,
  numberAbove,
  numberBelow,
  rangeBetween,
  rangeOfValue,
  receivedBy,
  type Access,
  type Buffer,
  type Buffers,
  type Control,
  type ControlEdge,
  type IntegerRange,
  type Kernel,
  type LoopCount,
  type Op,
  type RealRange,
  type Region,
  type Scalar,
  type ScalarType,
  type TypedArray,
  type Value,
  type ValueRange,
} from '@filigree/ir';
import { rangesOfParams } from '../alike.js';
import { constantOfOp } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';
import { countedFloats } from './counted-floats.js';
import { conditionsOf, impliedBy, type Condition } from './conditions.js';

/** What is known about the integers of a kernel. */
export interface Ranges {
  /** The range of a value at the current place; undefined for floats and vectors. */
  readonly of: (v: Value) => IntegerRange | undefined;
  /** That of a float which an integer is made of. */
  readonly real: (v: Value) => RealRange | undefined;
  /** Takes an op into account, in program order, one that a pass has made too. Those with regions are entered by `enter` instead. */
  readonly note: (op: Op) => void;
  readonly noteMade: (op: Op) => void;
  /** Whether a sum, difference, product or left shift gives the number that it would give without a limit to its type. */
  readonly exact: (op: Op) => boolean;
  /** Runs `inside` with what is known in this region of an op: in a branch its condition, in a loop the bounds of its counter. */
  readonly within: <T>(op: Op, region: Region, inside: () => T) => T;
}

/** What else is known of a kernel. */
export interface KnownRanges {
  /** The ranges of counters of loops, by the ids of the values: those of iterations that one looks at. */
  readonly counters?: ReadonlyMap<number, IntegerRange>;
  /** Whether of a table the elements that an index may name are looked at, not all: it costs as much as there are. */
  readonly slices?: boolean;
  /** Ops whose conditions tell nothing, since it is asked for what they have in them where these may not hold: by whoever moves it out of them. */
  readonly unasked?: (op: Op) => boolean;
}

/** Ranges of all integers of a kernel, by one walk in program order; loops are walked until what they carry is stable. */
export const rangesOf = (
  kernel: Kernel,
  buffers: Buffers,
  facts: Facts,
  { counters, slices = false, unasked }: KnownRanges = {},
): Ranges => {
  const known = new Map<number, ValueRange>();
  const definitions = new Map<number, Op>();
  /** What conditions around the place at hand say, the innermost last. */
  const said: Map<number, ValueRange>[] = [];
  const tables = tableRanges(buffers);
  const counted = countedFloats(kernel, facts);

  const any = (v: Value): ValueRange | undefined => {
    for (let i = said.length - 1; i >= 0; i--) {
      const range = said[i]!.get(v.id);
      if (range) return range;
    }
    return known.get(v.id) ?? (hasRange(v.type) ? fullRange(v.type) : counted.has(v.id) ? anyReal : undefined);
  };
  /* A sum may be added up anew, in another order, where another one is made of it: then what was found of it is not said of that. */
  const asMade = (v: Value): ValueRange | undefined => {
    const made = definitions.get(v.id);
    return made && isRounded(made) ? (known.get(v.id) ?? anyReal) : any(v);
  };
  const of = (v: Value): IntegerRange | undefined => {
    const range = hasRange(v.type) ? any(v) : undefined;
    return isRealRange(range) ? undefined : range;
  };
  const real = (v: Value): RealRange | undefined => {
    const range = counted.has(v.id) ? any(v) : undefined;
    return isRealRange(range) ? range : undefined;
  };
  /* In a loop more may be known of a first iteration than of all. */
  const set = (v: Value, range: ValueRange | undefined): void => {
    if (range) known.set(v.id, range);
    else known.delete(v.id);
  };
  for (const [id, [lo, hi]] of rangesOfParams(kernel)) known.set(id, { lo, hi, align: 1 });

  const note = (op: Op): void => {
    const result = op.results[0];
    for (const v of op.results) definitions.set(v.id, op);
    if (op.regions.length > 0 || op.results.length !== 1) return;
    if (hasRange(result!.type) || counted.has(result!.id)) set(result!, rangeOf(op, result!.type as ScalarType));
  };
  const rangeOf = (op: Op, type: ScalarType): ValueRange | undefined => {
    const constant = constantOfOp(op, facts);
    if (constant !== undefined) return constantRange(constant, type);
    if (op.name === 'arith.select') return chosenRange(op, type);
    const own = facts.def(op)?.range?.(op, op.operands.map(isRounded(op) ? asMade : any), type);
    if (own || hasRealRange(type)) return own;
    const read = tableRead(op, facts);
    return read && tables(read.place, slices && read.index.length === 1 ? of(read.index[0]!) : undefined);
  };

  const visitRegion = (region: Region): void => {
    for (const op of region.ops) visit(op);
  };
  const visit = (op: Op): void => {
    note(op);
    if (op.regions.length === 0) return;
    const control = facts.control(op);
    if (!control) return op.regions.forEach(visitRegion);
    const { count } = control;
    if (count?.counter !== undefined) {
      const counter = op.regions[0]!.params[count.counter]!;
      set(counter, counters?.get(counter.id) ?? counterRange(op, count));
    }
    /* What arrives at values by ways that control takes; conditions hold for what a region hands on. */
    const arrives = new Map<number, (ValueRange | undefined)[]>();
    const hand = (from: ControlEdge['from']): void => {
      for (const edge of control.edges) {
        if (edge.from !== from) continue;
        const received = receivedBy(op, edge);
        handedOn(op, edge).forEach((v, k) => {
          const at = arrives.get(received[k]!.id);
          if (at) at.push(any(v));
          else arrives.set(received[k]!.id, [any(v)]);
        });
      }
    };
    const walk = (): void => {
      arrives.clear();
      hand('start');
      op.regions.forEach((region, n) => {
        if (!isHead(control, n)) region.params.forEach((p) => set(p, joined(arrives.get(p.id) ?? [])));
        within(op, region, () => {
          visitRegion(region);
          hand(n);
        });
      });
    };
    const carried = op.regions.flatMap((r, n) => (isHead(control, n) ? carriedInto(r, control, n) : []));
    hand('start');
    for (const p of carried) set(p, joined(arrives.get(p.id) ?? []));
    for (let round = 0; ; round++) {
      walk();
      let stable = true;
      for (const p of carried) {
        const [now, then] = [known.get(p.id), joined(arrives.get(p.id) ?? [])];
        if (!now || !then || containsValues(now, then)) continue;
        stable = false;
        known.set(p.id, widened(now, then, p.type as ScalarType, round));
      }
      if (stable) break;
    }
    for (const v of op.results) set(v, joined(arrives.get(v.id) ?? []));
  };

  const counterRange = (op: Op, { lower, upper, step, counter }: LoopCount): IntegerRange => {
    const type = op.regions[0]!.params[counter!]!.type as ScalarType;
    const [lb, ub, by] = [lower, upper, step].map((x) => (typeof x === 'number' ? rangeOfValue(x) : of(x)!)) as [
      IntegerRange,
      IntegerRange,
      IntegerRange,
    ];
    const last = isSingleRange(by) && by.lo > 0 && isSingleRange(lb) ? lastOf(lb.lo, ub.hi, by.lo) : ub.hi - 1;
    return rangeBetween(type, lb.lo, Math.max(lb.lo, last), Math.min(lb.align, by.align));
  };

  const within = <T>(op: Op, region: Region, inside: () => T): T => {
    if (unasked?.(op)) return inside();
    const conditions = conditionsOf(op, region, facts.control(op), (v) => definitions.get(v.id));
    return where(conditions, inside);
  };

  /** Runs `inside` with what comparisons say. */
  const where = <T>(conditions: readonly Condition[], inside: () => T): T => {
    if (conditions.length === 0) return inside();
    const here = new Map<number, ValueRange>();
    said.push(here);
    for (const { value, compared, predicate, holds } of conditions) {
      const [a, b] = [any(value), any(compared)];
      if (!a || !b) continue;
      if (!isRealRange(a)) here.set(value.id, narrowed(a, predicate, b as IntegerRange));
      else if (isRealRange(b)) here.set(value.id, narrowedReal(a, predicate, b, value.type as ScalarType, holds));
    }
    const result = inside();
    said.pop();
    return result;
  };

  /** Of a choice: each side that may be taken is, and is computed from, what the condition says where it is. `r < 0 ? r + n : r` is not negative. */
  const chosenRange = (op: Op, type: ScalarType): ValueRange | undefined => {
    const [condition, ...sides] = op.operands;
    const known = of(condition!);
    const taken = known && isSingleRange(known) ? known.lo !== 0 : undefined;
    return joined(
      [true, false]
        .filter((holds) => taken !== !holds)
        .map((holds) =>
          where(
            impliedBy(condition!, holds, (v) => definitions.get(v.id)),
            () => {
              const side = sides[holds ? 0 : 1]!;
              const made = definitions.get(side.id);
              return made?.regions.length === 0 && made.name !== op.name && !said.at(-1)?.has(side.id)
                ? rangeOf(made, type)
                : any(side);
            },
          ),
        ),
    );
  };

  visitRegion(kernel.body);
  return {
    of,
    real,
    note,
    noteMade: (op) => {
      for (const v of op.results) if (hasRealRange(v.type)) counted.add(v.id);
      note(op);
    },
    within,
    exact: (op) => {
      const type = op.results[0]!.type;
      const span = hasRange(type) ? beforeWrap(op, op.operands.map(of)) : undefined;
      return span !== undefined && fitsType(type as ScalarType, span[0], span[1]);
    },
  };
};

/** Whether passes and compilers may take an op on floats together with others, and round elsewhere. */
const isRounded = ({ name, results }: Op): boolean => ROUNDED.has(name) && hasRealRange(results[0]!.type);

const ROUNDED: ReadonlySet<string> = new Set(['arith.add', 'arith.sub', 'arith.mul', 'arith.div', 'arith.neg', 'math.fma']); // prettier-ignore

/** Whether control may come back to a region from itself or from one behind it. */
const isHead = ({ edges }: Control, region: number): boolean =>
  edges.some(({ from, to }) => to === region && from !== 'start' && from >= region);

/** The parameters of a region that something is handed to. */
const carriedInto = ({ params }: Region, { edges }: Control, region: number): readonly Value[] =>
  params.slice(Math.min(params.length, ...edges.filter(({ to }) => to === region).map(({ into }) => into)));

/** Where an op reads what it gives. */
const tableRead = (op: Op, facts: Facts): Access | undefined => {
  const [access, ...others] = facts.accesses(op) ?? [];
  return access?.kind === 'read' && others.length === 0 && access.value?.id === op.results[0]!.id ? access : undefined;
};

/** First one step beyond what is known, for what settles by itself; then to the ends of the type. */
const widened = (now: ValueRange, then: ValueRange, type: ScalarType, round: number): ValueRange => {
  const both = joinValues(now, then);
  if (round === 0) return both;
  const full = isRealRange(both) ? anyReal : fullRange(type);
  if (round > 2) return full;
  const ends = { lo: both.lo < now.lo ? full.lo : now.lo, hi: both.hi > now.hi ? full.hi : now.hi };
  return isRealRange(both) ? { ...ends, nan: both.nan } : { ...ends, align: both.align };
};

const joinValues = (a: ValueRange, b: ValueRange): ValueRange =>
  isRealRange(a) ? joinReals(a, b as RealRange) : joinRanges(a, b as IntegerRange);

const containsValues = (outer: ValueRange, inner: ValueRange): boolean =>
  isRealRange(outer) ? containsReals(outer, inner as RealRange) : containsRange(outer, inner as IntegerRange);

const lastOf = (first: number, end: number, step: number): number =>
  end <= first ? first : first + Math.floor((end - 1 - first) / step) * step;

const joined = (ranges: readonly (ValueRange | undefined)[]): ValueRange | undefined => {
  let result: ValueRange | undefined;
  for (const r of ranges) {
    if (!r) return undefined;
    result = result ? joinValues(result, r) : r;
  }
  return result;
};

const constantRange = (constant: Scalar, type: ScalarType): ValueRange => {
  const value = Number(constant);
  if (hasRealRange(type)) return Number.isNaN(value) ? anyReal : { lo: value, hi: value, nan: false };
  return fitsType(type, value, value) ? rangeOfValue(value) : fullRange(type);
};

/** What a comparison that holds says about its first operand. */
const narrowed = (a: IntegerRange, predicate: string, b: IntegerRange): IntegerRange => {
  switch (predicate) {
    case 'lt':
      return meetRange(a, -Infinity, b.hi - 1);
    case 'le':
      return meetRange(a, -Infinity, b.hi);
    case 'gt':
      return meetRange(a, b.lo + 1, Infinity);
    case 'ge':
      return meetRange(a, b.lo, Infinity);
    case 'eq':
      return meetRange(a, b.lo, b.hi);
    default:
      return a;
  }
};

/**
 * The same of floats, of which one that is less than another is at most the one before it. Where a comparison does not hold, either of them may be NaN.
 *
 * @param holds whether it is one that holds
 */
const narrowedReal = (a: RealRange, predicate: string, b: RealRange, type: ScalarType, holds: boolean): RealRange => {
  if (!holds && b.nan) return a;
  switch (predicate) {
    case 'lt':
      return meetReals(a, -Infinity, numberBelow(b.hi, type), !holds);
    case 'le':
      return meetReals(a, -Infinity, b.hi, !holds);
    case 'gt':
      return meetReals(a, numberAbove(b.lo, type), Infinity, !holds);
    case 'ge':
      return meetReals(a, b.lo, Infinity, !holds);
    case 'eq':
      return meetReals(a, b.lo, b.hi, !holds);
    default:
      return a;
  }
};

/** The range of the elements of a constant buffer, found when it is first asked for; of those at an index, if one is given. */
const tableRanges = (buffers: Buffers): ((name: string, at?: IntegerRange) => IntegerRange | undefined) => {
  const found = new Map<string, IntegerRange | undefined>();
  return (name, at) => {
    const slice = at && sliceRange(buffers.get(name), at);
    if (slice) return slice;
    if (!found.has(name)) found.set(name, elementRange(buffers, name));
    return found.get(name);
  };
};

/** The range of some elements of a table; nothing where it is no smaller than that of all. */
const sliceRange = (buffer: Buffer | undefined, { lo, hi }: IntegerRange): IntegerRange | undefined => {
  if (!buffer?.data || !hasRange(buffer.type) || buffer.type === 'i1') return undefined;
  const { data, type } = buffer;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return undefined;
  if (lo < 0 || hi >= data.length || hi - lo + 1 >= data.length) return undefined;
  return rangeBetween(type, ...boundsIn(data, lo, hi));
};

const elementRange = (buffers: Buffers, name: string): IntegerRange | undefined => {
  const buffer = buffers.get(name);
  if (!buffer || !hasRange(buffer.type)) return undefined;
  const { data, type } = buffer;
  if (!data || data.length === 0 || data instanceof BigInt64Array || data instanceof BigUint64Array)
    return fullRange(type);
  return type === 'i1' ? fullRange(type) : rangeBetween(type, ...boundsOf(data));
};

/** What tables hold, by table: they may have millions of elements, and many kernels and passes ask about the same one. */
const bounds = new WeakMap<TypedArray, readonly [number, number]>();

const boundsOf = (data: Numbers): readonly [number, number] => {
  const before = bounds.get(data);
  if (before) return before;
  const all = boundsIn(data, 0, data.length - 1);
  bounds.set(data, all);
  return all;
};

const boundsIn = (data: Numbers, first: number, last: number): readonly [number, number] => {
  let lo = data[first]!;
  let hi = lo;
  for (let i = first + 1; i <= last; i++) {
    const x = data[i]!;
    if (x < lo) lo = x;
    if (x > hi) hi = x;
  }
  return [lo, hi];
};

type Numbers = Exclude<TypedArray, BigInt64Array | BigUint64Array>;
