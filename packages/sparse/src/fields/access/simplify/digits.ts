import {
  fitsType,
  fullRange,
  opWith,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type Value,
} from '@filigree/ir';
import { axesOf, nodeOf, type Layout } from '../../layout/layout.js';
import { extentAlong } from '../path.js';
import { guardsOf, outsideKey } from '../guards.js';
import { digitRange, within, type Bounds } from '../snode-ranges.js';
import { Ranges } from './ranges.js';
import { walkKernel } from './walker.js';

/**
 * Resolves digits of indices: of base + digit, where the base is a multiple of a unit, high digits are those of the base and
 * low ones those of the digit, also where a small number is added (thesis §4.2). Indices that are known to be in bounds are
 * no longer clamped, nor guarded, and where they are not negative powers of two divide them by shifts and masks. Nothing later asks what was
 * promised of cells, so promises end here.
 */
export const resolveDigits = (
  kernel: Kernel,
  layout: Layout,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
): Kernel => {
  const ranges = new Ranges(dialects);
  const definitions = new Map<number, Op>();
  /* Guards that always hold. */
  const always = new Set<number>();
  const note = (op: Op): void => {
    ranges.note(op);
    for (const r of op.results) definitions.set(r.id, op);
  };
  /** Indices, and what is made of them, of which a digit may be past the last. */
  const past = new Set<number>();
  const notePast = (op: Op): void => {
    const from = op.operands.some((v) => past.has(v.id));
    if (op.name === 'snode.clamp' ? op.attrs.past === true : from && spreadsPast(op)) past.add(op.results[0].id);
  };
  /** A lookup, said that no digit is past the last where that is known. */
  const withoutPast = (op: Op): Op => {
    if (op.name !== 'snode.lookup' || op.attrs.past !== true || past.has(op.operands[1].id)) return op;
    const { past: _past, ...attrs } = op.attrs;
    return opWith(op, { attrs });
  };
  /** Cells, and what is in them, of which some index out of bounds makes a sink: no cell hangs below it that is known to be active. */
  const lost = new Set<number>();
  const noteLost = (op: Op): void => {
    if (op.name !== 'snode.lookup' && op.name !== 'snode.child') return;
    const own = op.attrs.known === true && op.attrs.written === true && outsideKey(op) !== '';
    if (own || lost.has(op.operands[0].id)) lost.add(op.results[0].id);
  };
  return walkKernel(kernel, dialects, buffers, {
    region: (op, index, when) => {
      if (when === 'leave') return ranges.leave();
      ranges.enter();
      if (index === 0) ranges.noteLoop(op);
    },
    visit: (op, b) => {
      const resolver = (): Resolver => new Resolver(ranges, definitions, b, note);
      if (op.name === 'snode.clamp' && within(resolver().range(op.operands[0]), Number(op.attrs.extent)))
        return [op.operands[0]];
      if (op.name === 'snode.inside' && op.operands[0].id === op.operands[1].id) {
        const yes = b.bool(true);
        always.add(yes.id);
        return [yes];
      }
      if (op.name === 'snode.extract') {
        const { below, extent } = op.attrs;
        const digit = resolver().digit(op.operands[0], Number(below), Number(extent));
        if (digit && past.has(op.operands[0].id) && extent === 0) past.add(digit.id);
        if (digit) return [digit];
      }
      if (op.name === 'arith.div' || op.name === 'arith.rem') {
        const bits = resolver().bits(op);
        if (bits) return [bits];
      }
      if (op.name === 'snode.assume_active') {
        noteBounds(op, layout, ranges);
        return [];
      }
      notePast(op);
      const guarded = withoutGuards(withoutPast(op), always);
      const open = lost.has(guarded.operands[0]?.id) ? guarded : withoutWritten(guarded);
      noteLost(open);
      note(open);
      return open === op ? undefined : b.append(open);
    },
  });
};

/** The outermost digit of an index, and the number of a cell with such a digit. */
const spreadsPast = (op: Op): boolean =>
  op.name === 'snode.linearize' || (op.name === 'snode.extract' && op.attrs.extent === 0);

