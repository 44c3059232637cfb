import {
  controlBy,
  evaluateOp,
  fullRange,
  hasRange,
  isLoop,
  isRealRange,
  opTable,
  rangeBetween,
  rangeOfValue,
  walk,
  type Dialect,
  type IntegerRange,
  type Kernel,
  type Op,
  type Value,
} from '@filigree/ir';
import type { Bounds } from '../snode-ranges.js';
import { ScopedMap } from './walker.js';

/** What the i32 values of a kernel may be, noted in program order; each op says it of itself. */
export class Ranges {
  private readonly known = new ScopedMap<number, IntegerRange>();
  private readonly table;
  private readonly control;

  /** @param promises whether to believe also what holds only where an op is reached */
  constructor(
    dialects: readonly Dialect[],
    private readonly promises = true,
  ) {
    this.table = opTable(dialects);
    this.control = controlBy(this.table);
  }

  of(v: Value): IntegerRange {
    return this.known.get(v.id) ?? I32;
  }

  /** Notes what an op says of its result. */
  note(op: Op): void {
    if (op.results.length !== 1 || op.results[0].type !== 'i32') return;
    const range = this.rangeOf(op);
    if (range) this.narrow(op.results[0], range);
    if (op.name === 'snode.index' && this.promises) this.noteBase(op);
  }

  private rangeOf(op: Op): IntegerRange | undefined {
    const def = this.table.get(op.name);
    if (def?.traits.constant) return rangeOfValue(Number(evaluateOp(op, def, [])?.[0]));
    const operands = op.operands.map((v) =>
      hasRange(v.type) ? (this.known.get(v.id) ?? fullRange(v.type)) : undefined,
    );
    const range = def?.range?.(op, operands, 'i32');
    return isRealRange(range) ? undefined : range;
  }

  /** Bounds that are multiples of the unit hold for the base and any digit. */
  private noteBase({ operands, attrs }: Op): void {
    const [unit, lo, hi] = [attrs.unit, attrs.lo, attrs.hi].map(Number);
    if (lo % unit === 0 && hi % unit === 0) this.narrow(operands[0], { lo, hi: hi - unit });
  }

  /** Notes the counter of a loop. */
  noteLoop(op: Op): void {
    const control = this.control(op);
    const { lower, upper, counter } = control?.count ?? {};
    const iv = counter === undefined ? undefined : op.regions[0].params[counter];
    if (!control || !isLoop(control) || iv?.type !== 'i32') return;
    const bounds = (x: Value | number): Bounds => (typeof x === 'number' ? { lo: x, hi: x } : this.of(x));
    /* It may run past the end of i32 only after the last iteration. */
    this.narrow(iv, { lo: bounds(lower!).lo, hi: bounds(upper!).hi - 1 });
  }

  /** Notes that a value lies in an interval, from here to the end of the region. */
  narrow(v: Value, { lo, hi, align = 1 }: Bounds & Partial<IntegerRange>): void {
    const before = this.of(v);
    const [from, to] = [Math.max(lo, before.lo), Math.min(hi, before.hi)];
    /* A place that is never reached may promise anything. */
    if (from <= to) this.known.set(v.id, rangeBetween('i32', from, to, Math.max(align, before.align)));
  }

  enter(): void {
    this.known.enter();
  }

  leave(): void {
    this.known.leave();
  }
}

const I32 = fullRange('i32');

/** Intervals that hold wherever a value is visible, reached or not. */
export const rangesOf = (kernel: Kernel, dialects: readonly Dialect[]): Ranges => {
  const ranges = new Ranges(dialects, false);
  walk(kernel.body, (op) => {
    ranges.noteLoop(op);
    ranges.note(op);
  });
  return ranges;
};
