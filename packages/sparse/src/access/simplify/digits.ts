import type { Buffer, Builder, Dialect, Kernel, Op, Value } from '@filigree/ir';
import { axesOf, type Layout } from '../../layout/layout.js';
import { extentAlong } from '../path.js';
import { I32_RANGE, Ranges, digitRange, within, type Range } from './ranges.js';
import { walkKernel } from './walker.js';

/**
 * Resolves digits of indices: of base + digit, where the base is a multiple of a unit, high digits are those of the base and
 * low ones those of the digit, also where a small number is added (thesis §4.2). Indices that are known to be in bounds are
 * no longer clamped.
 */
export const resolveDigits = (
  kernel: Kernel,
  layout: Layout,
  dialects: readonly Dialect[],
  buffers: readonly Buffer[],
): Kernel => {
  const ranges = new Ranges();
  const definitions = new Map<number, Op>();
  const note = (op: Op): void => {
    ranges.note(op);
    for (const r of op.results) definitions.set(r.id, op);
  };
  return walkKernel(kernel, dialects, buffers, {
    region: (op, index, when) => {
      if (when === 'leave') return ranges.leave();
      ranges.enter();
      if (index === 0) ranges.noteLoop(op);
    },
    visit: (op, b) => {
      const resolver = new Resolver(ranges, definitions, b, note);
      if (op.name === 'snode.clamp' && within(resolver.range(op.operands[0]), Number(op.attrs.extent)))
        return [op.operands[0]];
      if (op.name === 'snode.extract') {
        const { below, extent } = op.attrs;
        const digit = resolver.digit(op.operands[0], Number(below), Number(extent));
        if (digit) return [digit];
      }
      if (op.name === 'snode.assume_active') noteBounds(op, layout, ranges);
      note(op);
      return undefined;
    },
  });
};

/** An active cell has coordinates within bounds. */
const noteBounds = (op: Op, layout: Layout, ranges: Ranges): void => {
  const node = Number(op.attrs.node);
  axesOf(layout, node).forEach((axis, n) => {
    const extent = extentAlong(layout, node, axis);
    if (extent !== undefined) ranges.narrow(op.operands[n], { lo: 0, hi: extent - 1 });
  });
};

/** An index as base + Σ rest + plus, with the base a multiple of `unit` and the interval of all but the base. */
interface Sum {
  readonly base: Value | undefined;
  readonly unit: number;
  readonly rest: readonly Value[];
  readonly plus: number;
  readonly range: Range;
}

class Resolver {
  constructor(
    private readonly ranges: Ranges,
    private readonly definitions: ReadonlyMap<number, Op>,
    private readonly b: Builder,
    private readonly note: (op: Op) => void,
  ) {}

  /** All that a value may be. The base of an index is known more closely than the index: that plus any digit is in bounds. */
  range(v: Value): Range {
    const own = this.ranges.of(v);
    const { base, range } = this.sum(v);
    if (!base) return own;
    const { lo, hi } = this.ranges.of(base);
    return { lo: Math.max(own.lo, lo + range.lo), hi: Math.min(own.hi, hi + range.hi) };
  }

  /** ⌊v ÷ below⌋ mod extent as something simpler than an extraction from `v`; undefined where there is nothing simpler. */
  digit(v: Value, below: number, extent: number): Value | undefined {
    const own = this.ranges.of(v);
    const digit = digitRange(own, below, extent);
    if (digit.lo === digit.hi) return this.constant(digit.lo);
    const sum = this.sum(v);
    if (!sum.base) return this.small(v, sum, below, extent);
    /* Of an index that is a base alone more is known than of the base. */
    if (sum.unit === 1 && sum.plus === 0 && below === 1 && (extent === 0 || within(own, extent))) return v;
    const low = extent > 0 && sum.unit % (below * extent) === 0;
    if (low) return this.extract(this.add(sum.rest, sum.plus), below, extent);
    if (!within(sum.range, sum.unit)) return undefined;
    if (below % sum.unit === 0) return this.quotient(sum.base, below, extent);
    return undefined;
  }

  private small(v: Value, sum: Sum, below: number, extent: number): Value | undefined {
    const own = this.ranges.of(v);
    if (below === 1 && (extent === 0 || within(own, extent))) return v;
    const quotient = digitRange(own, below, 0);
    if (extent > 0 && within(quotient, extent)) return this.extract(v, below, 0);
    return sum.rest.length === 0 ? this.constant(modulo(Math.floor(sum.plus / below), extent)) : undefined;
  }

  /** The digit of a base: of a product, for which it is promised that it does not wrap, that of its factor. */
  private quotient(base: Value, below: number, extent: number): Value {
    const product = this.product(base);
    if (product && below % product.by === 0) return this.extract(product.of, below / product.by, extent);
    if (product && product.by % below === 0 && extent === 0)
      return this.b.mul(product.of, this.constant(product.by / below));
    return this.extract(base, below, extent);
  }

  private extract(v: Value, below: number, extent: number): Value {
    const simpler = this.digit(v, below, extent);
    if (simpler) return simpler;
    const signed = this.ranges.of(v).lo < 0;
    return this.build('snode.extract', [v], { below, extent, ...(signed ? { signed } : {}) });
  }

  private sum(v: Value): Sum {
    const op = this.definitions.get(v.id);
    const leaf: Sum = { base: undefined, unit: 1, rest: [v], plus: 0, range: this.ranges.of(v) };
    if (op?.name === 'arith.constant') return { ...leaf, rest: [], plus: Number(op.attrs.value) };
    if (op?.name === 'snode.index') {
      const unit = Number(op.attrs.unit);
      const { lo, hi } = this.ranges.of(op.operands[1]);
      return {
        base: op.operands[0],
        unit,
        rest: [op.operands[1]],
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
    return leaf;
  }

  /** The sum of two, unless what is added to the base may be anything. */
  private joined(x: Sum, y: Sum): Sum | undefined {
    const range = { lo: x.range.lo + y.range.lo, hi: x.range.hi + y.range.hi };
    if (range.lo < I32_RANGE.lo || range.hi > I32_RANGE.hi) return undefined;
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
    const [x, y] = op.operands;
    const by = this.ranges.of(y);
    if (by.lo !== by.hi) return undefined;
    const factor = op.name === 'arith.mul' ? by.lo : 2 ** by.lo;
    return factor > 0 ? { of: x, by: factor } : undefined;
  }

  private add(rest: readonly Value[], plus: number): Value {
    const values = plus === 0 && rest.length > 0 ? rest : [...rest, this.constant(plus)];
    return values.reduce((x, y) => this.build('arith.add', [x, y]));
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

const modulo = (x: number, extent: number): number => (extent === 0 ? x : ((x % extent) + extent) % extent);
