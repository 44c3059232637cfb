import { algebraOf, type Builder, type Value } from '@filigree/ir';

/** Adjoints of primal values, by id, as far as they are summed up where the builder is. */
export class Sums {
  private readonly sums = new Map<number, Value>();

  constructor(private readonly active: ReadonlySet<number>) {}

  /** Adds to the adjoint of a value, if it has one. */
  add(b: Builder, v: Value, contribution: Value): void {
    if (!this.active.has(v.id)) return;
    const before = this.sums.get(v.id);
    this.sums.set(v.id, before ? algebraOf(b, v.type).add(before, contribution) : contribution);
  }

  /** What has been added up; nothing where nothing was. */
  of(v: Value): Value | undefined {
    return this.sums.get(v.id);
  }

  /** As `of`, zero where there is nothing. */
  orZero(b: Builder, v: Value): Value {
    return this.sums.get(v.id) ?? b.constant(0, v.type);
  }

  /** Whether it holds a sum for one of these. */
  some(values: readonly Value[]): boolean {
    return values.some((v) => this.sums.has(v.id));
  }

  /** Sums of a region of its own. */
  inner(): Sums {
    return new Sums(this.active);
  }
}
