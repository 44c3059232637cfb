import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Builder,
  type Module,
  type ScalarType,
  type Type,
  type TypedArray,
  type Value,
  allocateArray,
  buildKernel,
  constBuffer,
  coreDialects,
  declareBuffer,
  interpret,
  isFloat,
  lanesOf,
  makeModule,
  sameType,
  scalarOf,
} from '@filigree/ir';
import { wasm } from '@filigree/backend-wasm';
import { loaded, value } from './helpers.js';

const size = 64;
const types = ['f64', 'f32', 'i32', 'u32', 'i64', 'u64', 'i16', 'u16', 'i8', 'u8'] as const;
const widths = [1, 1, 2, 3, 4, 8];

const buffers = [
  ...types.map((t) => declareBuffer(t, t, size, 'inout')),
  constBuffer(
    'table',
    'i32',
    Array.from({ length: size }, (_, k) => (k * 29) % size),
  ),
  constBuffer(
    'signed',
    'i32',
    Array.from({ length: size }, (_, k) => ((k * 29) % size) - 32),
  ),
];

/** Random kernels: straight code, carried values, branches and vectors over buffers of every type; indices always in bounds. */
class Writer {
  private readonly known: Value[][] = [[]];

  constructor(
    private readonly b: Builder,
    private readonly choose: (n: number) => number,
  ) {}

  block(length: number, depth: number): void {
    for (let k = 0; k < length; k++) this.step(depth);
  }

  private step(depth: number): void {
    const { b, choose } = this;
    const kind = choose(depth > 0 ? 14 : 11);
    if (kind < 3) this.keep(this.arithmetic());
    else if (kind < 5) this.keep(this.load());
    else if (kind < 7) this.store();
    else if (kind === 7) this.keep(b.cast(this.any(), this.pick(types)));
    else if (kind === 8) this.keep(this.selection());
    else if (kind === 9) this.lanes();
    else if (kind === 10) this.keep(this.atomic());
    else if (kind === 11) this.branch(depth);
    else this.loop(depth);
  }

  private arithmetic(): Value {
    const { b } = this;
    const a = this.any();
    const c = this.like(a.type);
    if (isFloat(a.type))
      return b.value(this.pick(['arith.add', 'arith.sub', 'arith.mul', 'arith.min', 'arith.max', 'arith.div']), [a, c]);
    const name = this.pick(['add', 'sub', 'mul', 'min', 'max', 'and', 'or', 'xor', 'shl', 'shr', 'div']);
    return b.value(`arith.${name}`, [a, name === 'div' ? b.or(c, this.constant(1, c.type)) : c]);
  }

  private selection(): Value {
    const a = this.any();
    const predicate = this.pick(['lt', 'le', 'eq', 'ne', 'ge'] as const);
    const condition = this.b.cmp(predicate, a, this.like(a.type));
    const both =
      this.choose(3) === 0 ? this.b.not(this.b.and(condition, this.b.cmp('ne', a, this.like(a.type)))) : condition;
    const width = lanesOf(a.type);
    const x = this.any(width);
    return this.b.select(both, x, this.like(x.type));
  }

  private load(): Value {
    const lanes = this.pick(widths);
    const buffer = this.pick([...types, 'table']);
    return lanes > 1 && this.choose(2) === 0
      ? this.b.gather(buffer, this.indices(lanes))
      : this.b.load(buffer, this.index(lanes), lanes);
  }

  private store(): void {
    const v = this.any();
    const lanes = lanesOf(v.type);
    const buffer = scalarOf(v.type);
    if (lanes > 1 && this.choose(2) === 0) this.b.scatter(buffer, v, this.indices(lanes));
    else this.b.store(buffer, v, this.index(lanes));
  }

  private lanes(): void {
    const v = this.any(this.pick([2, 3, 4, 8]));
    const lane = this.choose(lanesOf(v.type));
    const kind = this.choose(3);
    if (kind === 0) this.keep(this.b.reduce(this.pick(['add', 'min', 'max', 'mul']), v));
    else if (kind === 1) this.keep(this.b.extract(v, lane));
    else this.keep(this.b.insert(v, this.like(scalarOf(v.type)), lane));
  }

  private atomic(): Value {
    const type = this.pick(['i32', 'u16', 'f64', 'i8', 'u64'] as const);
    const kind = this.pick(['add', 'min', 'max', 'exchange'] as const);
    return this.b.atomic(type, kind, this.b.cast(this.any(1), type), this.index(1));
  }

  private branch(depth: number): void {
    const a = this.any(1);
    const yields = [this.any(), this.any()];
    const arm = () =>
      this.scoped(() => {
        this.block(1 + this.choose(4), depth - 1);
        return yields.map((v) => this.like(v.type));
      });
    this.b.if(this.b.cmp('lt', a, this.like(a.type)), arm, arm).forEach((v) => this.keep(v));
  }

