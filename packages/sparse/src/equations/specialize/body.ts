import type { Builder, Value } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import type { IndexType } from '../../trace/code/loops.js';
import type { Access, ArrayInfo, Expr, Statement } from '../read/program.js';
import type { Conjunction } from '../sets/conjunction.js';

/** Writes statements at iterations that are given as values. */
export interface BodyContext {
  readonly arrays: ReadonlyMap<string, ArrayInfo>;
  readonly parameters: Readonly<Record<string, Value>>;
  readonly type: IndexType;
}

/** One instance of a statement. */
export const emitStatement = (b: Builder, c: BodyContext, { write, value }: Statement, at: readonly Value[]): void => {
  const emit = new Body(b, c, at);
  emit.store(write, emit.expr(value));
};

/** The value of an affine function of iterators. */
export const affineValue = (b: Builder, f: Affine, at: readonly Value[], type: IndexType): Value => {
  const number = (n: number): Value => b.constant(type === 'i64' ? BigInt(n) : n, type);
  let sum: Value | undefined;
  f.coefs.forEach((c, d) => {
    if (c === 0) return;
    const term = Math.abs(c) === 1 ? at[d] : b.mul(at[d], number(Math.abs(c)));
    sum = sum === undefined ? (c < 0 ? b.neg(term) : term) : c < 0 ? b.sub(sum, term) : b.add(sum, term);
  });
  if (sum === undefined) return number(f.constant);
  return f.constant === 0 ? sum : b.add(sum, number(f.constant));
};

class Body {
  constructor(
    private readonly b: Builder,
    private readonly c: BodyContext,
    private readonly at: readonly Value[],
  ) {}

  store(access: Access, value: Value): void {
    this.b.store(access.array, value, this.index(access));
  }

  expr(e: Expr): Value {
    const { b } = this;
    switch (e.kind) {
      case 'read':
        return b.load(e.array, this.index(e));
      case 'number':
        return b.constant(
          e.type === 'i1' ? e.value !== 0 : /64$/.test(e.type) && !e.type.startsWith('f') ? BigInt(e.value) : e.value,
          e.type,
        );
      case 'parameter':
        return this.c.parameters[e.name];
      case 'index': {
        const value = affineValue(b, e.value, this.at, this.c.type);
        return value.type === e.type ? value : b.cast(value, e.type);
      }
      case 'apply':
        return b.value(
          e.op.name,
          e.args.map((x) => this.expr(x)),
          e.op.attrs,
        );
      case 'if':
        /* An arm may read what is there only under its condition. */
        return b.if(
          this.condition(e.when),
          () => this.expr(e.then),
          () => this.expr(e.otherwise),
        )[0];
    }
  }

  private condition(sets: readonly Conjunction[]): Value {
    const { b } = this;
    const zero = b.constant(this.c.type === 'i64' ? 0n : 0, this.c.type);
    const all = (set: Conjunction): Value =>
      set
        .map((f) => b.cmp('ge', affineValue(b, f, this.at, this.c.type), zero))
        .reduceRight((x, y) => b.and(y, x), b.bool(true));
    return sets.map(all).reduce((x, y) => b.or(x, y), b.bool(false));
  }

  private index({ array, subscripts }: Access): Value {
    const { shape, lower } = this.c.arrays.get(array)!;
    let stride = 1;
    const total: { constant: number; coefs: number[] } = { constant: 0, coefs: [] };
    for (let k = shape.length - 1; k >= 0; k--) {
      const f = subscripts[k];
      total.constant += stride * (f.constant - lower[k]);
      f.coefs.forEach((x, d) => (total.coefs[d] = (total.coefs[d] ?? 0) + stride * x));
      stride *= shape[k];
    }
    return affineValue(
      this.b,
      { constant: total.constant, coefs: Array.from(total.coefs, (x) => x ?? 0) },
      this.at,
      this.c.type,
    );
  }
}
