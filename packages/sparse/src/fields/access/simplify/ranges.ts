import { walk, type Kernel, type Op, type Value } from '@filigree/ir';
import { ScopedMap } from './walker.js';

/** All values that an i32 may have: from `lo` to `hi`, both included. */
export interface Range {
  readonly lo: number;
  readonly hi: number;
}

export const I32_RANGE: Range = { lo: -(2 ** 31), hi: 2 ** 31 - 1 };

/** Intervals of the i32 values of a kernel, noted in program order. */
export class Ranges {
  private readonly known = new ScopedMap<number, Range>();

  /** @param promises whether to believe also what holds only where an op is reached */
  constructor(private readonly promises = true) {}

  of(v: Value): Range {
    return this.known.get(v.id) ?? I32_RANGE;
  }

  /** Notes what an op says of its results. */
  note(op: Op): void {
    if (op.results.length !== 1 || op.results[0].type !== 'i32') return;
    const rule = rules[op.name];
    const range = rule?.(op, (n) => this.of(op.operands[n]));
    if (range) this.narrow(op.results[0], range);
    if (op.name === 'snode.index' && this.promises) this.noteBase(op);
  }

  /** Bounds that are multiples of the unit hold for the base and any digit. */
  private noteBase({ operands, attrs }: Op): void {
    const [unit, lo, hi] = [attrs.unit, attrs.lo, attrs.hi].map(Number);
    if (lo % unit === 0 && hi % unit === 0) this.narrow(operands[0], { lo, hi: hi - unit });
  }

  /** Notes the counter of a loop. */
  noteLoop(op: Op): void {
    const [iv] = op.regions[0].params;
    if (op.name !== 'scf.for' || iv.type !== 'i32') return;
    /* It may run past the end of i32 only after the last iteration. */
    this.narrow(iv, { lo: this.of(op.operands[0]).lo, hi: this.of(op.operands[1]).hi - 1 });
  }

  /** Notes that a value lies in an interval, from here to the end of the region. */
  narrow(v: Value, { lo, hi }: Range): void {
    const before = this.of(v);
    const range = { lo: Math.max(lo, before.lo), hi: Math.min(hi, before.hi) };
    /* A place that is never reached may promise anything. */
    if (range.lo <= range.hi) this.known.set(v.id, range);
  }

  enter(): void {
    this.known.enter();
  }

  leave(): void {
    this.known.leave();
  }
}

/** Intervals that hold wherever a value is visible, reached or not. */
export const rangesOf = (kernel: Kernel): Ranges => {
  const ranges = new Ranges(false);
  walk(kernel.body, (op) => {
    if (op.name === 'scf.for') ranges.noteLoop(op);
    ranges.note(op);
  });
  return ranges;
};

/** Whether all values of an interval are in [0, extent). */
export const within = ({ lo, hi }: Range, extent: number): boolean => lo >= 0 && hi < extent;

/** Undefined where the exact result does not fit: it wraps, and may be anything. No integer is -0. */
const exact = (...corners: readonly number[]): Range | undefined => {
  const range = { lo: Math.min(...corners) + 0, hi: Math.max(...corners) + 0 };
  return range.lo >= I32_RANGE.lo && range.hi <= I32_RANGE.hi ? range : undefined;
};

type Rule = (op: Op, operand: (n: number) => Range) => Range | undefined;

const rules: Readonly<Record<string, Rule>> = {
  'arith.constant': (op) => (typeof op.attrs.value === 'number' ? exact(op.attrs.value) : undefined),
  'arith.add': (_op, r) => exact(r(0).lo + r(1).lo, r(0).hi + r(1).hi),
  'arith.sub': (_op, r) => exact(r(0).lo - r(1).hi, r(0).hi - r(1).lo),
  'arith.mul': (_op, r) => exact(r(0).lo * r(1).lo, r(0).lo * r(1).hi, r(0).hi * r(1).lo, r(0).hi * r(1).hi),
  'arith.shl': (_op, r) =>
    r(1).lo === r(1).hi && r(1).lo >= 0 && r(1).lo < 31
      ? exact(r(0).lo * 2 ** r(1).lo, r(0).hi * 2 ** r(1).lo)
      : undefined,
  'arith.shr': (_op, r) =>
    r(1).lo === r(1).hi && r(1).lo >= 0 && r(1).lo < 32
      ? exact(Math.floor(r(0).lo / 2 ** r(1).lo), Math.floor(r(0).hi / 2 ** r(1).lo))
      : undefined,
  'arith.and': (_op, r) => (r(1).lo >= 0 ? { lo: 0, hi: r(1).hi } : r(0).lo >= 0 ? { lo: 0, hi: r(0).hi } : undefined),
  'arith.min': (_op, r) => ({ lo: Math.min(r(0).lo, r(1).lo), hi: Math.min(r(0).hi, r(1).hi) }),
  'arith.max': (_op, r) => ({ lo: Math.max(r(0).lo, r(1).lo), hi: Math.max(r(0).hi, r(1).hi) }),
  'arith.select': (_op, r) => ({ lo: Math.min(r(1).lo, r(2).lo), hi: Math.max(r(1).hi, r(2).hi) }),
  'arith.div': (_op, r) =>
    r(1).lo === r(1).hi && r(1).lo > 0
      ? exact(Math.trunc(r(0).lo / r(1).lo), Math.trunc(r(0).hi / r(1).lo))
      : undefined,
  'arith.rem': (_op, r) =>
    r(1).lo === r(1).hi && r(1).lo > 0
      ? { lo: r(0).lo >= 0 ? 0 : 1 - r(1).lo, hi: r(0).hi <= 0 ? 0 : Math.min(r(0).hi, r(1).lo - 1) }
      : undefined,
  'snode.index': (op, r) => {
    const { unit, lo, hi } = op.attrs;
    const sum = exact(r(0).lo + Math.max(0, r(1).lo), r(0).hi + Math.min(Number(unit) - 1, r(1).hi)) ?? I32_RANGE;
    const promised = typeof lo === 'number' && typeof hi === 'number' ? { lo, hi: hi - 1 } : I32_RANGE;
    return { lo: Math.max(sum.lo, promised.lo), hi: Math.min(sum.hi, promised.hi) };
  },
  'snode.clamp': (op, r) => {
    if (op.attrs.past === true)
      return within(r(0), Number(op.attrs.extent)) ? r(0) : { lo: 0, hi: Number(op.attrs.extent) };
    const last = Number(op.attrs.extent) - 1;
    const clamp = (x: number): number => Math.max(0, Math.min(last, x));
    return { lo: clamp(r(0).lo), hi: clamp(r(0).hi) };
  },
  'snode.extract': (op, r) => digitRange(r(0), Number(op.attrs.below), Number(op.attrs.extent)),
  'snode.length': (op) => ({ lo: 0, hi: typeof op.attrs.most === 'number' ? op.attrs.most : I32_RANGE.hi }),
  'snode.append': () => ({ lo: 0, hi: I32_RANGE.hi }),
};

/** The interval of a digit. */
export const digitRange = ({ lo, hi }: Range, below: number, extent: number): Range => {
  const quotient = { lo: Math.floor(lo / below), hi: Math.floor(hi / below) };
  return extent === 0 || within(quotient, extent) ? quotient : { lo: 0, hi: extent - 1 };
};
