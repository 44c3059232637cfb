import { buildKernel, declareBuffer, makeModule, type ScalarType, type Value } from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf } from '../values.js';

/**
 * Where each number would stand in a table in order, several numbers at once: lanes read the table apart from each other, and those that have found their
 * place read nothing more while others go on.
 */
export const searchPrograms = (): readonly Program[] =>
  (['f32', 'f64', 'i32', 'u32'] as const).flatMap((t) => [4, 8, 16].map((lanes) => searchIn(t, lanes)));

const ROWS = 37;
const NUMBERS = 64;

const searchIn = (t: ScalarType, lanes: number): Program => {
  const buffers = [
    declareBuffer('table', t, ROWS, 'input'),
    declareBuffer('x', t, NUMBERS, 'input'),
    declareBuffer('found', 'i32', NUMBERS, 'output'),
    declareBuffer('next', t, NUMBERS, 'output'),
  ];
  const kernel = buildKernel(
    'search',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(NUMBERS), b.i32(lanes), {}, [], (first) => {
        const all = (n: number): Value => b.splat(b.i32(n), lanes);
        /* Every third number, round and round. */
        const own = b.and(b.mul(b.iota(first, lanes), all(3)), all(NUMBERS - 1));
        const x = b.gather('x', own);
        const [least, most] = b.while(
          [all(0), all(ROWS), all(0)],
          ([lo, hi]) => {
            const goesOn = b.cmp('lt', lo!, hi!);
            return [b.reduce('or', goesOn), lo!, hi!, b.shr(b.add(lo!, hi!), all(1)), goesOn];
          },
          ([lo, hi, middle, on]) => {
            const below = b.cmp('lt', b.gather('table', b.select(on!, middle!, all(0))), x);
            const [from, to] = [b.select(below, b.add(middle!, all(1)), lo!), b.select(below, hi!, middle!)];
            return [b.select(on!, from, lo!), b.select(on!, to, hi!), middle!];
          },
        ) as [Value, Value];
        b.scatter('found', most, own);
        b.scatter('next', b.gather('table', b.min(least, all(ROWS - 1))), own);
      }),
    buffers,
  );
  return {
    name: `${lanes} lanes search a table of ${t}`,
    module: makeModule('m', buffers, [kernel]),
    inputs: {
      table: arrayOf(t, ROWS, (k) => 5 * k + 2),
      x: arrayOf(t, NUMBERS, (k) => ((k * 29) % NUMBERS) * 3),
    },
  };
};
