import {
  type AtomicKind,
  type Attrs,
  type Buffer,
  type ScalarType,
  type Value,
  buildKernel,
  constBuffer,
  declareBuffer,
  integerRange,
  isFloat,
  makeModule,
  scalarTypes,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edges, randomArray, randoms } from '../values.js';

/** Buffers: every element type, tables of every index width, many of them, atomics. */
export const memoryPrograms = (): readonly Program[] => [
  copies(),
  ...(['u8', 'u16', 'u32', 'i8', 'i16', 'i32', 'i64', 'u64'] as const).map(gatherThrough),
  scatterThrough(),
  manyBuffers(),
  emptyBuffers(),
  arena(),
  ...numbers.map((t) => atomics(t)),
  logicAtomics(),
  parallelCount(),
  indexFromOutside(),
  readBefore(),
  compareAndSwap(),
  valueAsIndex(),
  conditionsAsIndices(),
  rowsThatMeet(),
  rowThatIsRead(),
  hints(),
  fences(),
  workers(),
];

/** One value as what is stored and as where it goes, and nowhere else. */
const valueAsIndex = (): Program => {
  const buffers = [declareBuffer('a', 'i32', 16, 'inout'), declareBuffer('at', 'i32', 4, 'input')];
  const kernel = buildKernel(
    'own',
    {},
    (b) => {
      const one = b.load('at', b.i32(0));
      b.store('a', one, one);
      const two = b.load('at', b.i32(1));
      b.atomic('a', 'add', two, two);
      const three = b.load('at', b.i32(2));
      b.cas('a', b.i32(0), three, three);
      const four = b.constant(9, 'i32');
      b.store('a', four, four);
    },
    buffers,
  );
  return {
    name: 'a value stored at the place it names',
    module: makeModule('m', buffers, [kernel]),
    inputs: { a: new Int32Array(16), at: Int32Array.of(3, 5, 7, 0) },
  };
};

/** Which of two elements, by conditions: a compiler may keep these in masks of its lanes, which are no numbers. */
const conditionsAsIndices = (): Program => {
  const buffers = [
    declareBuffer('n', 'i32', 64, 'input'),
    constBuffer('of', 'i32', Int32Array.of(7, 17, 27)),
    ...(['f64', 'f32', 'i32'] as const).map((t) => declareBuffer(t, t, 64, 'inout')),
  ];
  const kernel = buildKernel(
    'own',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(64), b.i32(1), { parallel: true }, [], (i) => {
        const n = b.load('n', i);
        const more = b.cmp('gt', n, b.i32(0));
        const between = b.and(more, b.cmp('lt', n, b.i32(9)));
        const number = (c: Value): Value => b.cast(c, 'i32');
        const at = [
          b.select(more, b.i32(0), b.i32(1)),
          b.select(between, b.i32(0), b.i32(1)),
          b.sub(b.i32(1), number(more)),
          b.xor(number(between), b.i32(1)),
          b.min(b.add(number(b.not(more)), number(between)), b.i32(1)),
          b.add(b.i32(1), b.xor(number(between), b.i32(1))),
          b.shl(b.sub(b.i32(1), number(between)), b.i32(1)),
          ...b.if(
            between,
            () => b.i32(0),
            () => b.i32(1),
          ),
        ];
        for (const type of ['f64', 'f32', 'i32'] as const) {
          const all = at.map((k, power) => b.mul(b.load('of', k), b.i32(3 ** power)));
          b.store(
            type,
            b.add(
              b.load(type, i),
              b.cast(
                all.reduce((x, y) => b.add(x, y)),
                type,
              ),
            ),
            i,
          );
        }
      }),
    buffers,
  );
  return {
    name: 'elements that conditions choose',
    module: makeModule('m', buffers, [kernel]),
    inputs: {
      n: Int32Array.from({ length: 64 }, (_, k) => ((k * 7) % 31) - 12),
      ...Object.fromEntries((['f64', 'f32', 'i32'] as const).map((t) => [t, arrayOf(t, 64, (k) => k % 5)])),
    },
  };
};

