import { describe, expect, test } from 'vitest';
import {
  buildKernel,
  coreDialects,
  constBuffer,
  declareBuffer,
  interpret,
  makeModule,
  printModule,
  verifyModule,
} from '@filigree/ir';
import { right } from './right.js';

describe('builder', () => {
  test('makes equal ops once where it is asked to, and only those in scope that nothing can tell apart', () => {
    const buffers = [declareBuffer('x', 'f64', 8, 'inout')];
    const kernel = buildKernel(
      'shared',
      { n: 'i32', c: 'i1' },
      (b, { n, c }) => {
        const sum = b.add(n, b.i32(1));
        expect(b.add(b.i32(1), n)).toBe(sum);
        expect(b.sub(b.i32(1), n)).not.toBe(b.sub(n, b.i32(1)));
        expect(b.i64(1)).not.toBe(b.i32(1));
        expect(b.f64(-0)).not.toBe(b.f64(0));
        expect(b.cmp('lt', n, sum)).not.toBe(b.cmp('le', n, sum));
        expect(b.load('x', n)).not.toBe(b.load('x', n));
        const inner: unknown[] = [];
        b.if(
          c,
          () => {
            expect(b.add(n, b.i32(1))).toBe(sum);
            inner.push(b.mul(n, n));
            return [];
          },
          () => {
            inner.push(b.mul(n, n));
            return [];
          },
        );
        inner.push(b.mul(n, n));
        expect(new Set(inner).size).toBe(3);
      },
      buffers,
      { share: true },
    );
    expect(verifyModule(makeModule('m', buffers, [kernel]), coreDialects)).toEqual([]);
  });

  test('builds loops, branches and whiles that read as written', () => {
    const buffers = [declareBuffer('x', 'f64', 8, 'inout'), constBuffer('w', 'f32', [0.5, 2])];
    const kernel = buildKernel(
      'clip',
      { n: 'i32', top: 'f64' },
      (b, { n, top }) => {
        b.for(b.i32(0), n, b.i32(1), { parallel: true }, [], (i) => {
          const x = b.load('x', i);
          const [y] = b.if(
            b.cmp('gt', x, top),
            () => top,
            () => b.mul(x, b.cast(b.load('w', b.i32(1)), 'f64')),
          );
          b.store('x', y, i);
        });
      },
      buffers,
    );
    const m = makeModule('m', buffers, [kernel]);
    expect(verifyModule(m, coreDialects)).toEqual([]);
    expect(printModule(m)).toBe(`module @m {
  buffer @x : f64[8] inout
  buffer @w : f32[2] const = [0.5, 2]
  kernel @clip(%n: i32, %top: f64) {
    %2 = arith.constant {value = 0} : i32
    %3 = arith.constant {value = 1} : i32
    scf.for %2, %n, %3 {parallel = true} {
    ^(%i: i32):
      %5 = mem.load %i {buffer = @x} : f64
      %6 = arith.cmp %5, %top {predicate = gt} : i1
      %7 = scf.if %6 {
        scf.yield %top
      } {
        %8 = arith.constant {value = 1} : i32
        %9 = mem.load %8 {buffer = @w} : f32
        %10 = arith.cast %9 {to = f64} : f64
        %11 = arith.mul %5, %10 : f64
        scf.yield %11
      } : f64
      mem.store %7, %i {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}
`);
    const x = Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    right(interpret(m, coreDialects, { x }, { kernel: 'clip', args: [4, 2.5] }));
    expect([...x]).toEqual([2, 4, 2.5, 2.5, 5, 6, 7, 8]);
  });

  test('while: the carried values of the last test are the results', () => {
    const buffers = [declareBuffer('out', 'i64', 2, 'output')];
    const kernel = buildKernel(
      'collatz',
      { n: 'i64' },
      (b, { n }) => {
        const [one, two] = [b.i64(1), b.i64(2)];
        const [last, steps] = b.while(
          [n, b.i64(0)],
          ([x, count]) => [b.cmp('ne', x, one), x, count],
          ([x, count]) => {
            const even = b.cmp('eq', b.rem(x, two), b.i64(0));
            return [b.select(even, b.div(x, two), b.add(b.mul(b.i64(3), x), one)), b.add(count, one)];
          },
        );
        b.store('out', last, b.i32(0));
        b.store('out', steps, b.i32(1));
      },
      buffers,
    );
    const out = new BigInt64Array(2);
    right(interpret(makeModule('m', buffers, [kernel]), coreDialects, { out }, { kernel: 'collatz', args: [27] }));
    expect([...out]).toEqual([1n, 111n]);
  });

  test('an op that is not well-formed is refused where it is built', () => {
    expect(() => buildKernel('k', { x: 'f64', n: 'i32' }, (b, { x, n }) => b.add(x, n) && undefined)).toThrow(
      /build\/op.*arith\.add\(f64, i32\): operands must have one type/,
    );
    expect(() => buildKernel('k', { n: 'i32' }, (b, { n }) => b.load('y', n) && undefined)).toThrow(
      /there is no buffer @y/,
    );
    expect(() => buildKernel('k', {}, (b) => b.op('own.op') && undefined)).toThrow(/build\/unknown-op/);
    expect(() => buildKernel('k', {}, (b) => b.constant(300, 'u8') && undefined)).toThrow(
      /constant 300 does not fit u8/,
    );
  });
});
