import {
  allocateArray,
  buildKernel,
  constBuffer,
  declareBuffer,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  type ScalarType,
  type TypedArray,
  type Value,
} from '@filigree/ir';

/** A number in [0, n), one after the other from somewhere. */
export type Choose = (n: number) => number;

const size = 16;
const buffers: readonly Buffer[] = [
  declareBuffer('a', 'f64', size, 'inout'),
  declareBuffer('b', 'f32', size, 'inout'),
  declareBuffer('n', 'i32', size, 'inout'),
  declareBuffer('w', 'i64', size, 'inout'),
  declareBuffer('h', 'u16', size, 'input'),
  declareBuffer('o', 'f64', size, 'output'),
  declareBuffer('t', 'f64', size, 'temp'),
  declareBuffer('s', 'i32', size, 'temp'),
  declareBuffer('p', 'f64', size, 'scratch'),
  constBuffer('k', 'i32', [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]),
];

/** Inputs for `randomModule`, the same for the same seed. */
export const randomInputs = (seed: number): Record<string, TypedArray> => {
  let state = seed | 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) % 64;
  };
  const special = [0, -0, 1, -1, NaN, Infinity, 1e300, 5e-324];
  const out: Record<string, TypedArray> = {};
  for (const b of buffers) {
    if (b.role === 'const' || b.role === 'temp' || b.role === 'scratch') continue;
    const data = allocateArray(b.type, b.length);
    for (let i = 0; i < b.length; i++) {
      const x = next();
      if (data instanceof BigInt64Array || data instanceof BigUint64Array) data[i] = BigInt(x - 20);
      else data[i] = b.type.startsWith('f') ? (x < 8 ? special[x]! : (x - 30) / 8) : x - 20;
    }
    out[b.name] = data;
  }
  return out;
};

/** A small well-formed module whose every part is chosen by `choose`; it stays inside its buffers and always ends. */
export const randomModule = (choose: Choose): Module => {
  const kernels = Array.from({ length: 1 + choose(2) }, (_, i) =>
    buildKernel(`kernel_${i}`, {}, (b) => new Writer(b, choose).body(4 + choose(10)), buffers),
  );
  return makeModule('random', buffers, kernels);
};

type Scope = readonly Value[];

const floats: Readonly<Partial<Record<ScalarType, readonly string[]>>> = { f64: ['a', 'o', 't', 'p'], f32: ['b'] };
const writable: Readonly<Partial<Record<ScalarType, readonly string[]>>> = { ...floats, i32: ['n', 's'], i64: ['w'] };
const readable: Readonly<Partial<Record<ScalarType, readonly string[]>>> = {
  ...writable,
  i32: ['n', 's', 'k'],
  u16: ['h'],
};
const types: readonly ScalarType[] = ['f64', 'f32', 'i32', 'i64', 'u16', 'i1', 'u32', 'u64', 'i8', 'u8', 'i16'];

/** Weights of the kinds of statements; those with regions stand last. */
const statements = [0, 0, 0, 2, 2, 2, 2, 3, 3, 5, 5, 5, 7, 8, 9, 10, 11, 12, 13];