/** Rows that add to themselves and to those before them: a compiler that takes rows for lanes loses sums. */
const rowsThatMeet = (): Program => {
  const [rows, columns] = [10, 17];
  const names = ['sums', 'halves', 'updates'];
  const buffers = [
    declareBuffer('given', 'f64', rows * columns, 'input'),
    ...names.map((name) => declareBuffer(name, 'f64', rows * columns, 'inout')),
  ];
  const kernel = buildKernel(
    'own',
    {},
    (b) => {
      const overRows = (attrs: Attrs, body: (at: Value) => void): void => {
        b.for(b.i32(2), b.i32(rows), b.i32(1), attrs, [], (i) =>
          b.for(b.i32(1), b.i32(columns - 1), b.i32(1), {}, [], (j) => body(b.add(b.mul(i, b.i32(columns)), j))),
        );
      };
      const half = (x: Value): Value => b.mul(x, b.f64(0.5));
      overRows({}, (at) => {
        const x = b.load('given', at);
        const before = b.sub(at, b.i32(columns));
        b.store('sums', b.add(b.load('sums', at), x), at);
        b.store('sums', b.add(b.load('sums', before), half(x)), before);
      });
      overRows({}, (at) => {
        const before = b.sub(at, b.i32(2 * columns));
        b.store('halves', b.add(half(b.load('halves', at)), b.f64(1)), at);
        b.store('halves', b.add(half(b.load('halves', before)), b.f64(3)), before);
      });
      overRows({ parallel: true }, (at) => {
        const x = b.load('given', at);
        b.atomic('updates', 'add', x, at);
        b.atomic('updates', 'add', half(x), b.sub(at, b.i32(columns)));
      });
    },
    buffers,
  );
  return {
    name: 'rows that meet',
    module: makeModule('m', buffers, [kernel]),
    inputs: Object.fromEntries(
      ['given', ...names].map((name) => [name, arrayOf('f64', rows * columns, (k) => (k * 7) % 16)]),
    ),
  };
};

/** One row that all others are made of, and that is changed meanwhile: a compiler that takes a loop apart may read it too late. */
const rowThatIsRead = (): Program => {
  const buffers = [declareBuffer('a', 'f32', 600, 'inout')];
  const kernel = buildKernel(
    'own',
    {},
    (b) =>
      b.for(b.i32(2), b.i32(15), b.i32(1), {}, [], (i) => {
        const row = b.mul(i, b.i32(30));
        const number = (x: number): Value => b.constant(x, 'f32');
        b.for(b.i32(2), b.min(b.add(i, b.i32(2)), b.i32(8)), b.i32(1), {}, [], (j) => {
          const at = b.add(row, b.mul(j, b.i32(3)));
          const place = (by: number): Value => b.add(at, b.i32(by));
          const times = (by: number, x: number): Value => b.mul(b.load('a', place(by)), number(x));
          b.store('a', b.sub(b.add(times(2, 0.5), times(-4, -0.25)), times(-23, 0.3125)), place(2));
          b.store('a', b.add(b.load('a', place(25)), times(8, -0.375)), place(25));
          b.store('a', b.sub(b.add(times(-22, 0.5), times(55, 0.4375)), times(56, 0.125)), place(-22));
          const other = b.load('a', b.add(b.mul(b.add(j, b.i32(-2)), b.i32(3)), b.i32(32)));
          b.store('a', b.mul(other, number(-0.0625)), place(-28));
        });
      }),
    buffers,
  );
  return {
    name: 'a row that is read and changed',
    module: makeModule('m', buffers, [kernel]),
    inputs: { a: arrayOf('f32', 600, (k) => ((k * 7919) % 129) - 64) },
    ordered: true,
  };
};

/** Hints say nothing about what is computed, wherever they point. */
const hints = (): Program => {
  const buffers = [declareBuffer('a', 'f64', 8, 'inout'), constBuffer('k', 'f64', Float64Array.of(2, 3))];
  const kernel = buildKernel(
    'own',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(8), b.i32(1), {}, [], (i) => {
        b.op('mem.prefetch', [b.add(i, b.i32(1000))], { buffer: '@a' });
        const twice = b.mul(b.load('a', i), b.load('k', b.i32(0)));
        b.op('mem.reload', [], { buffer: '@k' });
        b.op('mem.reload', [], { buffer: '@a' });
        b.store('a', b.add(twice, b.mul(b.load('a', i), b.load('k', b.i32(0)))), i);
      }),
    buffers,
  );
  return {
    name: 'hints',
    module: makeModule('m', buffers, [kernel]),
    inputs: { a: Float64Array.of(1, -2, 3, 0.5, 0, 7, -8, 9) },
  };
};

