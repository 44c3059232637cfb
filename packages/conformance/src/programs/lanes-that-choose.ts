import { buildKernel, declareBuffer, makeModule, type ScalarType, type Value } from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf } from '../values.js';

/**
 * Which of several numbers is nearest to each of many, several at once: a loop carries how far it is, which it is, whether there was one at all and how often it changed. Behind the loop these
 * are divided, stored as words and as bytes, and are indices.
 */
export const choicePrograms = (): readonly Program[] =>
  (['f32', 'f64'] as const).flatMap((t) => [4, 8, 16].map((lanes) => choiceOf(t, lanes)));

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
