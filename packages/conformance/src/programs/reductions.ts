import {
  type AtomicKind,
  type Attrs,
  type Builder,
  type ScalarType,
  type Value,
  buildKernel,
  declareBuffer,
  isFloat,
  makeModule,
  scalarTypes,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edges } from '../values.js';

/** Sums, products, extrema and bits gathered over loops; on floats of whole numbers, which are exact in any order. */
export const reductionPrograms = (): readonly Program[] => [
  ...scalarTypes.map(accumulated),
  extremaOfEdges('f32'),
  extremaOfEdges('f64'),
  byAtomics(),
  dynamicTasks(),
];

const n = 203;

const kindsOf = (t: ScalarType): readonly ('add' | 'mul' | 'min' | 'max' | 'and' | 'or' | 'xor')[] =>
  t === 'i1'
    ? ['and', 'or', 'xor']
    : isFloat(t)
      ? ['add', 'mul', 'min', 'max']
      : ['add', 'mul', 'min', 'max', 'and', 'or', 'xor'];

const hints: readonly Attrs[] = [{}, { simd: true }, { independent: true }, { independent: true, simd: true }];

/* Each kind alone, all at once, and only where a condition holds, as its loop asks for nothing, for independence, for lanes. */
const accumulated = (t: ScalarType): Program => {
  const kinds = kindsOf(t);
  const count = hints.length * (2 * kinds.length + 1);
  const buffers = [declareBuffer('x', t, n, 'input'), declareBuffer('y', t, count * kinds.length, 'output')];
  const value = (b: Builder, v: number): Value => b.constant(t === 'i1' ? v !== 0 : v, t);
  const kernel = buildKernel(
    'gather',
    {},
    (b) => {
      let at = 0;
      const loop = (attrs: Attrs, of: readonly string[], guarded: boolean): void => {
        const inits = of.map((k) => value(b, k === 'mul' || k === 'and' ? 1 : 0));
        const sums = b.for(b.i32(0), b.i32(n), b.i32(1), attrs, inits, (i, carried) => {
          const x = b.load('x', i);
          const next = (): readonly Value[] => of.map((k, j) => b.value(`arith.${k}`, [carried[j]!, x]));
          return guarded ? b.if(b.cmp('lt', b.and(i, b.i32(7)), b.i32(5)), next, () => carried) : next();
        });
        sums.forEach((s) => b.store('y', s, b.i32(at++)));
      };
      for (const attrs of hints) {
        for (const k of kinds) loop(attrs, [k], false);
        for (const k of kinds) loop(attrs, [k], true);
        loop(attrs, kinds, false);
      }
    },
    buffers,
  );
  return {
    name: `accumulations of ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: arrayOf(t, n, (k) => (t === 'i1' ? (k % 3) & 1 : k % 41 === 3 ? 2 : 1)) },
  };
};

const extremaOfEdges = (t: 'f32' | 'f64'): Program => {
  const x = edges(t);
  const buffers = [
    declareBuffer('x', t, x.length, 'input'),
    declareBuffer('y', t, 2 * x.length * hints.length, 'output'),
  ];
  const kernel = buildKernel(
    'extrema',
    {},
    (b) => {
      let at = 0;
      for (const attrs of hints)
        for (const kind of ['min', 'max'] as const) {
          const start = b.constant(kind === 'min' ? Infinity : -Infinity, t);
          b.for(b.i32(0), b.i32(x.length), b.i32(1), {}, [], (from) => {
            const [m] = b.for(from, b.i32(x.length - 1), b.i32(1), attrs, [start], (i, [s]) =>
              b[kind](s!, b.load('x', i)),
            );
            b.store('y', m!, b.add(from, b.i32(x.length * at)));
          });
          at++;
        }
    },
    buffers,
  );
  return { name: `extrema over edges of ${t}`, module: makeModule('m', buffers, [kernel]), inputs: { x } };
};

/* Atomics of a parallel loop on one element, on the row's element, and under a condition; as they stand, or gathered by passes. */
const byAtomics = (): Program => {
  const [rows, columns] = [137, 50];
  const kinds: readonly AtomicKind[] = ['add', 'min', 'max', 'and', 'or', 'xor'];
  const buffers = [
    declareBuffer('x', 'i32', rows * columns, 'input'),
    ...kinds.map((k) => declareBuffer(k, 'i32', 2, 'inout')),
    declareBuffer('sum', 'f64', 1, 'inout'),
    declareBuffer('row', 'f32', rows, 'output'),
  ];
  const kernel = buildKernel(
    'gather',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(rows), b.i32(1), { parallel: true }, [], (i) => {
        b.for(b.i32(0), b.i32(columns), b.i32(1), { parallel: true }, [], (j) => {
          const x = b.load('x', b.add(b.mul(i, b.i32(columns)), j));
          for (const k of kinds) b.atomic(k, k, x, b.i32(1));
          b.atomic('row', 'add', b.cast(x, 'f32'), i);
          b.if(b.cmp('gt', x, b.i32(3)), () => void b.atomic('sum', 'add', b.cast(x, 'f64'), b.i32(0)));
        });
      });
    },
    buffers,
  );
  return {
    name: 'reductions by atomics',
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: arrayOf('i32', rows * columns, (k) => ((k * 37) % 23) - 7), and: Int32Array.of(0, -1) },
  };
};

/* Tasks of very different size, given out one by one, on at most so many threads. */
const dynamicTasks = (): Program => {
  const tasks = 60;
  const buffers = [declareBuffer('y', 'i32', tasks, 'output'), declareBuffer('z', 'i32', tasks, 'output')];
  const kernel = buildKernel(
    'tasks',
    {},
    (b) => {
      const work =
        (name: string) =>
        (i: Value): void => {
          const [sum] = b.for(b.i32(0), b.mul(i, i), b.i32(1), { trips: 1200 }, [i], (k, [s]) =>
            b.xor(b.mul(s!, b.i32(3)), k),
          );
          b.store(name, sum!, i);
        };
      const range = [b.i32(0), b.i32(tasks), b.i32(1)] as const;
      b.for(...range, { parallel: true, schedule: 'dynamic' }, [], work('y'));
      b.for(...range, { parallel: true, schedule: 'static', threads: 1 }, [], work('z'));
    },
    buffers,
  );
  return { name: 'tasks of different size', module: makeModule('m', buffers, [kernel]), inputs: {} };
};