/** An op without the guards that always hold. */
const withoutGuards = (op: Op, always: ReadonlySet<number>): Op => {
  if (!op.name.startsWith('snode.') || !guardsOf(op).some((g) => always.has(g.id))) return op;
  return opWith(op, { operands: op.operands.filter((v) => !always.has(v.id)) });
};

/** Within bounds it does not matter to where a cell is whether it is written. */
const withoutWritten = (op: Op): Op => {
  if (op.attrs.written !== true || outsideKey(op) !== '') return op;
  const { written: _written, ...attrs } = op.attrs;
  return opWith(op, { attrs });
};

/** An active cell has coordinates within bounds. */
const noteBounds = (op: Op, layout: Layout, ranges: Ranges): void => {
  const node = nodeOf(layout, op)!.id;
  axesOf(layout, node).forEach((axis, n) => {
    const extent = extentAlong(layout, node, axis);
    if (extent !== undefined) ranges.narrow(op.operands[n], { lo: 0, hi: extent - 1 });
  });
};

/** A number of times a value. */
interface Term {
  readonly value: Value;
  readonly times: number;
}

/** The first term of a sum: value · times ÷ over + plus, which is a multiple of the sum's unit. */
interface Base {
  readonly value: Value;
  readonly times: number;
  readonly over: number;
  readonly plus: number;
}

/** An index as base + Σ rest + plus, with the base a multiple of `unit` and the interval of all but the base. */
interface Sum {
  readonly base: Base | undefined;
  readonly unit: number;
  readonly rest: readonly Term[];
  readonly plus: number;
  readonly range: Bounds;
}

class Resolver {
  constructor(
    private readonly ranges: Ranges,
    private readonly definitions: ReadonlyMap<number, Op>,
    private readonly b: Builder,
    private readonly note: (op: Op) => void,
  ) {}

  /**
   * The interval of a value. More is known about the base of an index than about the index: base plus any digit is in
   * bounds.
   */
  range(v: Value): Bounds {
    const own = this.ranges.of(v);
    const { base, range } = this.sum(v);
    if (!base) return own;
    const { lo, hi } = this.rangeOf(base);
    return { lo: Math.max(own.lo, lo + range.lo), hi: Math.min(own.hi, hi + range.hi) };
  }

  /** ⌊v ÷ below⌋ mod extent as something simpler than an extraction from `v`; undefined where there is nothing simpler. */
  digit(v: Value, below: number, extent: number): Value | undefined {
    const own = this.ranges.of(v);
    const digit = digitRange(own, below, extent);
    if (digit.lo === digit.hi) return this.constant(digit.lo);
    const sum = this.sum(v);
    const { base, unit, rest, plus, range } = sum;
    if (!base) return this.small(v, sum, below, extent);
    /* Of an index that is a base alone more is known than of the base. */
    if (unit === 1 && plus === 0 && base.plus === 0 && below === 1 && (extent === 0 || within(own, extent))) return v;
    if (extent > 0 && unit % (below * extent) === 0) {
      /* Whole turns of the digit that all have in common do not count. */
      const turn = below * extent;
      const turns = Math.floor(range.lo / turn);
      return this.extract(
        this.add(rest, turns === Math.floor(range.hi / turn) ? plus - turns * turn : plus),
        below,
        extent,
      );
    }
    const carried = Math.floor(range.lo / unit);
    if (carried !== Math.floor(range.hi / unit) || (carried !== 0 && isUnknown(own))) return undefined;
    /* All but the base is the same number of units, and something less than one. */
    const whole = { ...base, plus: base.plus + carried * unit };
    if (below % unit === 0) return this.quotient(whole, below, extent);
    if (unit % below !== 0 || (extent * below) % unit !== 0) return undefined;
    const high = this.quotient(whole, below, extent);
    return high && this.sumOf(high, this.extract(this.add(rest, plus - carried * unit), below, 0));
  }

