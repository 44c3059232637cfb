import {
  allocateArray,
  buildKernel,
  declareBuffer,
  makeModule,
  type Builder,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const size = 64;
const buffers = [
  declareBuffer('a', 'f64', size, 'input'),
  declareBuffer('b', 'f32', size, 'input'),
  declareBuffer('n', 'i32', size, 'input'),
  declareBuffer('o', 'f64', size, 'inout'),
  declareBuffer('p', 'f32', size, 'inout'),
];

export const nestInputs = (seed: number): Record<string, TypedArray> => {
  let state = seed | 1;
  const next = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
  return Object.fromEntries(
    buffers.map((b) => {
      const data = allocateArray(b.type, b.length) as Float64Array;
      return [b.name, data.map(() => (b.type === 'i32' ? next() % 8 : ((next() % 64) - 30) / 8))];
    }),
  );
};

/**
 * Loops for vector lanes with loops and branches in them that all iterations take alike, or not, and sums that go through
 * both. An iteration writes elements of its own only, and reads those of others from where nobody writes, or its own.
 */
export const randomNests = (choose: Choose): Module =>
  makeModule('nests', buffers, [
    buildKernel('nests', {}, (b) => new Nests(b, choose, choose(2) === 0 ? 'f64' : 'f32').kernel(), buffers),
  ]);

interface Scope {
  readonly floats: readonly Value[];
  readonly indices: readonly Value[];
  readonly conditions: readonly Value[];
}

class Nests {
  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
    /** Of the numbers that it computes with. */
    private readonly type: 'f32' | 'f64',
  ) {}

  kernel(): void {
    const { b } = this;
    const [i, x] = [b.load('n', b.i32(this.choose(size))), b.load(this.read, b.i32(this.choose(size)))];
    const scope: Scope = {
      floats: [x, b.constant(0.5, this.type)],
      indices: [i, b.i32(3)],
      conditions: [b.cmp('lt', i, b.i32(4)), b.cmp('lt', x, b.constant(1, this.type))],
    };
    for (let k = this.choose(3); k >= 0; k--) {
      const [first, lanes] = [this.choose(3), this.pick([2, 3, 4, 5, 8, 8, 12, 13, 16, 19, 37])];
      /* How many they are may be known when it runs alone, up to 21. */
      const end = this.choose(3) === 0 ? b.add(b.i32(first), b.mul(i, b.i32(3))) : b.i32(first + lanes);
      /* Where an index follows the lane, lanes do not lie side by side. */
      const follows = this.choose(4) === 0;
      const attrs = this.pick([{ simd: true }, { simd: true, parallel: true }]);
      b.for(b.i32(first), end, b.i32(1), attrs, [], (l) => {
        const inner = this.block(follows ? { ...scope, indices: [...scope.indices, l] } : scope, l, 3, 0);
        const [own, other] = this.type === 'f64' ? (['o', 'p'] as const) : (['p', 'o'] as const);
        b.store(own, this.pick(inner.floats), b.add(l, b.i32(this.choose(8))));
        if (this.choose(20) === 0)
          b.store(other, b.cast(this.latest(inner.floats), this.type === 'f64' ? 'f32' : 'f64'), l);
      });
    }
  }

  private get read(): 'a' | 'b' {
    return this.type === 'f64' ? 'a' : 'b';
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choose(items.length)]!;
  }

  private latest<T>(items: readonly T[]): T {
    return this.pick(items.slice(-3));
  }

  private block(scope: Scope, lane: Value, count: number, depth: number): Scope {
    let now = scope;
    for (let k = this.choose(count + 1); k >= 0; k--) now = this.statement(now, lane, depth);
    return now;
  }

  private statement(scope: Scope, lane: Value, depth: number): Scope {
    const { b } = this;
    const floats = (...values: readonly Value[]): Scope => ({ ...scope, floats: [...scope.floats, ...values] });
    switch (this.choose(depth < 3 ? 8 : 4)) {
      case 0:
        return floats(b.load(this.read, this.index(scope, lane)));
      case 1: {
        const x = b.load(this.choose(20) === 0 ? this.pick(['a', 'b']) : this.read, this.index(scope, lane));
        return floats(x.type === this.type ? x : b.cast(x, this.type));
      }
      case 2: {
        const [x, y] = [this.latest(scope.floats), this.latest(scope.floats)];
        const root = (): Value => b.value('math.sqrt', [b.value('math.abs', [x])]);
        const choice = (): Value => b.select(b.cmp('lt', x, y), x, b.add(y, y));
        const arithmetic = [() => b.add(x, y), () => b.mul(x, y), () => b.sub(x, y), () => b.neg(x)];
        return floats(this.pick([...arithmetic, ...arithmetic, root, choice, () => b.min(x, y), () => b.max(x, y)])());
      }
      case 3: {
        const [i, j] = [this.pick(scope.indices), this.pick(scope.indices)];
        const sum = this.pick([() => b.add(i, j), () => b.add(i, b.i32(2)), () => b.shl(i, b.i32(1))])();
        return { ...scope, indices: [...scope.indices, sum] };
      }
      case 4: {
        const condition =
          this.choose(20) === 0 ? b.cmp('lt', lane, b.i32(this.choose(4))) : this.pick(scope.conditions);
        const count = this.choose(3);
        const arm = (more: readonly Value[]) => {
          const inner = this.block({ ...scope, floats: [...scope.floats, ...more] }, lane, 3, depth + 1);
          return Array.from({ length: count }, () => this.latest(inner.floats));
        };
        /* Where the first index is less than 4 there is such an element. */
        const isThere = condition === scope.conditions[0] && this.choose(2) === 0;
        const element = (): readonly Value[] =>
          isThere ? [b.load(this.read, b.add(scope.indices[0]!, b.i32(size - 4)))] : [];
        return floats(
          ...b.if(
            condition,
            () => arm(element()),
            () => arm([]),
          ),
        );
      }
      case 5: {
        /* As long as it takes, or some iterations: lanes end one after the other. */
        const [x, y] = [this.latest(scope.floats), this.latest(scope.floats)];
        const most = this.choose(3) === 0 ? b.and(this.latest(scope.indices), b.i32(7)) : b.i32(this.choose(9));
        const [, ...results] = b.while(
          [b.i32(0), x, y],
          ([count, ...carried]) => {
            const [u, v] = carried as [Value, Value];
            const goesOn = b.and(b.cmp('lt', count!, most), b.cmp('lt', b.mul(u, u), b.constant(40, this.type)));
            return [goesOn, count!, u, this.choose(2) === 0 ? v : b.add(u, v)];
          },
          ([count, ...carried]) => {
            const inside = { ...scope, floats: [...scope.floats, ...carried], indices: [...scope.indices, count!] };
            /* Elements that are there for iterations that run alone. */
            const at = b.sub(b.add(count!, b.i32(size)), most);
            const before =
              this.choose(3) === 0 ? { ...inside, floats: [...inside.floats, b.load(this.read, at)] } : inside;
            const inner = this.block(before, lane, 2, this.choose(3) === 0 ? depth + 1 : 3);
            return [b.add(count!, b.i32(1)), this.latest(inner.floats), this.latest(inner.floats)];
          },
        );
        return floats(...results);
      }
      default: {
        const inits = Array.from({ length: this.choose(3) }, () => this.latest(scope.floats));
        const bound =
          this.choose(4) === 0 ? b.and(this.latest(scope.indices), b.i32(3)) : b.i32(this.pick([0, 1, 2, 3, 3, 21]));
        return floats(
          ...b.for(b.i32(0), bound, b.i32(1), {}, inits, (e, carried) => {
            const inside = { ...scope, floats: [...scope.floats, ...carried], indices: [...scope.indices, e] };
            const inner = this.block(inside, lane, 3, depth + 1);
            return inits.map(() => this.latest(inner.floats));
          }),
        );
      }
    }
  }

  /** Mostly the lane and something that is the same for all, which is where lanes lie side by side. */
  private index(scope: Scope, lane: Value): Value {
    const { b } = this;
    const near = b.and(this.latest(scope.indices), b.i32(15));
    return this.choose(6) === 0 ? near : b.add(this.choose(3) === 0 ? near : b.i32(this.choose(9)), lane);
  }
}
