import { buildKernel, declareBuffer, makeModule, type ScalarType, type Value } from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf } from '../values.js';

/**
 * Which of several numbers is nearest to each of many, several at once: a loop carries how far it is, which it is, whether there was one at all and how often it changed. Behind the loop these
 * are divided, stored as words and as bytes, and are indices.
 */
export const choicePrograms = (): readonly Program[] => [
  ...(['f32', 'f64'] as const).flatMap((t) => [4, 8, 16].map((lanes) => choiceOf(t, lanes))),
  ...(['f32', 'f64', 'i32', 'u32', 'i64', 'i16'] as const).flatMap((t) => [extremesOf(t, 'i32'), extremesOf(t, 'i64')]),
];

const CENTRES = 23;
const NUMBERS = 64;

const choiceOf = (t: ScalarType, lanes: number): Program => {
  const buffers = [
    declareBuffer('x', t, NUMBERS, 'input'),
    declareBuffer('centres', t, CENTRES, 'input'),
    declareBuffer('nearest', 'i32', NUMBERS, 'output'),
    declareBuffer('changes', 'i32', NUMBERS, 'output'),
    declareBuffer('near', 'i1', NUMBERS, 'output'),
    declareBuffer('centre', t, NUMBERS, 'output'),
  ];
  const kernel = buildKernel(
    'choose',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(NUMBERS), b.i32(lanes), {}, [], (first) => {
        const all = (v: Value): Value => b.splat(v, lanes);
        const word = (n: number): Value => all(b.i32(n));
        const x = b.load('x', first, lanes);
        const inits = [all(b.constant(1e6, t)), word(0), word(0), all(b.bool(false))];
        const [, best, count, near] = b.for(b.i32(0), b.i32(CENTRES), b.i32(1), {}, inits, (k, [far, at, n, is]) => {
          const away = b.math('abs', b.sub(x, all(b.load('centres', k))));
          const closer = b.cmp('lt', away, far!);
          return [
            b.select(closer, away, far!),
            b.select(closer, all(k), at!),
            b.select(closer, b.add(n!, word(1)), n!),
            b.or(is!, b.cmp('lt', away, all(b.constant(1, t)))),
          ];
        }) as [Value, Value, Value, Value];
        b.store('nearest', best, first);
        b.store('changes', b.add(b.div(b.mul(count, word(7)), word(3)), b.select(near, best, word(0))), first);
        b.store('near', near, first);
        b.store('centre', b.gather('centres', best), first);
      }),
    buffers,
  );
  return {
    name: `${lanes} lanes choose the nearest of ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: {
      x: arrayOf(t, NUMBERS, (k) => (k * 29) % NUMBERS),
      centres: arrayOf(t, CENTRES, (k) => ((k * 11) % CENTRES) * 3 + 0.5),
    },
  };
};

/**
 * Loops one iteration of which may follow any other, and which keep the least and greatest of numbers among which many are equal, the first and the last such, and where they are, the truth of something
 * there and the number beside.
 */
const extremesOf = (t: ScalarType, counter: 'i32' | 'i64'): Program => {
  const buffers = [
    declareBuffer('x', t, NUMBERS, 'input'),
    declareBuffer('best', t, PREDICATES.length, 'output'),
    declareBuffer('where', counter, PREDICATES.length, 'output'),
    declareBuffer('even', 'i1', PREDICATES.length, 'output'),
    declareBuffer('beside', t, PREDICATES.length, 'output'),
  ];
  const kernel = buildKernel(
    'extremes',
    {},
    (b) =>
      PREDICATES.forEach((predicate, n) => {
        const count = (k: number): Value => b.constant(k, counter);
        const inits = [b.constant(NUMBERS / 2, t), count(-1), b.bool(false), b.constant(0, t)];
        const attrs = { independent: true, ...(n % 2 === 0 ? {} : { trips: 1000 }) };
        const [best, where, even, beside] = b.for(count(n), count(NUMBERS - 1), count(1), attrs, inits, (k, own) => {
          const v = b.load('x', k);
          const beyond = b.cmp(predicate, v, own[0]!);
          const isEven = b.cmp('eq', b.and(k, count(1)), count(0));
          return [v, k, isEven, b.load('x', b.add(k, count(1)))].map((x, at) => b.select(beyond, x, own[at]!));
        }) as [Value, Value, Value, Value];
        b.store('best', best, b.i32(n));
        b.store('where', where, b.i32(n));
        b.store('even', even, b.i32(n));
        b.store('beside', beside, b.i32(n));
      }),
    buffers,
  );
  return {
    name: `the first and last of the least and greatest of ${t}, counted in ${counter}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: { x: arrayOf(t, NUMBERS, (k) => (t.startsWith('f') && k % 13 === 5 ? NaN : ((k * 29) % 7) * 9)) },
  };
};

const PREDICATES = ['gt', 'ge', 'lt', 'le'] as const;
