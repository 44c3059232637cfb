import {
  type Builder,
  type ScalarType,
  type Value,
  buildKernel,
  declareBuffer,
  isFloat,
  makeModule,
} from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edgePairs } from '../values.js';

/** Short vectors: every lane must do what a scalar does, whether the target has vectors or not. */
export const vectorPrograms = (): readonly Program[] =>
  (['f64', 'f32', 'i32', 'u16', 'i64'] as const)
    .flatMap((t) => [2, 4, 8].filter((n) => n !== 8 || t !== 'i64').map((lanes) => onLanes(t, lanes)))
    .concat(
      (['f64', 'f32', 'i32', 'u16', 'i64'] as const).flatMap((t) =>
        (
          [
            [2, 1],
            [4, 3],
            [8, 5],
          ] as const
        ).map(([lanes, count]) => tails(t, lanes, count)),
      ),
    );

/** Vectors of which memory has only the first lanes, at the very end of buffers and beside what must stay. */
const tails = (t: ScalarType, lanes: number, count: number): Program => {
  const [all] = edgePairs(t);
  const rows = Math.floor(all.length / count);
  const length = rows * count;
  const buffers = [
    declareBuffer('x', t, length, 'input'),
    declareBuffer('y', t, length, 'inout'),
    declareBuffer('whole', t, rows * lanes, 'output'),
  ];
  const kernel = buildKernel(
    'tails',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(rows), b.i32(1), {}, [], (k) => {
        const x = b.loadFirst('x', b.mul(k, b.i32(count)), lanes, count);
        b.store('whole', x, b.mul(k, b.i32(lanes)));
        /* From the last row on, so that what is written too far is seen. */
        const at = b.mul(b.sub(b.i32(rows - 1), k), b.i32(count));
        b.storeFirst('y', b.add(x, b.loadFirst('y', at, lanes, count)), at, count);
      }),
    buffers,
  );
  return {
    name: `the first ${count} of ${lanes} ${t}`,
    module: makeModule('m', buffers, [kernel]),
    ordered: isFloat(t),
    inputs: { x: arrayOf(t, length, (k) => all[k]!), y: arrayOf(t, length, (k) => all[length - 1 - k]!) },
  };
};

const onLanes = (t: ScalarType, lanes: number): Program => {
  const [all, others] = edgePairs(t);
  const length = Math.floor(all.length / lanes) * lanes;
  const buffers = [
    declareBuffer('x', t, length, 'input'),
    declareBuffer('y', t, length, 'input'),
    ...['sum', 'product', 'most', 'chosen', 'spread', 'edited', 'reversed', 'scattered'].map((n) =>
      declareBuffer(n, t, length, 'output'),
    ),
    declareBuffer('less', 'i1', length, 'output'),
    ...['add', 'mul', 'min', 'max'].map((n) => declareBuffer(`reduce_${n}`, t, length / lanes, 'output')),
    declareBuffer('any', 'i1', length / lanes, 'output'),
    declareBuffer('as_f64', 'f64', length, 'output'),
  ];
  const kernel = buildKernel(
    'lanes',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(length / lanes), b.i32(1), {}, [], (k) => {
        const at = b.mul(k, b.i32(lanes));
        const [x, y] = [b.load('x', at, lanes), b.load('y', at, lanes)];
        body(b, t, lanes, k, at, x, y);
      });
    },
    buffers,
  );
  return {
    name: `vectors of ${lanes} ${t}`,
    module: makeModule('m', buffers, [kernel]),
    ordered: isFloat(t),
    inputs: { x: arrayOf(t, length, (k) => all[k]!), y: arrayOf(t, length, (k) => others[k]!) },
  };
};

const body = (b: Builder, t: ScalarType, lanes: number, k: Value, at: Value, x: Value, y: Value): void => {
  const index = b.iota(at, lanes);
  b.store('sum', b.add(x, y), at);
  b.store('product', b.mul(b.sub(x, y), b.neg(x)), at);
  b.store('most', b.max(x, y), at);
  const less = b.cmp('lt', x, y);
  b.store('less', less, at);
  b.store('chosen', b.select(less, x, isFloat(t) ? b.math('abs', y) : b.xor(y, x)), at);
  b.store('spread', b.add(b.splat(b.extract(x, lanes - 1), lanes), b.constant(1, { lanes, of: t })), at);
  b.store('edited', b.insert(x, b.extract(y, 0), 1), at);
  const last = b.splat(b.add(at, b.i32(lanes - 1)), lanes);
  const mirrored = b.sub(last, b.sub(index, b.splat(at, lanes)));
  b.store('reversed', b.gather('x', mirrored), at);
  b.scatter('scattered', y, mirrored);
  b.store('as_f64', b.cast(x, 'f64'), at);
  const [carried] = b.for(b.i32(0), b.i32(3), b.i32(1), {}, [x], (_i, [v]) => b.max(v!, b.add(y, y)));
  const [held] = b.if(
    b.cmp('gt', k, b.i32(1)),
    () => carried!,
    () => x,
  );
  for (const kind of ['add', 'mul', 'min', 'max'] as const) b.store(`reduce_${kind}`, b.reduce(kind, held!), k);
  b.store('any', b.reduce('or', less), k);
};
