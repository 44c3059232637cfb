import {
  bufferName,
  type Buffers,
  type Kernel,
  type Op,
  type Region,
  type ScalarType,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import { terminatorOf } from '../support/values.js';
import { conditionsOf } from './conditions.js';
import { between, contains, exactly, fits, fullRange, hasRange, join, meet, type Range } from './range.js';
import { beforeWrap, transfer } from './transfer.js';

/** What is known about the integers of a kernel. */
export interface Ranges {
  /** The range of a value at the current place; undefined for floats and vectors. */
  readonly of: (v: Value) => Range | undefined;
  /** Takes an op into account, in program order. Those with regions are entered by `enter` instead. */
  readonly note: (op: Op) => void;
  /** Whether a sum, difference, product or left shift gives the number that it would give without a limit to its type. */
  readonly exact: (op: Op) => boolean;
  /** Runs `inside` with what is known in this region of an op: in a branch its condition, in a loop the bounds of its counter. */
  readonly within: <T>(op: Op, region: Region, inside: () => T) => T;
}

/** Ranges of all integers of a kernel, by one walk in program order; loops are walked until what they carry is stable. */
export const rangesOf = (kernel: Kernel, buffers: Buffers): Ranges => {
  const known = new Map<number, Range>();
  const definitions = new Map<number, Op>();
  /** What conditions around the place at hand say, the innermost last. */
  const facts: Map<number, Range>[] = [];
  const tables = tableRanges(buffers);

  const of = (v: Value): Range | undefined => {
    for (let i = facts.length - 1; i >= 0; i--) {
      const range = facts[i]!.get(v.id);
      if (range) return range;
    }
    return known.get(v.id) ?? (hasRange(v.type) ? fullRange(v.type) : undefined);
  };
  const set = (v: Value, range: Range | undefined): void => {
    if (range) known.set(v.id, range);
  };

  const note = (op: Op): void => {
    const result = op.results[0];
    for (const v of op.results) definitions.set(v.id, op);
    if (op.regions.length > 0 || op.results.length !== 1 || !hasRange(result!.type)) return;
    set(result!, rangeOf(op, result!.type));
  };
  const rangeOf = (op: Op, type: ScalarType): Range | undefined => {
    if (op.name === 'arith.constant') return constantRange(op, type);
    if (op.name === 'mem.load') return promised(op, type) ?? tables(bufferName(op));
    return transfer(op, op.operands.map(of), type);
  };

  const visitRegion = (region: Region): void => {
    for (const op of region.ops) visit(op);
  };
  const visit = (op: Op): void => {
    note(op);
    if (op.regions.length === 0) return;
    if (op.name === 'scf.for') visitFor(op);
    else if (op.name === 'scf.while') visitWhile(op);
    else {
      const ends = op.regions.map((r) =>
        within(op, r, () => {
          visitRegion(r);
          return op.name === 'scf.if' ? terminatorOf(r).operands.map(of) : [];
        }),
      );
      op.results.forEach((v, k) => set(v, joined(ends.map((e) => e[k]))));
    }
  };

  const visitFor = (op: Op): void => {
    const region = op.regions[0]!;
    const params = region.params.slice(1);
    const inits = op.operands.slice(3).map(of);
    stabilize(params, inits, () => {
      visitInside(op, region);
      return terminatorOf(region).operands.map(of);
    });
    op.results.forEach((v, k) => set(v, known.get(params[k]!.id)));
  };
  const visitInside = (op: Op, region: Region): void => {
    set(region.params[0]!, counterRange(op));
    within(op, region, () => visitRegion(region));
  };
  const counterRange = (op: Op): Range | undefined => {
    const [lb, ub, step] = op.operands.slice(0, 3).map((v) => of(v)!) as [Range, Range, Range];
    const type = op.regions[0]!.params[0]!.type as ScalarType;
    const last = step.lo === step.hi && step.lo > 0 && lb.lo === lb.hi ? lastOf(lb.lo, ub.hi, step.lo) : ub.hi - 1;
    return between(type, lb.lo, Math.max(lb.lo, last), Math.min(lb.align, step.align));
  };

  const visitWhile = (op: Op): void => {
    const [before, after] = [op.regions[0]!, op.regions[1]!];
    stabilize(before.params, op.operands.map(of), () => {
      visitRegion(before);
      const condition = terminatorOf(before);
      after.params.forEach((p, k) => set(p, of(condition.operands[k + 1]!)));
      return within(op, after, () => {
        visitRegion(after);
        return terminatorOf(after).operands.map(of);
      });
    });
    const condition = terminatorOf(before);
    op.results.forEach((v, k) => set(v, of(condition.operands[k + 1]!)));
  };

  /** Walks a loop until the ranges of its carried values hold from one iteration to the next. */
  const stabilize = (
    params: readonly Value[],
    inits: readonly (Range | undefined)[],
    walk: () => readonly (Range | undefined)[],
  ): void => {
    params.forEach((p, k) => set(p, inits[k]));
    for (let round = 0; ; round++) {
      const next = walk();
      let stable = true;
      params.forEach((p, k) => {
        const [now, then] = [known.get(p.id), next[k]];
        if (!now || !then || contains(now, then)) return;
        stable = false;
        known.set(p.id, widened(now, then, p.type as ScalarType, round));
      });
      if (stable) return;
    }
  };

  const within = <T>(op: Op, region: Region, inside: () => T): T => {
    const said = conditionsOf(op, region, (v) => definitions.get(v.id));
    if (said.length === 0) return inside();
    const here = new Map<number, Range>();
    facts.push(here);
    for (const { value, compared, predicate } of said) {
      const [a, b] = [of(value), of(compared)];
      if (a && b) here.set(value.id, narrowed(a, predicate, b));
    }
    const result = inside();
    facts.pop();
    return result;
  };

  visitRegion(kernel.body);
  return {
    of,
    note,
    within,
    exact: (op) => {
      const type = op.results[0]!.type;
      const span = hasRange(type) ? beforeWrap(op, op.operands.map(of)) : undefined;
      return span !== undefined && fits(type as ScalarType, span[0], span[1]);
    },
  };
};

/** First one step beyond what is known, for what settles by itself; then to the ends of the type. */
const widened = (now: Range, then: Range, type: ScalarType, round: number): Range => {
  const both = join(now, then);
  if (round === 0) return both;
  const full = fullRange(type);
  if (round > 2) return full;
  return { lo: both.lo < now.lo ? full.lo : now.lo, hi: both.hi > now.hi ? full.hi : now.hi, align: both.align };
};

const lastOf = (first: number, end: number, step: number): number =>
  end <= first ? first : first + Math.floor((end - 1 - first) / step) * step;

const joined = (ranges: readonly (Range | undefined)[]): Range | undefined => {
  let result: Range | undefined;
  for (const r of ranges) {
    if (!r) return undefined;
    result = result ? join(result, r) : r;
  }
  return result;
};

const constantRange = (op: Op, type: ScalarType): Range => {
  const value = Number(op.attrs['value']);
  return fits(type, value, value) ? exactly(value) : fullRange(type);
};

/** The bounds that a load promises by its attribute `range`. */
const promised = (op: Op, type: ScalarType): Range | undefined => {
  const range = op.attrs['range'];
  return Array.isArray(range) ? between(type, Number(range[0]), Number(range[1])) : undefined;
};

/** What a comparison that holds says about its first operand. */
const narrowed = (a: Range, predicate: string, b: Range): Range => {
  switch (predicate) {
    case 'lt':
      return meet(a, -Infinity, b.hi - 1);
    case 'le':
      return meet(a, -Infinity, b.hi);
    case 'gt':
      return meet(a, b.lo + 1, Infinity);
    case 'ge':
      return meet(a, b.lo, Infinity);
    case 'eq':
      return meet(a, b.lo, b.hi);
    default:
      return a;
  }
};

/** The range of the elements of a constant buffer, found when it is first asked for. */
const tableRanges = (buffers: Buffers): ((name: string) => Range | undefined) => {
  const found = new Map<string, Range | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, elementRange(buffers, name));
    return found.get(name);
  };
};

const elementRange = (buffers: Buffers, name: string): Range | undefined => {
  const buffer = buffers.get(name);
  if (!buffer || !hasRange(buffer.type)) return undefined;
  const { data, type } = buffer;
  if (!data || data.length === 0 || data instanceof BigInt64Array || data instanceof BigUint64Array)
    return fullRange(type);
  return type === 'i1' ? fullRange(type) : between(type, ...boundsOf(data));
};

/** What tables hold, by table: they may have millions of elements, and many kernels and passes ask about the same one. */
const bounds = new WeakMap<TypedArray, readonly [number, number]>();

const boundsOf = (data: Exclude<TypedArray, BigInt64Array | BigUint64Array>): readonly [number, number] => {
  const before = bounds.get(data);
  if (before) return before;
  let lo = data[0]!;
  let hi = lo;
  for (let i = 1; i < data.length; i++) {
    const x = data[i]!;
    if (x < lo) lo = x;
    if (x > hi) hi = x;
  }
  bounds.set(data, [lo, hi]);
  return [lo, hi];
};