/** Appends random statements and expressions to a kernel. */
export class Writer {
  private readonly indices = new Set<Value>();

  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
    /** One operand in so many is a constant though a value would do. */
    private readonly constants = 5,
  ) {}

  /** Statements on values that no pass can know, and what came of them written down. */
  body(count: number): void {
    const { b } = this;
    const [zero, one] = [b.i32(0), b.i32(1)];
    const [n, a] = [b.load('n', zero), b.load('a', one)];
    const near = b.and(n, b.i32(3));
    for (const v of [zero, one, near]) this.indices.add(v);
    const start = [
      zero,
      one,
      near,
      n,
      a,
      b.load('a', near),
      b.cmp('lt', n, b.i32(9)),
      b.load('w', near),
      b.cast(a, 'f32'),
    ];
    this.fillScratch(a);
    const end = this.block(start, count, 0);
    end
      .filter((v) => v.type === 'f64')
      .slice(-6)
      .forEach((v, i) => b.store('o', v, b.i32(i)));
    end
      .filter((v) => v.type === 'i32')
      .slice(-4)
      .forEach((v, i) => b.store('n', v, b.i32(8 + i)));
  }

  /** Statements, with the values that they define in scope for those after them. */
  block(scope: Scope, count: number, depth: number): Scope {
    let now = scope;
    for (let i = 0; i < count; i++) now = [...now, ...this.statement(now, depth)];
    return now;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choose(items.length)]!;
  }

  private statement(scope: Scope, depth: number): Scope {
    const kind = this.pick(depth > 2 ? statements.slice(0, -6) : statements);
    if (kind < 2) return [this.expression(scope)];
    if (kind === 2) return this.update(scope);
    if (kind < 5) return this.load(scope);
    if (kind < 7) return this.store(scope);
    if (kind === 7) return this.atomic(scope);
    if (kind < 10) return this.branch(scope, depth);
    if (kind < 12) return this.loop(scope, depth);
    return kind === 12 ? this.simdLoop(scope) : this.whileLoop(scope, depth);
  }

  /** A value of this type: mostly one of the latest in scope, so that what was computed has an effect. */
  private of(type: ScalarType, scope: Scope): Value {
    const fitting = scope.filter((v) => v.type === type);
    if (fitting.length > 0 && this.choose(this.constants) > 0)
      return this.pick(this.choose(3) > 0 ? fitting.slice(-2) : fitting);
    if (type === 'i1') return this.b.constant(this.choose(2) === 1, 'i1');
    if (type === 'f64' || type === 'f32')
      return this.b.constant(
        this.pick(this.choose(6) === 0 ? [NaN, Infinity, -0] : [0, -0, 1, -1, 2, 0.5, 3.25]),
        type,
      );
    return this.b.constant(
      this.pick(type.startsWith('u') ? [0, 1, 2, 8, type === 'u8' ? 255 : 65535] : [0, 1, -1, 2, 4, 7, 100]),
      type,
    );
  }

  /** A value of any type from those in scope. */
  expression(scope: Scope): Value {
    const { b } = this;
    const type = this.pick(types);
    const [x, y] = [this.of(type, scope), this.of(type, scope)];
    if (type === 'i1')
      return this.pick([
        () => b.and(x, y),
        () => b.or(x, y),
        () => b.not(x),
        () => b.xor(x, y),
        () => b.select(x, y, x),
      ])();
    const common = [
      () => b.add(x, y),
      () => b.sub(x, y),
      () => b.mul(x, y),
      () => b.min(x, y),
      () => b.max(x, y),
      () => b.neg(x),
      () => b.cmp(this.pick(['lt', 'le', 'gt', 'ge', 'eq', 'ne']), x, y),
      () => b.select(b.cmp(this.pick(['lt', 'ge']), x, y), x, y),
      () => b.select(this.of('i1', scope), x, y),
      () => b.cast(x, this.pick(types.filter((t) => t !== 'i1'))),
      () => b.cast(b.cast(x, this.pick(types)), this.pick(types.filter((t) => t !== 'i1'))),
      () => b.not(b.cmp(this.pick(['lt', 'le', 'gt', 'ge', 'eq', 'ne']), x, y)),
    ];
    const floating = [
      () => b.div(x, y),
      () => b.math('abs', x),
      () => b.math('sqrt', x),
      () => b.fma(x, y, x),
      () => b.rem(x, y),
    ];
    const whole = [
      () => b.and(x, y),
      () => b.or(x, y),
      () => b.xor(x, y),
      () => b.not(x),
      () => b.shl(x, y),
      () => b.shr(x, y),
      () => b.div(x, b.or(y, b.constant(1, type))),
      () => b.rem(x, this.nonZero(type)),
      () => b.div(x, this.nonZero(type)),
    ];
    return this.pick([...common, ...(type.startsWith('f') ? floating : whole)])();
  }

  private nonZero(type: ScalarType): Value {
    return this.b.constant(this.pick([1, 2, 3, 4]), type);
  }

  /** An index in [0, 16): one used before, a counter plus a constant, a constant, or any integer masked. */
  private index(scope: Scope): Value {
    const index = this.anyIndex(scope);
    this.indices.add(index);
    return index;
  }

  private anyIndex(scope: Scope): Value {
    const { b } = this;
    const used = scope.filter((v) => this.indices.has(v));
    const counters = scope.filter((v) => v.hint === 'i');
    const kind = this.choose(6);
    if (kind < 2 && used.length > 0) return this.pick(used);
    if (kind < 4 && counters.length > 0) {
      const i = this.pick(counters.slice(-2));
      return this.choose(3) === 0 ? i : b.add(i, b.constant(this.choose(3), i.type));
    }
    if (kind === 4) return b.i32(this.choose(3));
    return b.and(this.of('i32', scope), b.i32(this.pick([3, size - 1])));
  }

  /** Few buffers are used much, so that accesses meet. */
  private buffer(names: readonly string[]): string {
    return this.choose(4) > 0 ? names[0]! : this.pick(names);
  }

  private load(scope: Scope): Scope {
    const index = this.index(scope);
    return [
      index,
      this.b.load(this.buffer(readable[this.pick(['f64', 'f64', 'i32', 'f32', 'i64', 'u16'] as const)]!), index),
    ];
  }

  private store(scope: Scope): Scope {
    const type = this.pick(['f64', 'f64', 'i32', 'f32', 'i64'] as const);
    const index = this.index(scope);
    this.b.store(this.buffer(writable[type]!), this.of(type, scope), index);
    return [index];
  }

  /** Reads an element, computes with it, and writes it back to the same or another one. */
  private update(scope: Scope): Scope {
    const { b } = this;
    const type = this.pick(['f64', 'f64', 'i32', 'f32'] as const);
    const [from, to] = [this.index(scope), this.index(scope)];
    const old = b.load(this.buffer(writable[type]!), from);
    const value = this.choose(2) === 0 ? b.add(old, this.of(type, scope)) : b.sub(this.of(type, scope), old);
    b.store(this.buffer(writable[type]!), value, this.choose(3) === 0 ? from : to);
    return [from, to, old, value];
  }

  private atomic(scope: Scope): Scope {
    const type = this.pick(['f64', 'i32'] as const);
    return [
      this.b.atomic(
        this.buffer(writable[type]!),
        this.pick(['add', 'min', 'exchange']),
        this.of(type, scope),
        this.index(scope),
      ),
    ];
  }

  /** Writes every element of the scratch buffer, as must be done before any is read. */
  private fillScratch(value: Value): void {
    const { b } = this;
    b.for(b.i32(0), b.i32(size), b.i32(1), {}, [], (i) => b.store('p', value, i));
  }

  private branch(scope: Scope, depth: number): Scope {
    const results = Array.from({ length: this.choose(3) }, () => this.pick(['f64', 'i32', 'i1'] as const));
    const arm = () => {
      const inner = this.block(scope, this.choose(4), depth + 1);
      return results.map((t) => this.of(t, inner));
    };
    return this.b.if(this.of('i1', scope), arm, arm);
  }

  private loop(scope: Scope, depth: number): Scope {
    const { b } = this;
    const type = this.pick(['i32', 'i64'] as const);
    // Bounds that are sometimes known and sometimes read, but always within [0, 8].
    const bound = (): Value =>
      this.choose(2) === 0
        ? b.constant(this.choose(9), type)
        : b.cast(b.and(b.load('n', b.i32(this.choose(4))), b.i32(7)), type);
    const [lb, ub, step] = [bound(), bound(), b.constant(1 + this.choose(3), type)];
    const inits = Array.from({ length: this.choose(3) }, () =>
      this.of(this.pick(['f64', 'i32', 'i1'] as const), scope),
    );
    return b.for(lb, ub, step, {}, inits, (i, carried) => {
      const inner = this.block([...scope, i, ...carried], this.choose(6), depth + 1);
      return inits.map((v) => this.of(v.type as ScalarType, inner));
    });
  }

  /** A loop whose iterations are independent: what it writes it touches at its own element only. */
  private simdLoop(scope: Scope): Scope {
    const { b } = this;
    const attrs = this.pick([{ simd: true }, { simd: true, parallel: true }, { parallel: true }]);
    const type = this.pick(['i32', 'i64'] as const);
    const bound =
      this.choose(2) === 0 ? b.constant(this.choose(9), type) : b.cast(b.and(b.load('n', b.i32(2)), b.i32(7)), type);
    const outside = scope.filter((v) => typeof v.type === 'string');
    b.for(b.constant(this.choose(3), type), bound, b.constant(1, type), attrs, [], (i) => {
      let inner: Scope = [...outside, i];
      const own = b.add(i, b.constant(this.choose(8), type));
      for (let k = this.choose(6); k >= 0; k--) {
        const value =
          this.choose(3) === 0 ? b.load(this.pick(['k', 'h', 'w', 'b']), this.index(inner)) : this.expression(inner);
        inner = [...inner, value];
      }
      if (this.choose(2) === 0) inner = [...inner, b.load('o', own)];
      if ('parallel' in attrs && this.choose(2) === 0) inner = [...inner, ...this.useScratch(inner)];
      b.store('o', this.of('f64', inner), own);
      if (this.choose(2) === 0) b.store('n', this.of('i32', inner), this.choose(2) === 0 ? own : i);
    });
    if ('parallel' in attrs) this.fillScratch(this.of('f64', scope));
    return [];
  }

  /** In an iteration of a parallel loop: some elements of the scratch buffer are written and read again. */
  private useScratch(scope: Scope): Scope {
    const { b } = this;
    const at = b.i32(this.choose(4));
    b.store('p', this.of('f64', scope), at);
    const old = b.atomic('p', this.pick(['add', 'max', 'exchange']), this.of('f64', scope), at);
    return [old, b.load('p', at)];
  }

  private whileLoop(scope: Scope, depth: number): Scope {
    const { b } = this;
    const extra = this.of('f64', scope);
    const limit = b.i32(this.choose(4));
    return b.while(
      [b.i32(0), extra],
      ([n, x]) => {
        const inner = this.block([...scope, n!, x!], this.choose(3), depth + 1);
        return [b.cmp('lt', n!, limit), n!, this.of('f64', inner)];
      },
      ([n, x]) => {
        const inner = this.block([...scope, n!, x!], this.choose(3), depth + 1);
        return [b.add(n!, b.i32(1)), this.of('f64', inner)];
      },
    );
  }
}