/** Of each pair of iterations the one that comes last reads what the other one wrote. */
const fences = (): Program => {
  const pairs = 1000;
  const buffers = [
    declareBuffer('cells', 'f64', 2 * pairs, 'inout'),
    declareBuffer('arrived', 'i32', pairs, 'inout'),
    declareBuffer('sums', 'f64', pairs, 'output'),
  ];
  const kernel = buildKernel(
    'pairs',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(2 * pairs), b.i32(1), { parallel: true }, [], (i) => {
        const pair = b.rem(i, b.i32(pairs));
        b.store('cells', b.cast(b.add(i, b.i32(7)), 'f64'), i);
        b.op('mem.fence', [], { order: 'release' });
        const before = b.atomic('arrived', 'add', b.i32(1), pair);
        b.if(
          b.cmp('eq', before, b.i32(1)),
          () => {
            b.op('mem.fence', [], { order: 'acquire' });
            b.store('sums', b.add(b.load('cells', pair), b.load('cells', b.add(pair, b.i32(pairs)))), pair);
            return [];
          },
          () => [],
        );
      }),
    buffers,
  );
  return { name: 'fences', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

/** Whatever numbers threads have, each counts what it does at a place of its own. */
const workers = (): Program => {
  const [places, iterations] = [5, 200_000];
  const buffers = [
    declareBuffer('counts', 'i32', places, 'inout'),
    declareBuffer('sum', 'i32', 1, 'output'),
    declareBuffer('inside', 'i32', iterations, 'output'),
  ];
  const kernel = buildKernel(
    'count',
    {},
    (b) => {
      const worker = (count: number): Value => b.value('mem.worker', [], { buffer: '@counts', count });
      b.atomic('counts', 'add', b.i32(1), worker(places));
      b.for(b.i32(0), b.i32(iterations), b.i32(1), { parallel: true }, [], (i) => {
        const at = worker(places);
        b.atomic('counts', 'add', b.i32(1), at);
        const known = b.and(b.cmp('ge', at, b.i32(0)), b.cmp('lt', at, b.i32(places)));
        b.store('inside', b.add(b.cast(known, 'i32'), worker(1)), i);
      });
      const [sum] = b.for(b.i32(0), b.i32(places), b.i32(1), {}, [b.i32(0)], (i, [sum]) => {
        const count = b.load('counts', i);
        b.store('counts', b.i32(0), i);
        return b.add(sum!, count);
      });
      b.store('sum', sum!, b.i32(0));
    },
    buffers,
  );
  return { name: 'places of threads', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

/** Cells of 24 bytes, each with an f64, an f32, an i32 and eight u8, in one memory that four buffers see. */
const arena = (): Program => {
  const cells = 50;
  const shared = (name: string, type: ScalarType, length: number): Buffer => ({
    ...declareBuffer(name, type, length, 'inout'),
    memory: 'arena',
  });
  const buffers = [
    shared('as_f64', 'f64', 3 * cells),
    shared('as_f32', 'f32', 6 * cells),
    shared('as_i32', 'i32', 6 * cells),
    shared('as_u8', 'u8', 24 * cells),
    declareBuffer('sum', 'f64', cells, 'output'),
  ];
  const kernel = buildKernel(
    'cells',
    {},
    (b) => {
      const at = (i: Value, cell: number, offset: number): Value => b.add(b.mul(i, b.i32(cell)), b.i32(offset));
      b.for(b.i32(0), b.i32(cells), b.i32(1), { parallel: true }, [], (i) => {
        b.store('as_f64', b.mul(b.cast(i, 'f64'), b.constant(0.25, 'f64')), at(i, 3, 0));
        b.store('as_f32', b.cast(i, 'f32'), at(i, 6, 2));
        b.store('as_i32', b.sub(b.i32(7), i), at(i, 6, 3));
        b.for(b.i32(0), b.i32(8), b.i32(1), {}, [], (k) => {
          b.store('as_u8', b.cast(b.add(i, k), 'u8'), b.add(at(i, 24, 16), k));
        });
      });
      b.for(b.i32(0), b.i32(cells), b.i32(1), { parallel: true }, [], (i) => {
        const wide = b.add(b.load('as_f64', at(i, 3, 0)), b.cast(b.load('as_f32', at(i, 6, 2)), 'f64'));
        const whole = b.cast(
          b.add(b.load('as_i32', at(i, 6, 3)), b.cast(b.load('as_u8', at(i, 24, 23)), 'i32')),
          'f64',
        );
        b.store('sum', b.add(wide, whole), i);
      });
    },
    buffers,
  );
  return { name: 'one memory seen through several types', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

const numbers = scalarTypes.filter((t) => t !== 'i1');

const copies = (): Program => {
  const buffers = scalarTypes.flatMap((t) => [
    declareBuffer(`from_${t}`, t, edges(t).length, 'input'),
    declareBuffer(`to_${t}`, t, edges(t).length, 'output'),
    constBuffer(`table_${t}`, t, edges(t)),
    declareBuffer(`again_${t}`, t, edges(t).length, 'output'),
  ]);
  const kernel = buildKernel(
    'copy',
    {},
    (b) => {
      for (const t of scalarTypes)
        b.for(b.i32(0), b.i32(edges(t).length), b.i32(1), { parallel: true, simd: true }, [], (i) => {
          b.store(`to_${t}`, b.load(`from_${t}`, i), i);
          b.store(`again_${t}`, b.load(`table_${t}`, i), i);
        });
    },
    buffers,
  );
  return {
    name: 'copies of every element type',
    module: makeModule('m', buffers, [kernel]),
    inputs: Object.fromEntries(scalarTypes.map((t) => [`from_${t}`, edges(t)])),
  };
};

const gatherThrough = (t: 'u8' | 'u16' | 'u32' | 'i8' | 'i16' | 'i32' | 'i64' | 'u64'): Program => {
  const most = integerRange(t)[1];
  const length = Number(most < 70000n ? most + 1n : 70000n);
  const next = randoms(5);
  /* On lanes, some are left over. */
  const n = 503;
  const table = arrayOf(t, n, (k) => (k === 0 ? length - 1 : Math.floor(next() * length)));
  const buffers = [
    constBuffer('table', t, table),
    declareBuffer('x', 'f64', length, 'input'),
    declareBuffer('y', 'f64', n, 'output'),
  ];
  const kernel = buildKernel(
    'gather',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true, simd: true }, [], (i) => {
        const entry = b.load('table', i);
        b.store(
          'y',
          b.load('x', t === 'i64' || t === 'i32' ? entry : b.cast(entry, t === 'u32' || t === 'u64' ? 'i64' : 'i32')),
          i,
        );
      });
    },
    buffers,
  );
  return {
    name: `gather through a table of ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: randomArray('f64', length, 2) },
  };
};

const scatterThrough = (): Program => {
  const n = 30000;
  const table = arrayOf('u16', n, (k) => (k * 7) % n);
  const buffers = [
    constBuffer('table', 'u16', table),
    declareBuffer('x', 'f32', n, 'input'),
    declareBuffer('y', 'f32', n, 'inout'),
  ];
  const kernel = buildKernel(
    'scatter',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) => {
        const at = b.cast(b.load('table', i), 'i32');
        b.store('y', b.add(b.load('y', at), b.load('x', i)), at);
      });
    },
    buffers,
  );
  return {
    name: 'scatter through a permutation',
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: randomArray('f32', n, 2), y: randomArray('f32', n, 9) },
  };
};

const manyBuffers = (): Program => {
  const count = 150;
  const types = numbers;
  const typeOf = (k: number): ScalarType => types[k % types.length]!;
  const buffers: Buffer[] = Array.from({ length: count }, (_, k) =>
    declareBuffer(`b${k}`, typeOf(k), 1 + (k % 13), k % 3 === 0 ? 'temp' : 'output'),
  );
  const kernel = buildKernel(
    'fill',
    {},
    (b) => {
      buffers.forEach((x, k) =>
        b.for(b.i32(0), b.i32(x.length), b.i32(1), {}, [], (i) =>
          b.store(x.name, b.cast(b.add(i, b.i32(k % 100)), x.type), i),
        ),
      );
    },
    buffers,
  );
  return { name: 'many buffers of odd lengths', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

const emptyBuffers = (): Program => {
  const buffers = [
    declareBuffer('none', 'f64', 0, 'input'),
    declareBuffer('y', 'f64', 3, 'output'),
    constBuffer('nil', 'u8', []),
  ];
  const kernel = buildKernel(
    'noop',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(0), b.i32(1), { parallel: true }, [], (i) => b.store('y', b.load('none', i), i));
      b.store('y', b.f64(1), b.i32(2));
    },
    buffers,
  );
  return { name: 'empty buffers', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

/* Serial, so that the old values and not just the sums are certain. */
const atomics = (t: ScalarType): Program => {
  const kinds: readonly AtomicKind[] = isFloat(t)
    ? ['add', 'min', 'max', 'exchange']
    : ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange'];
  const n = edges(t).length;
  const buffers = [
    declareBuffer('x', t, n, 'input'),
    ...kinds.flatMap((k) => [declareBuffer(`cell_${k}`, t, 2, 'inout'), declareBuffer(`old_${k}`, t, n, 'output')]),
  ];
  const kernel = buildKernel(
    'update',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), {}, [], (i) => {
        for (const k of kinds) b.store(`old_${k}`, b.atomic(`cell_${k}`, k, b.load('x', i), b.i32(1)), i);
      });
      /* One iteration, so its order is certain, in a parallel loop, where it must really be atomic. */
      b.for(b.i32(0), b.i32(1), b.i32(1), { parallel: true }, [], (i) => {
        for (const k of kinds) b.atomic(`cell_${k}`, k, b.load('x', b.i32(n - 1)), i);
      });
    },
    buffers,
  );
  return {
    name: `atomics on ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: edges(t), ...Object.fromEntries(kinds.map((k) => [`cell_${k}`, arrayOf(t, 2, (i) => i + 1)])) },
  };
};

const logicAtomics = (): Program => {
  const kinds = ['and', 'or', 'xor', 'exchange'] as const;
  const buffers = [declareBuffer('x', 'i1', 4, 'input'), ...kinds.map((k) => declareBuffer(k, 'i1', 4, 'inout'))];
  const kernel = buildKernel(
    'update',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (i) => {
        for (const k of kinds) b.atomic(k, k, b.load('x', i), i);
      });
    },
    buffers,
  );
  return {
    name: 'atomics on i1',
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: Uint8Array.of(0, 0, 1, 1), ...Object.fromEntries(kinds.map((k) => [k, Uint8Array.of(0, 1, 0, 1)])) },
  };
};

