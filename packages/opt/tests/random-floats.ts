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

const results = 200;
const buffers = [
  constBuffer('table', 'i32', [3, 1, 4, 1, 5, 9, 2, 6]),
  declareBuffer('given', 'f32', 8, 'input'),
  declareBuffer('out', 'i64', results, 'output'),
];

/** Numbers near the ends of the table, such as have no place in it, and such as are none. */
const NUMBERS = [0.5, 7, 7.999999, 8, -0.25, NaN, Infinity, 2 ** 31, 3.75, -Infinity, 1e-45];

export const floatInputs = (seed: number): Record<string, TypedArray> => ({
  given: Float32Array.from({ length: 8 }, (_, k) => NUMBERS[(Math.imul(seed + k, 0x9e3779b1) >>> 8) % NUMBERS.length]!),
  out: allocateArray('i64', results),
});

/** Indices that are made of floats, clamped as fields clamp theirs: a load of an element that is not there traps. */
export const randomFloats = (choose: Choose): Module =>
  makeModule('m', buffers, [buildKernel('k', {}, (b) => new Writer(b, choose).program(), buffers)]);

class Writer {
  private written = 0;

  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
  ) {}

  program(): void {
    const { b } = this;
    b.for(b.i32(0), b.i32(4), b.i32(1), {}, [], (i) => {
      const given = b.load('given', b.add(i, b.i32(this.choose(5))));
      let now: readonly Value[] = [given, b.cast(i, 'f32'), b.load('given', b.i32(this.choose(8)))];
      for (let k = 0; k < 8; k++) now = [...now, this.expression(now)];
      now.slice(-4).forEach((v) => this.look(v));
      b.if(this.condition(now), () => now.slice(-5).forEach((v) => this.look(v)));
      const [last] = b.while(
        [this.of(now), b.i32(5)],
        ([x, left]) => [b.and(b.cmp('gt', left!, b.i32(0)), this.condition([...now, x!])), x!, left!],
        ([x, left]) => {
          this.look(x!);
          return [this.expression([...now, x!]), b.sub(left!, b.i32(1))];
        },
      );
      this.look(last!);
    });
  }

  /** Reads the table at a float: whether it is there, and what is there. */
  private look(x: Value): void {
    const { b } = this;
    const at = this.choose(2) === 0 ? b.cast(x, 'i32') : this.floored(x);
    const inside = b.min(b.max(at, b.i32(0)), b.i32(7));
    const found = b.select(b.cmp('eq', inside, at), b.load('table', inside), b.i32(-1));
    const place = b.i32(this.written++ % results);
    b.store('out', b.add(b.mul(b.load('out', place), b.i64(31)), b.cast(found, 'i64')), place);
  }

  /** As an index that is rounded: NaN is no place. */
  private floored(x: Value): Value {
    const { b } = this;
    const down = b.value('math.floor', [x]);
    return b.select(b.cmp('eq', down, down), b.cast(down, 'i32'), b.i32(-(2 ** 31)));
  }

  private number(): Value {
    return this.b.constant(Math.fround([0, 7, 6.999, 0.5, -1, 8, 2, 3.25, 1e-3][this.choose(9)]!), 'f32');
  }

  private of(scope: readonly Value[]): Value {
    return scope[scope.length - 1 - this.choose(Math.min(5, scope.length))]!;
  }

  private condition(scope: readonly Value[]): Value {
    const { b, choose } = this;
    const predicate = (['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as readonly Predicate[])[choose(6)]!;
    const cmp = b.cmp(predicate, this.of(scope), choose(4) === 0 ? this.of(scope) : this.number());
    const other = b.cmp('ge', this.of(scope), this.number());
    return [() => cmp, () => b.and(cmp, other), () => b.or(cmp, other), () => b.not(cmp)][choose(4)]!();
  }

  private expression(scope: readonly Value[]): Value {
    const { b, choose } = this;
    const [x, y] = [this.of(scope), this.of(scope)];
    const all = [
      () => b.add(x, choose(2) === 0 ? y : this.number()),
      () => b.sub(x, choose(2) === 0 ? y : this.number()),
      () => b.mul(x, choose(2) === 0 ? y : this.number()),
      () => b.div(x, this.number()),
      () => b.value('arith.rem', [x, this.number()]),
      () => b.min(x, choose(3) === 0 ? y : this.number()),
      () => b.max(x, choose(3) === 0 ? y : this.number()),
      () => b.min(b.max(x, b.constant(0, 'f32')), b.constant(7, 'f32')),
      () => b.select(this.condition(scope), x, choose(2) === 0 ? y : this.number()),
      () => b.select(b.cmp('lt', x, b.constant(0, 'f32')), b.constant(0, 'f32'), x),
      () => b.value(['math.floor', 'math.ceil', 'math.trunc', 'math.abs', 'math.sqrt', 'math.sin'][choose(6)]!, [x]),
      () => b.cast(b.cast(x, 'i32'), 'f32'),
    ];
    return all[choose(all.length)]!();
  }
}
