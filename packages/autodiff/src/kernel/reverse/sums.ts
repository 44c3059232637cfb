import { algebraOf, type Builder, type Value } from '@filigree/ir';
import type { Cuts } from './cuts.js';

/** Adjoints of primal values, by id, as far as they are summed up where the builder is. */
export class Sums {
  /** By value, the sums that are cut off under one condition, by its number. */
  private readonly sums = new Map<number, Map<number, Value>>();

  constructor(
    private readonly active: ReadonlySet<number>,
    private readonly cuts: Cuts,
  ) {}

  /** Adds to the adjoint of a value, if it has one: what comes from the adjoints of others, or from itself where it was summed up apart. */
  add(b: Builder, v: Value, contribution: Value, from: readonly Value[] = []): void {
    if (!this.active.has(v.id)) return;
    const condition = this.cuts.between(from, v);
    const parts = this.sums.get(v.id) ?? new Map<number, Value>();
    const before = parts.get(condition);
    this.sums.set(v.id, parts.set(condition, before ? algebraOf(b, v.type).add(before, contribution) : contribution));
  }

  /** What has been added up; nothing where nothing was. */
  of(b: Builder, v: Value): Value | undefined {
    const parts = this.sums.get(v.id);
    return (
      parts && [...parts].map(([n, sum]) => this.cuts.cut(b, n, sum)).reduce((x, y) => algebraOf(b, v.type).add(x, y))
    );
  }

  /** As `of`, zero where there is nothing. */
  orZero(b: Builder, v: Value): Value {
    return this.of(b, v) ?? b.constant(0, v.type);
  }

  /** What has been added up for what was there before the launch, of which a value is; nothing where nothing was. */
  leaving(b: Builder, v: Value): Value | undefined {
    const sum = this.of(b, v);
    return sum && this.cuts.cut(b, this.cuts.between([v], undefined), sum);
  }

  /** Whether it holds a sum for one of these. */
  some(values: readonly Value[]): boolean {
    return values.some((v) => this.sums.has(v.id));
  }

  /** Sums of a region of its own. */
  inner(): Sums {
    return new Sums(this.active, this.cuts);
  }
}
