import {
  allocateArray,
  buildKernel,
  declareBuffer,
  makeModule,
  type AtomicKind,
  type Buffer,
  type Builder,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const size = 8;
const targets: readonly Buffer[] = [
  declareBuffer('i', 'i32', size, 'inout'),
  declareBuffer('w', 'u64', size, 'inout'),
  declareBuffer('f', 'f64', size, 'inout'),
  declareBuffer('t', 'i1', size, 'inout'),
  declareBuffer('n', 'i8', size, 'temp'),
];
const buffers: readonly Buffer[] = [
  ...targets,
  declareBuffer('x', 'i32', 16, 'input'),
  declareBuffer('out', 'i8', size, 'output'),
  declareBuffer('s', 'i32', 2, 'scratch'),
];

export const reductionInputs = (seed: number): Record<string, TypedArray> => {
  const out: Record<string, TypedArray> = {};
  for (const b of buffers) {
    if (b.role === 'temp' || b.role === 'scratch') continue;
    const data = allocateArray(b.type, b.length);
    for (let k = 0; k < b.length; k++) {
      const x = (Math.imul(seed + k + 1, 0x9e3779b1) >>> 8) % 21;
      data[k] = (data instanceof BigUint64Array ? BigInt(x) : b.type === 'i1' ? x % 2 : x - 8) as never;
    }
    out[b.name] = data;
  }
  return out;
};

const kinds: Readonly<Record<string, readonly AtomicKind[]>> = {
  f64: ['add', 'min', 'max'],
  i1: ['and', 'or', 'xor'],
  integer: ['add', 'min', 'max', 'and', 'or', 'xor'],
};

/**
 * Parallel loops around loops, branches and atomics; all results are whole numbers, so that the order of sums does not count.
 *
 * @param teams whether some of the loops within are for teams
 */
export const randomReductions = (choose: Choose, teams = false): Module =>
  makeModule('m', buffers, [
    buildKernel(
      'k',
      { n: 'i32' },
      (b, { n }) => {
        const writer = new Writer(b, choose, teams, [b.i32(0), b.i32(3), b.and(n, b.i32(size - 1)), n]);
        for (let k = 1 + choose(3); k > 0; k--) writer.parallelLoop();
        b.for(b.i32(0), b.i32(size), b.i32(1), {}, [], (j) => b.store('out', b.load('n', j), j));
      },
      buffers,
    ),
  ]);

class Writer {
  constructor(
    private readonly b: Builder,
    private readonly choose: Choose,
    private readonly teams: boolean,
    private scope: readonly Value[],
  ) {}

  parallelLoop(): void {
    const { b, choose } = this;
    const attrs = this.pick([
      { parallel: true },
      { parallel: true, simd: true },
      { parallel: true, schedule: 'dynamic' },
    ]);
    this.loop(attrs, b.i32(this.pick([1, 1, 2, 3])), 1 + choose(4), 0, choose(4) === 0);
  }

  private loop(
    attrs: Record<string, boolean | string>,
    step: Value,
    count: number,
    depth: number,
    scratch = false,
  ): void {
    const { b, choose } = this;
    const wide = choose(4) === 0;
    const [from, to] = [
      this.pick([b.i32(0), b.i32(-3), ...this.scope.slice(0, 2)]),
      this.pick([b.i32(choose(20)), ...this.scope]),
    ];
    const [lb, ub, by] = wide ? [from, to, step].map((v) => b.cast(v, 'i64')) : [from, to, step];
    const outer = this.scope;
    b.for(lb!, ub!, by!, attrs, [], (iv) => {
      this.scope = [...outer, wide ? b.cast(iv, 'i32') : iv];
      if (scratch) {
        b.store('s', this.value(), b.i32(1));
        this.scope = [...this.scope, b.load('s', b.i32(1))];
      }
      for (let k = 0; k < count; k++) this.statement(depth + 1);
    });
    this.scope = outer;
  }

  /* Nearly all count from 0 by 1. */
  private teamLoop(): void {
    const { b, choose } = this;
    const outer = this.scope;
    const by = this.pick([1, 1, 1, 2]);
    b.for(
      b.i32(this.pick([0, 0, 0, 1])),
      this.pick([b.i32(choose(20)), ...outer]),
      b.i32(by),
      { team: true },
      [],
      (iv) => {
        this.scope = [...outer, iv];
        for (let k = 1 + choose(2); k > 0; k--) this.statement(3);
      },
    );
    this.scope = outer;
  }

  private statement(depth: number): void {
    const { b, choose } = this;
    if (this.teams && depth < 3 && choose(3) === 0) return this.teamLoop();
    if (this.teams && choose(12) === 0) b.op('mem.fence', [], { order: 'both' });
    const kind = choose(depth > 2 ? 4 : 8);
    if (kind < 4) return this.atomic();
    if (kind < 6) {
      const arm = (count: number) => (): void => {
        const outer = this.scope;
        for (let k = 0; k < count; k++) this.statement(depth + 1);
        this.scope = outer;
      };
      return void b.if(b.cmp('lt', this.value(), this.value()), arm(1 + choose(2)), arm(choose(2)));
    }
    if (kind === 6)
      return this.loop(
        this.pick([{}, this.teams ? {} : { parallel: true }, { simd: true }]),
        b.i32(1 + choose(2)),
        1 + choose(2),
        depth,
      );
    const outer = this.scope;
    b.while(
      [b.and(this.value(), b.i32(3))],
      ([left]) => [b.cmp('gt', left!, b.i32(0)), left!],
      ([left]) => {
        this.scope = [...outer, left!];
        this.statement(depth + 1);
        return b.sub(left!, b.i32(1));
      },
    );
    this.scope = outer;
  }

  /** Mostly on an element that the loop does not change; sometimes with a use of what was there, or a read beside it. */
  private atomic(): void {
    const { b, choose } = this;
    const target = this.pick(targets);
    const type = target.type;
    const index = choose(3) === 0 ? b.i32(choose(size)) : b.and(this.value(), b.i32(size - 1));
    const value = type === 'i1' ? b.cmp('lt', this.value(), this.value()) : b.cast(this.value(), type);
    const family = type === 'f64' || type === 'i1' ? type : 'integer';
    b.atomic(target.name, this.pick(kinds[family]!), value, index);
    /* Threads of a team may not read what others change meanwhile, and which of them comes first is open. */
    if (!this.teams && choose(12) === 0)
      b.atomic('i', 'add', b.atomic('i', 'add', this.value(), b.i32(0)), b.i32(choose(2)));
    if (!this.teams && choose(12) === 0) b.atomic('i', 'add', b.load('i', b.i32(choose(3))), b.i32(choose(3)));
  }

  private value(): Value {
    const { b, choose } = this;
    const v = this.pick(this.scope.slice(-3));
    const kind = choose(4);
    if (kind === 0) return b.load('x', b.and(v, b.i32(15)));
    return kind === 1 ? b.add(v, b.i32(choose(5))) : kind === 2 ? b.i32(choose(9) - 3) : v;
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.choose(items.length)]!;
  }
}
