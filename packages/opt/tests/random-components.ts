import {
  buildKernel,
  declareBuffer,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const size = 48;

const buffersOf = (type: 'f32' | 'f64'): readonly Buffer[] => [
  declareBuffer('x', type, size, 'inout'),
  declareBuffer('y', type, size, 'inout'),
  declareBuffer('at', 'i32', 4, 'input'),
  declareBuffer('s', type, size, 'scratch'),
];

export const componentInputs = (module: Module, seed: number): Record<string, TypedArray> => {
  const f64 = module.buffers[0]!.type === 'f64';
  const numbers = (salt: number): TypedArray => {
    const list = Array.from({ length: size }, (_, k) => {
      const x = (Math.imul(seed + k + salt, 0x9e3779b1) >>> 12) % 97;
      return x === 0 ? -0 : x === 1 ? Infinity : x === 2 ? NaN : (x - 40) / 8;
    });
    return f64 ? Float64Array.from(list) : Float32Array.from(list);
  };
  return { x: numbers(1), y: numbers(99), at: Int32Array.from({ length: 4 }, (_, k) => (seed * (k + 3)) % 12) };
};

/** Straight-line code on the components of nodes: what neighbours have in common, with a few that differ, in no good order. */
export const randomComponents = (choose: Choose): Module => {
  const type = choose(3) === 0 ? 'f64' : 'f32';
  const buffers = buffersOf(type);
  return makeModule('m', buffers, [
    buildKernel(
      'k',
      {},
      (b) => {
        b.for(b.i32(0), b.i32(size), b.i32(1), {}, [], (k) => b.store('s', b.load('x', k), k));
        const bases = [b.i32(8), b.load('at', b.i32(0)), b.mul(b.load('at', b.i32(1)), b.i32(3))];
        const body = (): void => new Components(b, choose, type, bases).write();
        if (choose(2) === 0) body();
        else b.for(b.i32(0), b.i32(1 + choose(3)), b.i32(1), {}, [], body);
        b.for(b.i32(0), b.i32(size), b.i32(1), {}, [], (k) => b.store('y', b.add(b.load('y', k), b.load('s', k)), k));
      },
      buffers,
    ),
  ]);
};

class Components {
  private readonly values: Value[];

  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
    type: 'f32' | 'f64',
    private readonly bases: readonly Value[],
  ) {
    this.values = [0, 0.75, -2].map((x) => b.constant(x, type));
  }

  write(): void {
    const { choose } = this;
    let lanes = this.loads();
    for (let k = 4 + choose(12); k > 0; k--) {
      const what = choose(8);
      if (what === 0) lanes = this.loads();
      else if (what === 1) this.stores(lanes);
      else {
        const other = choose(3) === 0 ? this.loads(lanes.length) : lanes.map(() => this.any());
        const shared = this.any();
        const kind = this.pick(['add', 'sub', 'mul', 'div', 'neg', 'add', 'mul'] as const);
        const uses = choose(3);
        lanes = lanes.map((x, lane) => {
          /* A lane that the others do not look like. */
          if (choose(24) === 0) return this.any();
          const y = uses === 0 ? other[lane]! : uses === 1 ? shared : x;
          return this.op(kind, ...((choose(4) === 0 ? [y, x] : [x, y]) as [Value, Value]));
        });
        this.values.push(...lanes);
      }
    }
    this.stores(lanes);
  }

  private op(kind: 'add' | 'sub' | 'mul' | 'div' | 'neg', x: Value, y: Value): Value {
    return kind === 'neg' ? this.b.neg(x) : this.b[kind](x, y);
  }

  /** Elements one after the other, in any order. */
  private loads(count = 2 + this.choose(4)): Value[] {
    const [buffer, base, from] = [this.pick(['x', 'y', 's']), this.pick(this.bases), this.choose(4)];
    const loaded = this.shuffled(count).map((k) => [k, this.b.load(buffer, this.at(base, from + k))] as const);
    const lanes = loaded.sort(([a], [b]) => a - b).map(([, v]) => v);
    this.values.push(...lanes);
    return lanes;
  }

  private stores(lanes: readonly Value[]): void {
    const [buffer, base, from] = [this.pick(['x', 'y', 's']), this.pick(this.bases), this.choose(4)];
    const sum = this.choose(2) === 0;
    for (const k of this.shuffled(lanes.length)) {
      const at = this.at(base, from + k);
      this.b.store(buffer, sum ? this.b.add(this.b.load(buffer, at), lanes[k]!) : lanes[k]!, at);
    }
  }

  private at(base: Value, offset: number): Value {
    return offset === 0 ? base : this.b.add(base, this.b.i32(offset));
  }

  private shuffled(count: number): number[] {
    const order = Array.from({ length: count }, (_, k) => k);
    if (this.choose(2) === 0) order.reverse();
    return order;
  }

  private any(): Value {
    return this.pick(this.values);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.choose(list.length)]!;
  }
}
