import {
  buildKernel,
  constBuffer,
  declareBuffer,
  makeModule,
  type Buffer,
  type Builder,
  type Value,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { randomArray } from '../values.js';

/** Loops, branches and their nesting. */
export const controlFlowPrograms = (): readonly Program[] => [
  ordered(
    program('triangular nest of parallel and serial loops', [input('x', 40), output('y', 40)], (b) => {
      range(b, 40, { parallel: true }, (i) => {
        const [sum] = b.for(b.i32(0), i, b.i32(1), {}, [b.f64(0)], (j, [s]) =>
          b.add(s!, b.mul(b.load('x', j), b.cast(i, 'f64'))),
        );
        b.store('y', sum!, i);
      });
    }),
  ),
  program('parallel loop with vector lanes', [input('x', 20000), output('y', 20000)], (b) => {
    range(b, 20000, { parallel: true, simd: true }, (i) => {
      const x = b.load('x', i);
      b.store('y', b.add(b.mul(x, x), b.f64(0.5)), i);
    });
  }),
  program('simd loop with a branch', [input('x', 257), output('y', 257)], (b) => {
    range(b, 257, { simd: true }, (i) => {
      const x = b.load('x', i);
      const [y] = b.if(
        b.cmp('lt', x, b.f64(0)),
        () => b.neg(x),
        () => b.mul(x, b.f64(2)),
      );
      b.store('y', y!, i);
    });
  }),
  program(
    'simd loop with choices that are one for all lanes',
    [
      input('x', 257),
      output('y', 514),
      declareBuffer('n', 'i32', 514, 'output'),
      declareBuffer('m', 'i64', 514, 'output'),
    ],
    (b) => {
      const x = b.load('x', b.i32(0));
      for (const [k, chosen] of [b.cmp('eq', x, x), b.cmp('ne', x, x)].entries())
        range(b, 257, { simd: true }, (i) => {
          const [at, v] = [b.add(i, b.i32(257 * k)), b.load('x', i)];
          /* What is not chosen is infinite, or no number. */
          const none = b.div(b.f64(0), b.sub(v, v));
          b.store('y', b.select(chosen, v, none), at);
          b.store('n', b.select(chosen, b.sub(b.i32(7), i), i), at);
          const big = b.mul(b.cast(i, 'i64'), b.i64(-5_000_000_000));
          const isOdd = b.select(
            chosen,
            b.cmp('eq', b.value('arith.and', [i, b.i32(1)]), b.i32(1)),
            b.cmp('lt', i, b.i32(100)),
          );
          b.store('m', b.select(isOdd, b.select(chosen, big, b.i64(3)), b.i64(-1)), at);
        });
    },
  ),
  program('simd loop within a parallel loop', [input('x', 640), output('y', 640)], (b) => {
    range(b, 10, { parallel: true }, (i) => {
      range(b, 64, { simd: true }, (j) => {
        const at = b.add(b.mul(i, b.i32(64)), j);
        b.store('y', b.sub(b.load('x', at), b.cast(j, 'f64')), at);
      });
    });
  }),
  program('parallel loop within a parallel loop', [output('y', 120)], (b) => {
    range(b, 10, { parallel: true }, (i) => {
      range(b, 12, { parallel: true }, (j) => {
        const at = b.add(b.mul(i, b.i32(12)), j);
        b.store('y', b.cast(b.mul(at, at), 'f64'), at);
      });
    });
  }),
  program(
    'several parallel loops that depend on one another',
    [input('x', 20000), temp('t', 20000), output('y', 20000)],
    (b) => {
      range(b, 20000, { parallel: true }, (i) => b.store('t', b.mul(b.load('x', i), b.f64(3)), i));
      range(b, 20000, { parallel: true }, (i) => b.store('y', b.load('t', b.sub(b.i32(19999), i)), i));
      range(b, 20000, { parallel: true }, (i) => b.store('t', b.add(b.load('y', i), b.f64(1)), i));
    },
  ),
  program('a parallel loop within a serial loop', [inout('x', 12000)], (b) => {
    range(b, 7, {}, (k) => {
      range(b, 12000, { parallel: true }, (i) => b.store('x', b.add(b.load('x', i), b.cast(k, 'f64')), i));
    });
  }),
  program('zero-trip loops', [output('y', 4), input('x', 4)], (b) => {
    const [kept] = b.for(b.i32(3), b.i32(3), b.i32(1), {}, [b.f64(7)], (_i, [s]) => b.add(s!, b.f64(1)));
    b.store('y', kept!, b.i32(0));
    const [backwards] = b.for(b.i32(5), b.i32(-5), b.i32(2), {}, [b.f64(8)], (_i, [s]) => b.add(s!, b.f64(1)));
    b.store('y', backwards!, b.i32(1));
    b.for(b.i32(0), b.i32(0), b.i32(1), { parallel: true }, [], (i) => b.store('y', b.f64(9), i));
    b.for(b.i32(2), b.i32(-2), b.i32(3), { parallel: true }, [], (i) => b.store('y', b.f64(9), i));
  }),
  program('loops with other bounds and steps', [output('y', 100), output('z', 100)], (b) => {
    b.for(b.i32(3), b.i32(98), b.i32(7), {}, [], (i) => b.store('y', b.cast(i, 'f64'), i));
    b.for(b.i32(5), b.i32(99), b.i32(3), { parallel: true }, [], (i) => b.store('z', b.cast(i, 'f64'), i));
    b.for(b.i32(-20), b.i32(20), b.i32(1), { parallel: true }, [], (i) => b.store('y', b.f64(1), b.add(i, b.i32(40))));
    b.for(b.i64(1), b.i64(90), b.i64(11), {}, [], (i) => b.store('y', b.cast(i, 'f64'), i));
    b.for(b.i64(2), b.i64(90), b.i64(13), { parallel: true }, [], (i) => b.store('z', b.cast(i, 'f64'), i));
  }),
  program('a loop up to the last index', [output('y', 8)], (b) => {
    const [count] = b.for(b.i32(2147483640), b.i32(2147483647), b.i32(5), {}, [b.f64(0)], (_i, [s]) =>
      b.add(s!, b.f64(1)),
    );
    b.store('y', count!, b.i32(0));
  }),
  {
    ...program(
      'loops from the first index to the last',
      [output('y', 4300), output('z', 4300), output('sums', 2), declareBuffer('n', 'i32', 3, 'input')],
      (b) => {
        const known = [-2147483648, 2147483647, 1000003].map((k) => b.i32(k));
        const read = [0, 1, 2].map((k) => b.load('n', b.i32(k)));
        [known, read].forEach(([from, to, by], k) => {
          const [sum] = b.for(from!, to!, by!, {}, [b.f64(0)], (i, [s]) => b.add(s!, b.cast(i, 'f64')));
          b.store('sums', sum!, b.i32(k));
          const number = (n: number): Value => b.constant(n, 'u32');
          b.for(from!, to!, b.i32(1000003), { parallel: true }, [], (i) => {
            const trip = b.div(b.add(b.cast(i, 'u32'), number(2 ** 31)), number(1000003));
            b.store(k === 0 ? 'y' : 'z', b.cast(i, 'f64'), b.cast(trip, 'i32'));
          });
        });
      },
    ),
    inputs: { n: Int32Array.of(-2147483648, 2147483647, 1000003) },
  },
  {
    ...program('bounds and steps known at run time', [output('y', 64), declareBuffer('n', 'i32', 4, 'input')], (b) => {
      const bound = (k: number): Value => b.load('n', b.i32(k));
      b.for(bound(0), bound(1), bound(2), {}, [], (i) => b.store('y', b.f64(1), i));
      b.for(bound(0), bound(1), bound(3), { parallel: true }, [], (i) => b.store('y', b.cast(i, 'f64'), i));
      /* The bound is read once, though the loop changes the element it came from. */
      const last = b.load('y', b.i32(10));
      b.for(b.i32(0), b.cast(last, 'i32'), b.i32(1), {}, [], (i) =>
        b.store('y', b.add(b.load('y', b.i32(10)), b.f64(1)), b.add(i, b.i32(10))),
      );
    }),
    inputs: { n: Int32Array.of(2, 60, 3, 4) },
  },
  program('carried values that change places', [output('y', 3)], (b) => {
    const [p, q, r] = b.for(b.i32(0), b.i32(10), b.i32(1), {}, [b.f64(1), b.f64(2), b.f64(3)], (_i, [x, y, z]) => [
      y!,
      b.add(x!, z!),
      x!,
    ]);
    [p, q, r].forEach((v, k) => b.store('y', v!, b.i32(k)));
  }),
  program('nested loops that carry values', [input('x', 30), output('y', 1)], (b) => {
    const [total] = b.for(b.i32(0), b.i32(5), b.i32(1), {}, [b.f64(0)], (i, [s]) => {
      const [row, most] = b.for(b.i32(0), b.i32(6), b.i32(1), {}, [s!, b.f64(-1e9)], (j, [t, m]) => {
        const x = b.load('x', b.add(b.mul(i, b.i32(6)), j));
        return [b.add(t!, x), b.max(m!, x)];
      });
      return b.add(row!, b.mul(most!, b.f64(100)));
    });
    b.store('y', total!, b.i32(0));
  }),
  ordered(
    program('a simd loop that carries a value', [input('x', 100), output('y', 1)], (b) => {
      const [total] = b.for(b.i32(0), b.i32(100), b.i32(1), { simd: true }, [b.f64(0)], (i, [s]) =>
        b.add(s!, b.load('x', i)),
      );
      b.store('y', total!, b.i32(0));
    }),
  ),
  program(
    'while: Collatz steps',
    [declareBuffer('n', 'i32', 20, 'output'), declareBuffer('most', 'i64', 20, 'output')],
    (b) => {
      range(b, 20, { parallel: true }, (i) => {
        const [steps, , most] = b.while(
          [b.i32(0), b.add(b.cast(i, 'i64'), b.i64(1)), b.i64(0)],
          ([n, x, m]) => [b.cmp('gt', x!, b.i64(1)), n!, x!, m!],
          ([n, x, m]) => {
            const odd = b.cmp('eq', b.and(x!, b.i64(1)), b.i64(1));
            const [next] = b.if(
              odd,
              () => b.add(b.mul(x!, b.i64(3)), b.i64(1)),
              () => b.div(x!, b.i64(2)),
            );
            return [b.add(n!, b.i32(1)), next!, b.max(m!, next!)];
          },
        );
        b.store('n', steps!, i);
        b.store('most', most!, i);
      });
    },
  ),
  program('while: values change places', [output('y', 2)], (b) => {
    const [p, q] = b.while(
      [b.f64(1), b.f64(40)],
      ([x, y]) => [b.cmp('lt', b.add(x!, y!), b.f64(100)), y!, x!],
      ([x, y]) => [b.add(y!, b.f64(1)), x!],
    );
    b.store('y', p!, b.i32(0));
    b.store('y', q!, b.i32(1));
  }),
  program('while: sees what its body stores', [inout('x', 3)], (b) => {
    b.while(
      [],
      () => [b.cmp('lt', b.load('x', b.i32(0)), b.f64(50))],
      () => b.store('x', b.add(b.mul(b.load('x', b.i32(0)), b.f64(2)), b.f64(3)), b.i32(0)),
    );
  }),
  program('if without else, nested, with several results', [input('x', 60), output('y', 60), output('z', 60)], (b) => {
    range(b, 60, {}, (i) => {
      const x = b.load('x', i);
      b.if(b.cmp('gt', x, b.f64(0.5)), () => b.store('z', x, i));
      const [p, q] = b.if(
        b.cmp('ge', x, b.f64(0)),
        () => {
          const [inner] = b.if(
            b.cmp('lt', x, b.f64(0.25)),
            () => b.mul(x, x),
            () => x,
          );
          return [inner!, b.f64(1)];
        },
        () => [b.neg(x), x],
      );
      b.store('y', b.add(p!, q!), i);
    });
  }),
  program('no store is passed over by a load', [inout('x', 4), output('y', 4)], (b) => {
    const before = b.load('x', b.i32(0));
    b.store('x', b.f64(10), b.i32(0));
    const after = b.load('x', b.i32(0));
    b.store('x', b.f64(20), b.i32(0));
    b.store('y', b.sub(before, after), b.i32(1));
    const old = b.load('x', b.i32(1));
    b.for(b.i32(0), b.i32(4), b.i32(1), {}, [], (i) => b.store('x', b.f64(5), i));
    b.store('y', old, b.i32(2));
  }),
  program(
    'names that a target may have taken',
    ['double', 'int', 'slab', 'threads', 'main', '_x', 'x_1', '__a', 'a__b', 'min_f64', 'omp_get_thread_num'].map((n) =>
      output(n, 1),
    ),
    (b) => {
      ['double', 'int', 'slab', 'threads', 'main', '_x', 'x_1', '__a', 'a__b', 'min_f64', 'omp_get_thread_num'].forEach(
        (n, k) => b.store(n, b.min(b.f64(k), b.f64(4)), b.i32(0)),
      );
    },
  ),
  severalKernels(),
  scalarArguments(),
  ordered(
    program(
      'an offset table in constant memory',
      [constBuffer('start', 'u16', [0, 3, 3, 8, 12]), input('x', 12), output('y', 4)],
      (b) => {
        range(b, 4, { parallel: true }, (row) => {
          const bound = (at: Value): Value => b.cast(b.load('start', at), 'i32');
          const [s] = b.for(bound(row), bound(b.add(row, b.i32(1))), b.i32(1), {}, [b.f64(0)], (k, [t]) =>
            b.add(t!, b.load('x', k)),
          );
          b.store('y', s!, row);
        });
      },
    ),
  ),
];

const input = (name: string, length: number): Buffer => declareBuffer(name, 'f64', length, 'input');
const output = (name: string, length: number): Buffer => declareBuffer(name, 'f64', length, 'output');
const inout = (name: string, length: number): Buffer => declareBuffer(name, 'f64', length, 'inout');
const temp = (name: string, length: number): Buffer => declareBuffer(name, 'f64', length, 'temp');

const range = (b: Builder, n: number, attrs: { parallel?: boolean; simd?: boolean }, body: (i: Value) => void): void =>
  void b.for(b.i32(0), b.i32(n), b.i32(1), attrs, [], body);

/** One kernel over these buffers; inputs are random. */
const program = (name: string, buffers: readonly Buffer[], body: (b: Builder) => void): Program => ({
  name,
  module: makeModule('m', buffers, [buildKernel('main_kernel', {}, body, buffers)]),
  inputs: Object.fromEntries(
    buffers
      .filter((x) => x.role === 'input' || x.role === 'inout')
      .map((x, k) => [x.name, randomArray(x.type, x.length, k + 3)]),
  ),
});

const ordered = (p: Program): Program => ({ ...p, ordered: true });

const severalKernels = (): Program => {
  const buffers = [inout('x', 100), temp('t', 100), output('y', 100)];
  const kernel = (name: string, from: string, to: string, factor: number) =>
    buildKernel(
      name,
      {},
      (b) => range(b, 100, { parallel: true }, (i) => b.store(to, b.mul(b.load(from, i), b.f64(factor)), i)),
      buffers,
    );
  const module = makeModule('m', buffers, [
    kernel('first', 'x', 't', 2),
    kernel('second__part', 't', 'y', 3),
    kernel('second_part', 'y', 'x', 5),
  ]);
  return { name: 'several kernels in order', module, inputs: { x: randomArray('f64', 100, 1) } };
};

const scalarArguments = (): Program => {
  const buffers = [output('y', 8), declareBuffer('n', 'i64', 2, 'output')];
  /* Named as a target may name an argument. */
  const take = buildKernel(
    'a0',
    { n: 'i32', big: 'i64', x: 'f64', y: 'f32', flag: 'i1', small: 'u8', huge: 'u64' },
    (b, p) => {
      b.for(b.i32(0), p.n, b.i32(1), { parallel: true }, [], (i) => b.store('y', b.add(p.x, b.cast(i, 'f64')), i));
      b.store('y', b.select(p.flag, b.cast(p.y, 'f64'), b.f64(0)), b.i32(7));
      b.store('y', b.cast(p.small, 'f64'), b.i32(6));
      b.store('n', p.big, b.i32(0));
      b.store('n', b.bitcast(p.huge, 'i64'), b.i32(1));
    },
    buffers,
  );
  const none = buildKernel('none', {}, (b) => b.store('y', b.f64(11), b.i32(5)), buffers);
  return {
    name: 'scalar arguments of every kind',
    module: makeModule('m', buffers, [take, none]),
    inputs: {},
    launches: [
      { kernel: 'a0', args: [5, -9007199254740993n, 0.25, 1.5, true, 200, 18446744073709551615n] },
      { kernel: 'none', args: [] },
    ],
  };
};