  private loop(depth: number): void {
    const { b, choose } = this;
    const inits = [this.any(), this.any()];
    const parallel = choose(3) === 0;
    const bounds = [b.i32(choose(3)), b.i32(choose(9)), b.i32(1 + choose(2))] as const;
    const body = (i: Value, carried: readonly Value[]) =>
      this.scoped(() => {
        [i, ...carried].forEach((v) => this.keep(v));
        this.block(1 + choose(5), depth - 1);
        return parallel ? [] : inits.map((v) => this.like(v.type));
      });
    b.for(...bounds, parallel ? { parallel } : {}, parallel ? [] : inits, body).forEach((v) => this.keep(v));
  }

  /** An index with room for so many lanes, of one of the forms that addresses are taken apart in. */
  private index(lanes: number): Value {
    const { b } = this;
    const small = b.and(b.cast(this.any(1), 'i32'), b.i32(15));
    const offset = b.i32(this.choose(size - 48 - lanes + 1));
    const kind = this.choose(5);
    if (kind === 0) return b.add(small, offset);
    if (kind === 1) return b.sub(b.add(small, b.i32(20)), b.i32(this.choose(20)));
    if (kind === 2) return b.add(b.mul(small, b.i32(2)), offset);
    if (kind === 3) return b.add(b.shl(small, b.constant(1, 'i32')), b.add(small, offset));
    return b.cast(b.add(b.rem(b.load('signed', small), b.i32(16)), b.i32(16)), this.pick(['i32', 'i64']));
  }

  private indices(lanes: number): Value {
    const { b } = this;
    const start = b.and(b.cast(this.any(1), 'i32'), b.i32(7));
    const kind = this.choose(4);
    if (kind === 0) return b.iota(start, lanes);
    if (kind === 1) return b.mul(b.iota(start, lanes), b.splat(b.i32(3), lanes));
    if (kind === 2) return b.load('table', start, lanes);
    return b.add(
      b.and(b.cast(this.any(lanes), 'i32'), b.splat(b.i32(31), lanes)),
      b.add(b.splat(start, lanes), b.constant(4, { lanes, of: 'i32' })),
    );
  }

  /** A known value, of so many lanes if that is said. */
  private any(lanes?: number): Value {
    const all = this.known.flat().filter((v) => lanes === undefined || lanesOf(v.type) === lanes);
    if (all.length > 0 && this.choose(8) > 0) return all[Math.max(0, all.length - 1 - this.choose(10))];
    return this.constant(
      this.choose(20) - 6,
      lanes === undefined || lanes === 1 ? this.pick(types) : { lanes, of: this.pick(types) },
    );
  }

  private like(type: Type): Value {
    const all = this.known.flat().filter((v) => sameType(v.type, type));
    return all.length > 0 && this.choose(6) > 0
      ? all[Math.max(0, all.length - 1 - this.choose(6))]
      : this.constant(this.choose(9) - 3, type);
  }

  private constant(n: number, type: Type): Value {
    const of = scalarOf(type);
    return this.b.constant(isFloat(of) ? n / 2 : of.startsWith('u') ? Math.abs(n) : n, type);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choose(items.length)];
  }

  private keep(v: Value): void {
    this.known[this.known.length - 1].push(v);
  }

  private scoped<T>(run: () => T): T {
    this.known.push([]);
    try {
      return run();
    } finally {
      this.known.pop();
    }
  }
}

const randomModule = (seed: number): Module => {
  let state = seed | 0;
  const choose = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * n);
  };
  return makeModule('random', buffers, [buildKernel('k', {}, (b) => new Writer(b, choose).block(30, 3), buffers)]);
};

const filled = (type: ScalarType, seed: number): TypedArray => {
  const data = allocateArray(type, size);
  for (let k = 0; k < size; k++) {
    const n = ((seed + 7 * k) % 101) - (type.startsWith('u') ? 0 : 50);
    data[k] = (
      data instanceof BigInt64Array || data instanceof BigUint64Array
        ? BigInt(Math.abs(n))
        : n / (isFloat(type) ? 4 : 1)
    ) as never;
  }
  return data;
};

describe('random kernels', () => {
  it('give what the interpreter gives, to the bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const module = randomModule(seed);
        const want = Object.fromEntries(types.map((t) => [t, filled(t, seed & 63)]));
        const program = await loaded(module, wasm());
        for (const t of types) (program.buffers[t] as Float64Array).set(filled(t, seed & 63) as Float64Array);
        value(interpret(module, coreDialects, want));
        program.run();
        for (const t of types) expect(program.buffers[t]).toEqual(want[t]);
        program.dispose();
      }),
      { numRuns: 150 },
    );
  });
});