/* Sums whose order does not matter: whole numbers, exact in any type. */
const parallelCount = (): Program => {
  const n = 20000;
  const types = numbers.filter((t) => t !== 'i8' && t !== 'u8');
  const buffers = [
    constBuffer(
      'bin',
      'u8',
      arrayOf('u8', n, (k) => (k * k + 3 * k) % 11),
    ),
    ...types.map((t) => declareBuffer(`sum_${t}`, t, 11, 'output')),
  ];
  const kernel = buildKernel(
    'count',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true, simd: true }, [], (i) => {
        const at = b.cast(b.load('bin', i), 'i32');
        for (const t of types) b.atomic(`sum_${t}`, 'add', b.constant(1, t), at);
      });
    },
    buffers,
  );
  return { name: 'histogram by parallel atomics', module: makeModule('m', buffers, [kernel]), inputs: {} };
};

/* What a parallel loop takes from around it are the sums, not what these were made of. */
const indexFromOutside = (): Program => {
  const n = 400;
  const buffers = [
    declareBuffer('start', 'i32', 2, 'input'),
    declareBuffer('x', 'f64', 8, 'input'),
    declareBuffer('y', 'f64', 2 * n + 5, 'output'),
  ];
  const kernel = buildKernel(
    'shift',
    {},
    (b) => {
      const from = b.add(b.load('start', b.i32(0)), b.i32(1));
      const twice = b.add(b.mul(b.load('start', b.i32(1)), b.i32(2)), b.load('start', b.i32(0)));
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) => {
        b.store('y', b.load('x', from), b.add(twice, i));
        b.store('y', b.add(b.load('x', twice), b.cast(i, 'f64')), b.add(i, b.i32(n + 5)));
      });
    },
    buffers,
  );
  return {
    name: 'indices computed before a parallel loop',
    module: makeModule('m', buffers, [kernel]),
    inputs: { start: Int32Array.of(3, 1), x: randomArray('f64', 8, 1) },
  };
};

