import {
  allocateArray,
  buildKernel,
  constBuffer,
  declareBuffer,
  makeModule,
  type Builder,
  type Module,
  type Predicate,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const results = 600;
const buffers = [
  constBuffer('table', 'u8', [0, 3, 7, 4, 1, 6, 2, 5]),
  constBuffer('coarse', 'i32', [-64, -8, 0, 16, 8, 24, 32, 128]),
  declareBuffer('given', 'i32', 8, 'input'),
  declareBuffer('out', 'i64', results, 'output'),
];

export const indexInputs = (seed: number): Record<string, TypedArray> => ({
  given: Int32Array.from({ length: 8 }, (_, k) => (k === 0 ? -1 : (Math.imul(seed + k, 0x9e3779b1) >>> 8) & 63)),
  out: allocateArray('i64', results),
});

/** Loops around the arithmetic of indices: digits are put together and taken apart again, clamped, compared and chosen. */
export const randomIndices = (choose: Choose): Module =>
  makeModule('m', buffers, [buildKernel('k', {}, (b) => new Writer(b, choose).nest(2 + choose(2), []), buffers)]);

class Writer {
  private written = 0;

  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
  ) {}

  nest(depth: number, scope: readonly Value[]): void {
    const { b, choose } = this;
    if (depth === 0) return this.body(scope);
    const from = this.pick([0, 0, 0, 8, -4, 3]);
    const bound =
      choose(3) === 0
        ? b.and(b.load('given', b.i32(choose(8))), b.i32(7))
        : b.i32(from + 1 + choose(depth === 1 ? 16 : 4));
    const carry = choose(3) === 0;
    b.for(b.i32(from), bound, b.i32(this.pick([1, 1, 2, 4])), {}, carry ? [b.i32(choose(8))] : [], (i, carried) => {
      this.nest(depth - 1, [...scope, i, ...carried]);
      return carried.map((c) => this.pick([() => b.add(c, b.i32(1)), () => b.and(b.add(c, i), b.i32(15)), () => i])());
    });
  }

  private body(scope: readonly Value[]): void {
    const { b, choose } = this;
    let now = [...scope, b.load('given', b.i32(choose(8))), b.load('coarse', b.i32(choose(8)))];
    now = [...now, b.cast(b.load('table', b.and(now[0]!, b.i32(7))), 'i32'), b.load('given', b.i32(1), 1)];
    for (let k = 0; k < 10; k++) now = [...now, this.expression(now)];
    this.keep(now.slice(-5));
    const clamped = b.min(
      b.max(b.add(scope[scope.length - 1]!, b.i32(choose(5) - 2)), b.i32(choose(3))),
      b.i32(4 + choose(12)),
    );
    this.keep([clamped, b.select(b.cmp('lt', scope[scope.length - 1]!, b.i32(choose(18))), clamped, now[0]!)]);
    b.if(this.condition(now), () => {
      let inner = now;
      for (let k = 0; k < 5; k++) inner = [...inner, this.expression(inner)];
      this.keep(inner.slice(-3));
    });
    if (choose(3) > 0) return;
    const [last] = b.while(
      [this.pick(now), b.i32(3)],
      ([x, left]) => [b.and(b.cmp('gt', left!, b.i32(0)), b.cmp('lt', x!, b.i32(20))), x!, left!],
      ([x, left]) => [b.add(this.expression([...now, x!]), b.i32(1)), b.sub(left!, b.i32(1))],
    );
    this.keep([last!]);
  }

  /** Combines values into elements of their own, so that one that is wrong in one iteration shows. */
  private keep(values: readonly Value[]): void {
    const { b } = this;
    for (const v of values) {
      const at = b.i32(this.written++ % results);
      b.store('out', b.add(b.mul(b.load('out', at), b.i64(31)), b.cast(v, 'i64')), at);
    }
  }

  private condition(scope: readonly Value[]): Value {
    const { b, choose } = this;
    const predicate = this.pick(['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as readonly Predicate[]);
    const cmp = b.cmp(predicate, this.of(scope), choose(2) === 0 ? this.of(scope) : b.i32(choose(12) - 2));
    if (choose(4) > 0) return cmp;
    const other = b.cmp('lt', this.of(scope), b.i32(choose(20)));
    return this.pick([() => b.and(cmp, other), () => b.or(cmp, other), () => b.not(cmp)])();
  }

  private of(scope: readonly Value[]): Value {
    return this.choose(3) > 0 ? this.pick(scope.slice(-4)) : this.pick(scope);
  }

  private expression(scope: readonly Value[]): Value {
    const { b, choose } = this;
    const [x, y] = [this.of(scope), this.of(scope)];
    const unit = this.pick([2, 4, 8, 8, 16, 3, 6, 12]);
    const power = this.pick([2, 4, 8, 16]);
    const shift = b.i32(Math.log2(power));
    const u32 = (v: Value): Value => b.cast(v, 'u32');
    const i32 = (v: Value): Value => b.cast(v, 'i32');
    const i64 = (v: Value): Value => b.cast(v, 'i64');
    return this.pick([
      () => b.add(x, y),
      () => b.add(x, b.i32(choose(9) - 3)),
      () => b.sub(x, y),
      () => b.mul(x, b.i32(unit)),
      () => b.add(b.mul(x, b.i32(power)), b.and(y, b.i32(power - 1))),
      () => b.or(b.shl(x, shift), b.and(y, b.i32(power - 1))),
      () =>
        b.add(b.add(b.mul(x, b.i32(8 * power)), b.mul(b.and(y, b.i32(7)), b.i32(power))), b.and(x, b.i32(power - 1))),
      () => b.div(x, b.i32(unit)),
      () => b.rem(x, b.i32(unit)),
      () => b.shr(x, shift),
      () => b.shr(x, b.and(y, b.i32(3))),
      () => b.and(x, b.i32(this.pick([1, 7, 15, 63, -8, -16, 24, 56, 5]))),
      () => b.and(x, y),
      () => b.xor(x, y),
      () => b.min(b.max(x, b.i32(0)), b.i32(choose(20))),
      () => b.max(x, y),
      () => b.select(this.condition(scope), x, y),
      () => i32(b.div(u32(x), b.constant(unit, 'u32'))),
      () => i32(b.rem(u32(x), b.constant(unit, 'u32'))),
      () => i32(b.shr(u32(x), b.constant(choose(32), 'u32'))),
      () => i32(b.add(b.mul(i64(x), b.i64(power)), i64(b.and(y, b.i32(power - 1))))),
      () => i32(b.shr(b.add(b.mul(i64(x), b.i64(power)), i64(b.and(y, b.i32(power - 1)))), b.i64(Math.log2(power)))),
      () => i32(b.cast(x, this.pick(['u8', 'i8', 'u16'] as const))),
      () => b.neg(x),
      () => b.not(x),
      () => b.cast(this.condition(scope), 'i32'),
      () => i32(b.div(b.cast(x, 'i8'), b.constant(this.pick([-1, 2, 16]), 'i8'))),
    ])();
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choose(items.length)]!;
  }
}
