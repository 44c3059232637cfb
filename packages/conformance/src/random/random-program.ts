import {
  type Buffer,
  type Builder,
  type AtomicKind,
  type ScalarType,
  type Value,
  buildKernel,
  declareBuffer,
  makeModule,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf } from '../values.js';
import { drawn, Numbers, simpler } from './numbers.js';

/** Programs of random kernels, the same for a seed; each knows the simpler ones that it may be replaced by. */
export const randomPrograms = (count: number, seed = 1): readonly Program[] =>
  Array.from({ length: count }, (_, k) => programOf(`random kernel ${seed}.${k}`, drawn(1000 * seed + k, LENGTH)));

/** Numbers that a program is made of: some fifty operations. */
const LENGTH = 160;
/** Elements of each buffer, one an iteration. */
const SIZE = 37;
/** How deep loops and branches stand in each other. */
const DEEP = 3;

const KINDS: readonly AtomicKind[] = ['add', 'min', 'max', 'xor'];

const programOf = (name: string, list: readonly number[]): Program => {
  const numbers = new Numbers(list);
  const float = numbers.one(['f32', 'f64'] as const);
  const integer = numbers.one(['i32', 'u32'] as const);
  const buffers: readonly Buffer[] = [
    declareBuffer('x', float, SIZE, 'input'),
    declareBuffer('k', integer, SIZE, 'input'),
    declareBuffer('y', float, SIZE, 'inout'),
    declareBuffer('m', integer, SIZE, 'inout'),
    declareBuffer('total', integer, KINDS.length, 'inout'),
  ];
  const kernel = buildKernel(
    'random',
    {},
    (b) => {
      do {
        b.for(b.i32(0), b.i32(SIZE), b.i32(1), { parallel: true }, [], (i) => {
          new Writer(b, numbers, { float, integer }, i).whole();
        });
      } while (!numbers.done);
    },
    buffers,
  );
  return {
    name,
    module: makeModule('random', buffers, [kernel]),
    inputs: {
      x: arrayOf(float, SIZE, (i) => (i % 11) * 0.625 - 3),
      k: arrayOf(integer, SIZE, (i) => (i * 7919) % 1013),
      y: arrayOf(float, SIZE, (i) => 0.25 * i),
      m: arrayOf(integer, SIZE, (i) => i * i),
    },
    simpler: function* () {
      for (const less of simpler(list)) yield programOf(name, less);
    },
  };
};

/** Writes the body of a loop: what it stores is at its own element, or a sum of integers, so that no order can be seen. */
class Writer {
  private readonly floats: Value[];
  private readonly integers: Value[];

  constructor(
    private readonly b: Builder,
    private readonly numbers: Numbers,
    private readonly types: { readonly float: ScalarType; readonly integer: ScalarType },
    private readonly i: Value,
    private readonly depth = 0,
    known?: { readonly floats: readonly Value[]; readonly integers: readonly Value[] },
  ) {
    this.floats = [...(known?.floats ?? [b.load('x', i), b.load('y', i)])];
    this.integers = [...(known?.integers ?? [b.load('k', i), b.cast(i, types.integer)])];
  }

  /** The body of a loop over elements, which ends by storing what came last. */
  whole(): void {
    this.block();
    this.b.store('y', this.floats.at(-1)!, this.i);
    this.b.store('m', this.integers.at(-1)!, this.i);
  }

  private block(): void {
    for (let left = 1 + this.numbers.below(8); left > 0 && !this.numbers.done; left--) this.statement();
  }

  private statement(): void {
    const { b, numbers, i, depth } = this;
    switch (numbers.below(depth < DEEP ? 12 : 9)) {
      case 0:
        return void this.floats.push(b.load('y', i));
      case 1:
        return void this.integers.push(b.load('m', i));
      case 2:
        return b.store('y', this.float(), i);
      case 3:
        return b.store('m', this.integer(), i);
      case 4:
        return this.gather();
      case 5:
      case 6:
        return void this.floats.push(this.float());
      case 7:
      case 8:
        return void this.integers.push(this.integer());
      case 9:
        return this.branch();
      case 10:
        return this.loop();
      default:
        return this.search();
    }
  }

  /** Each element of `total` takes one kind, so that the order cannot be seen. */
  private gather(): void {
    const at = this.numbers.below(KINDS.length);
    this.b.atomic('total', KINDS[at]!, this.integer(), this.b.i32(at));
  }