/* Each iteration takes what was there before any of them, the first and the last of which change it. */
const readBefore = (): Program => {
  const n = 3000;
  const buffers = [declareBuffer('x', 'i32', n, 'inout')];
  const kernel = buildKernel(
    'shift',
    {},
    (b) => {
      const [first, last] = [b.load('x', b.i32(0)), b.load('x', b.i32(n - 1))];
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) =>
        b.store('x', b.add(b.mul(first, last), b.sub(b.load('x', i), i)), i),
      );
    },
    buffers,
  );
  return {
    name: 'what is read before a parallel loop that changes it',
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: arrayOf('i32', n, (k) => 7 * k + 3) },
  };
};

const compareAndSwap = (): Program => {
  const types = ['i32', 'u32', 'i64', 'u64', 'f32', 'f64'] as const;
  const buffers = types.flatMap((t) => [
    declareBuffer(`cell_${t}`, t, 4, 'inout'),
    declareBuffer(`old_${t}`, t, 4, 'output'),
  ]);
  const kernel = buildKernel(
    'swap',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (i) => {
        for (const t of types) b.store(`old_${t}`, b.cas(`cell_${t}`, b.constant(2, t), b.constant(9, t), i), i);
      });
    },
    buffers,
  );
  return {
    name: 'compare and swap',
    module: makeModule('m', buffers, [kernel]),
    inputs: Object.fromEntries(types.map((t) => [`cell_${t}`, arrayOf(t, 4, (k) => k)])),
  };
};