  /** Quotient or remainder of what is not negative by a power of two. */
  bits({ name, operands: [v, by] }: Op): Value | undefined {
    const divisor = this.number(by);
    if (v.type !== 'i32' || divisor === undefined || divisor < 1 || this.ranges.of(v).lo < 0) return undefined;
    const bits = Math.log2(divisor);
    if (!Number.isInteger(bits)) return undefined;
    return name === 'arith.rem'
      ? this.build('arith.and', [v, this.constant(divisor - 1)])
      : this.build('arith.shr', [v, this.constant(bits)]);
  }

  private small(v: Value, sum: Sum, below: number, extent: number): Value | undefined {
    const own = this.ranges.of(v);
    if (below === 1 && (extent === 0 || within(own, extent))) return v;
    const quotient = digitRange(own, below, 0);
    if (extent > 0 && within(quotient, extent)) return this.extract(v, below, 0);
    return sum.rest.length === 0 ? this.constant(modulo(Math.floor(sum.plus / below), extent)) : undefined;
  }

  /** The digit of a base: of a product, for which it is promised that it does not wrap, that of its factor. */
  private quotient({ value, times, over, plus }: Base, below: number, extent: number): Value | undefined {
    const product = this.product(value) ?? { of: value, by: 1 };
    const scale = (product.by * times) / over;
    if (!Number.isInteger(scale)) return undefined;
    /* scale · of + plus, divided by below. */
    if (below % scale === 0 && plus % scale === 0)
      return this.extract(this.plus(product.of, plus / scale), below / scale, extent);
    if (scale % below === 0 && plus % below === 0) {
      const factor = scale / below;
      const rest = plus / below;
      if (extent > 0 && factor % extent === 0) return this.constant(modulo(rest, extent));
      const whole = this.plus(this.times(product.of, factor), rest);
      return extent === 0 ? whole : this.extract(whole, 1, extent);
    }
    return scale === 1 || times !== 1 || over !== 1 ? undefined : this.extract(this.plus(value, plus), below, extent);
  }

  private extract(v: Value, below: number, extent: number): Value {
    const simpler = this.digit(v, below, extent);
    if (simpler) return simpler;
    const signed = this.ranges.of(v).lo < 0;
    return this.build('snode.extract', [v], { below, extent, ...(signed ? { signed } : {}) });
  }

  private sum(v: Value): Sum {
    const op = this.definitions.get(v.id);
    const leaf: Sum = { base: undefined, unit: 1, rest: [{ value: v, times: 1 }], plus: 0, range: this.ranges.of(v) };
    if (op?.name === 'arith.constant') return { ...leaf, rest: [], plus: Number(op.attrs.value) };
    if (op?.name === 'snode.index') {
      const unit = Number(op.attrs.unit);
      const { lo, hi } = this.ranges.of(op.operands[1]);
      return {
        base: { value: op.operands[0], times: 1, over: 1, plus: 0 },
        unit,
        rest: [{ value: op.operands[1], times: 1 }],
        plus: 0,
        range: { lo: Math.max(lo, 0), hi: Math.min(hi, unit - 1) },
      };
    }
    if (op?.name === 'arith.add') {
      const [x, y] = op.operands.map((o) => this.sum(o));
      if (!(x.base && y.base)) return this.joined(x, y) ?? leaf;
    }
    if (op?.name === 'arith.sub') {
      const [x, y] = op.operands.map((o) => this.sum(o));
      if (!y.base && y.rest.length === 0)
        return this.joined(x, { ...y, plus: -y.plus, range: { lo: -y.plus, hi: -y.plus } }) ?? leaf;
    }
    if (op?.name === 'arith.mul' || op?.name === 'arith.shl') return this.scaled(op) ?? leaf;
    if (op?.name === 'arith.div' || op?.name === 'arith.shr') return this.divided(op) ?? leaf;
    return leaf;
  }