  /** `if` that gives a number of each kind. */
  private branch(): void {
    const arm = (): readonly Value[] => {
      const inner = this.inner();
      inner.block();
      return [inner.float(), inner.integer()];
    };
    const [x, k] = this.b.if(this.truth(), arm, arm);
    this.floats.push(x!);
    this.integers.push(k!);
  }

  /** A loop that is counted and carries a number of each kind. */
  private loop(): void {
    const { b, numbers } = this;
    const trips = numbers.below(5);
    const inits = [this.float(), this.integer()];
    const [x, k] = b.for(b.i32(0), b.i32(trips), b.i32(1), {}, inits, (j, [x, k]) => {
      const inner = this.inner([x!], [k!, b.cast(j, this.types.integer)]);
      inner.block();
      return [inner.float(), inner.integer()];
    });
    this.floats.push(x!);
    this.integers.push(k!);
  }

  /** A loop that ends by what it computes, and after a few iterations at the latest. */
  private search(): void {
    const { b, numbers } = this;
    const [k, count] = b.while(
      [this.integer(), b.i32(0)],
      ([k, count]) => {
        const most = b.cmp('lt', count!, b.i32(1 + numbers.below(6)));
        return [b.and(most, b.cmp('gt', k!, b.constant(0, this.types.integer))), k!, count!];
      },
      ([k, count]) => {
        const inner = this.inner([], [k!]);
        inner.block();
        return [b.shr(inner.integer(), b.constant(1, this.types.integer)), b.add(count!, b.i32(1))];
      },
    );
    this.integers.push(k!, b.cast(count!, this.types.integer));
  }

  private inner(floats: readonly Value[] = [], integers: readonly Value[] = []): Writer {
    return new Writer(this.b, this.numbers, this.types, this.i, this.depth + 1, {
      floats: [...this.floats, ...floats],
      integers: [...this.integers, ...integers],
    });
  }

  /** One of the last few, so that most of what is computed is used. */
  private recent(of: readonly Value[]): Value {
    return of[of.length - 1 - this.numbers.below(Math.min(of.length, 4))]!;
  }

  private float(): Value {
    const { b, numbers, types } = this;
    const a = this.recent(this.floats);
    switch (numbers.below(12)) {
      case 0:
        return a;
      case 1:
        return b.add(a, this.recent(this.floats));
      case 2:
        return b.sub(a, this.recent(this.floats));
      case 3:
        return b.mul(a, this.recent(this.floats));
      case 4:
        return b.div(a, b.constant(1 + numbers.below(7), types.float));
      case 5:
        return b.min(a, this.recent(this.floats));
      case 6:
        return b.max(a, this.recent(this.floats));
      case 7:
        return b.math(numbers.one(['abs', 'floor', 'ceil', 'sqrt']), a);
      case 8:
        return b.select(this.truth(), a, this.recent(this.floats));
      case 9:
        return b.cast(this.recent(this.integers), types.float);
      case 10:
        return b.neg(a);
      default:
        return b.constant((numbers.below(64) - 32) / 8, types.float);
    }
  }

  private integer(): Value {
    const { b, numbers, types } = this;
    const a = this.recent(this.integers);
    const number = (n: number): Value => b.constant(n, types.integer);
    switch (numbers.below(12)) {
      case 0:
        return a;
      case 1:
        return b.add(a, this.recent(this.integers));
      case 2:
        return b.sub(a, this.recent(this.integers));
      case 3:
        return b.mul(a, this.recent(this.integers));
      case 4:
        return b.div(a, number(1 + numbers.below(9)));
      case 5:
        return b.rem(a, number(1 + numbers.below(9)));
      case 6:
        return numbers.one([b.min, b.max]).call(b, a, this.recent(this.integers));
      case 7:
        return numbers.one([b.and, b.or, b.xor]).call(b, a, this.recent(this.integers));
      case 8:
        return numbers.one([b.shl, b.shr]).call(b, a, number(numbers.below(31)));
      case 9:
        return b.select(this.truth(), a, this.recent(this.integers));
      case 10:
        return b.cast(this.recent(this.floats), types.integer);
      default:
        return number(numbers.below(2000));
    }
  }

  private truth(): Value {
    const { b, numbers } = this;
    const predicate = numbers.one(['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const);
    const side = numbers.one([this.floats, this.integers]);
    const [x, y] = [this.recent(side), this.recent(side)];
    /* Compilers warn of what is compared with itself. */
    const c = b.cmp(predicate, x, x.id === y.id ? b.constant(1, x.type) : y);
    return numbers.below(3) === 0 ? b.not(c) : c;
  }
}
