import { type Builder, type Value, buildKernel, constBuffer, declareBuffer, makeModule } from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, randomArray, randoms } from '../values.js';

/** Sizes at which a careless emitter or loader breaks down. */
export const largePrograms = (): readonly Program[] => [
  straightLine(4000),
  longLoopBody(1200),
  deepChain(2000),
  wideSum(500),
  deepNest(12),
  sparseProduct(),
];

const buffersOf = (length: number) => [
  declareBuffer('x', 'f64', length, 'input'),
  declareBuffer('y', 'f64', length, 'output'),
];

const oneKernel = (name: string, length: number, body: (b: Builder) => void): Program => {
  const buffers = buffersOf(length);
  return {
    name,
    ordered: true,
    module: makeModule('m', buffers, [buildKernel('k', {}, body, buffers)]),
    inputs: { x: randomArray('f64', length, 4, 0.5, 1.5) },
  };
};

/* Every op takes two earlier results, chosen at random, so the expression is a dense graph. */
const straightLine = (ops: number): Program =>
  oneKernel(`straight line of ${ops} ops`, 16, (b) => {
    const next = randoms(3);
    const values: Value[] = Array.from({ length: 16 }, (_, k) => b.load('x', b.i32(k)));
    const pick = (): Value => values[Math.max(0, values.length - 1 - Math.floor(next() * 40))]!;
    for (let k = 0; k < ops; k++) {
      const kind = Math.floor(next() * 4);
      values.push(
        kind === 0
          ? b.sub(pick(), pick())
          : kind === 1
            ? b.mul(pick(), b.f64(0.5))
            : kind === 2
              ? b.max(pick(), pick())
              : b.add(pick(), pick()),
      );
    }
    for (let k = 0; k < 16; k++) b.store('y', values[values.length - 1 - k]!, b.i32(k));
  });

/* Statements of every kind, which use results from far before them, in the body of a parallel loop. */
const longLoopBody = (statements: number): Program =>
  oneKernel(`loop over ${statements} statements`, 24, (b) => {
    b.for(b.i32(0), b.i32(24), b.i32(1), { parallel: true }, [], (i) => {
      const next = randoms(9);
      const values: Value[] = [b.load('x', i)];
      const pick = (): Value => values[Math.floor(next() * values.length)]!;
      const kinds: readonly (() => readonly Value[])[] = [
        () => [b.max(b.sub(pick(), pick()), pick())],
        () => [b.mul(pick(), b.f64(0.5))],
        () =>
          b.if(
            b.cmp('lt', pick(), pick()),
            () => [b.min(pick(), pick()), b.mul(pick(), b.f64(0.25))],
            () => [pick(), pick()],
          ),
        () => b.for(b.i32(0), b.i32(3), b.i32(1), {}, [pick()], (_, [s]) => [b.mul(b.add(s!, pick()), b.f64(0.5))]),
        () => {
          const limit = pick();
          return b.while(
            [pick(), b.i32(0)],
            ([v, n]) => [b.and(b.cmp('lt', v!, limit), b.cmp('lt', n!, b.i32(4))), v!, n!],
            ([v, n]) => [b.add(v!, b.f64(0.125)), b.add(n!, b.i32(1))],
          );
        },
        () => {
          b.store('y', b.add(b.load('y', i), pick()), i);
          return [b.load('y', i)];
        },
      ];
      for (let k = 0; k < statements; k++) {
        const made = kinds[Math.floor(next() * kinds.length)]!();
        values.push(...made.filter((v) => v.type === 'f64'));
      }
      b.store('y', values[values.length - 1]!, i);
    });
  });

/* Each result is used once: a printer that inlines everything nests as deep as the chain is long. */
const deepChain = (length: number): Program =>
  oneKernel(`chain of ${length} ops`, 4, (b) => {
    let v = b.load('x', b.i32(0));
    for (let k = 0; k < length; k++) v = k % 2 === 0 ? b.mul(v, b.f64(0.75)) : b.add(v, b.f64(0.25));
    b.store('y', v, b.i32(1));
  });

const wideSum = (terms: number): Program =>
  oneKernel(`sum of ${terms} products`, terms, (b) => {
    const products = Array.from({ length: terms }, (_, k) => b.mul(b.load('x', b.i32(k)), b.f64(k + 0.5)));
    b.store(
      'y',
      products.reduce((s, p) => b.add(s, p)),
      b.i32(0),
    );
  });

const deepNest = (depth: number): Program =>
  oneKernel(`${depth} nested loops and branches`, 1, (b) => {
    const nest = (level: number, s: Value): Value => {
      if (level === 0) return b.add(s, b.f64(1));
      const [sum] = b.for(b.i32(0), b.i32(2), b.i32(1), {}, [s], (i, [t]) => {
        const [r] = b.if(
          b.cmp('eq', i, b.i32(level % 2)),
          () => nest(level - 1, t!),
          () => b.mul(t!, b.f64(1.5)),
        );
        return r!;
      });
      return sum!;
    };
    b.store('y', nest(depth, b.load('x', b.i32(0))), b.i32(0));
  });

/* y = A x for a matrix in compressed rows, A's pattern constant and its values an input. */
const sparseProduct = (): Program => {
  const rows = 2000;
  const next = randoms(8);
  const lengths = Array.from({ length: rows }, () => Math.floor(next() * 9));
  const starts = [0];
  for (const n of lengths) starts.push(starts[starts.length - 1]! + n);
  const nnz = starts[rows]!;
  const buffers = [
    constBuffer('start', 'i32', starts),
    constBuffer(
      'column',
      'u16',
      arrayOf('u16', nnz, () => Math.floor(next() * rows)),
    ),
    declareBuffer('a', 'f64', nnz, 'input'),
    declareBuffer('x', 'f64', rows, 'input'),
    declareBuffer('y', 'f64', rows, 'output'),
  ];
  const kernel = buildKernel(
    'spmv',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(rows), b.i32(1), { parallel: true }, [], (row) => {
        const [sum] = b.for(
          b.load('start', row),
          b.load('start', b.add(row, b.i32(1))),
          b.i32(1),
          {},
          [b.f64(0)],
          (k, [s]) => b.add(s!, b.mul(b.load('a', k), b.load('x', b.cast(b.load('column', k), 'i32')))),
        );
        b.store('y', sum!, row);
      });
    },
    buffers,
  );
  return {
    name: 'sparse matrix times vector',
    ordered: true,
    module: makeModule('spmv', buffers, [kernel]),
    inputs: { a: randomArray('f64', nnz, 5), x: randomArray('f64', rows, 6) },
  };
};