  /** A multiple of an index that does not wrap. */
  private scaled({ name, operands, results }: Op): Sum | undefined {
    const [factor, other] = name === 'arith.mul' && this.number(operands[1]) === undefined ? [1, 0] : [0, 1];
    const by = this.number(operands[other]);
    if (by === undefined || by < 0 || by > (name === 'arith.shl' ? 16 : 2 ** 16)) return undefined;
    const times = name === 'arith.shl' ? 2 ** by : by;
    const x = this.sum(operands[factor]);
    if (!x.base || times < 1 || isUnknown(this.ranges.of(results[0]))) return undefined;
    return {
      base: { ...x.base, times: x.base.times * times, plus: x.base.plus * times },
      unit: x.unit * times,
      rest: x.rest.map((t) => ({ ...t, times: t.times * times })),
      plus: x.plus * times,
      range: { lo: x.range.lo * times, hi: x.range.hi * times },
    };
  }

  /** Part of a non-negative index, rounded down; the part of the base is a whole number if it divides the unit. */
  private divided({ name, operands }: Op): Sum | undefined {
    const by = this.number(operands[1]);
    if (by === undefined || by < 0 || (name === 'arith.shr' && by > 16)) return undefined;
    const over = name === 'arith.shr' ? 2 ** by : by;
    const x = this.sum(operands[0]);
    const rounds = name === 'arith.shr' || this.range(operands[0]).lo >= 0;
    if (!x.base || over < 1 || x.unit % over !== 0 || x.base.plus % over !== 0 || !rounds) return undefined;
    const rest = this.extract(this.add(x.rest, x.plus), over, 0);
    return {
      base: { ...x.base, over: x.base.over * over, plus: x.base.plus / over },
      unit: x.unit / over,
      rest: [{ value: rest, times: 1 }],
      plus: 0,
      range: { lo: Math.floor(x.range.lo / over), hi: Math.floor(x.range.hi / over) },
    };
  }

  /** The sum of two, unless what is added to the base may be anything. */
  private joined(x: Sum, y: Sum): Sum | undefined {
    const range = { lo: x.range.lo + y.range.lo, hi: x.range.hi + y.range.hi };
    if (!fitsType('i32', range.lo, range.hi)) return undefined;
    return {
      base: x.base ?? y.base,
      unit: x.base ? x.unit : y.unit,
      rest: [...x.rest, ...y.rest],
      plus: x.plus + y.plus,
      range,
    };
  }

  private product(v: Value): { readonly of: Value; readonly by: number } | undefined {
    const op = this.definitions.get(v.id);
    if (op?.name !== 'arith.mul' && op?.name !== 'arith.shl') return undefined;
    const by = this.number(op.operands[1]);
    if (by === undefined) return undefined;
    const factor = op.name === 'arith.mul' ? by : 2 ** by;
    return factor > 0 ? { of: op.operands[0], by: factor } : undefined;
  }

  private number(v: Value): number | undefined {
    const { lo, hi } = this.ranges.of(v);
    return lo === hi ? lo : undefined;
  }

  private rangeOf({ value, times, over, plus }: Base): Bounds {
    const { lo, hi } = this.ranges.of(value);
    return { lo: (lo * times) / over + plus, hi: (hi * times) / over + plus };
  }

  private add(rest: readonly Term[], plus: number): Value {
    const terms = rest.map(({ value, times }) => this.times(value, times));
    const values = plus === 0 && terms.length > 0 ? terms : [...terms, this.constant(plus)];
    return values.reduce((x, y) => this.sumOf(x, y));
  }

  private times(value: Value, times: number): Value {
    return times === 1 ? value : this.build('arith.mul', [value, this.constant(times)]);
  }

  private plus(value: Value, plus: number): Value {
    return plus === 0 ? value : this.sumOf(value, this.constant(plus));
  }

  private sumOf(x: Value, y: Value): Value {
    return this.build('arith.add', [x, y]);
  }

  private constant(value: number): Value {
    return this.build('arith.constant', [], { value });
  }

  private build(name: string, operands: readonly Value[], attrs: Op['attrs'] = {}): Value {
    const results = this.b.op(name, operands, attrs, [], ['i32']);
    this.note({ name, operands, results, attrs, regions: [] });
    return results[0];
  }
}

const isUnknown = ({ lo, hi }: Bounds): boolean => lo === I32.lo && hi === I32.hi;

const I32 = fullRange('i32');

const modulo = (x: number, extent: number): number => (extent === 0 ? x : ((x % extent) + extent) % extent);
