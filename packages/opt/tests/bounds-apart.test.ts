import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  walk,
  type Buffer,
  type Module,
  type Value,
} from '@filigree/ir';
import { vectorizeNests } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';

const N = 24;
const buffers: readonly Buffer[] = [
  declareBuffer('x', 'f32', N * N, 'input'),
  declareBuffer('w', 'f32', N, 'input'),
  declareBuffer('y', 'f32', N, 'inout'),
];

/** Columns of a triangle: loops for lanes around loops that begin or end a lane later, or earlier, from lane to lane. */
const randomTriangle = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const kernel = buildKernel(
    'triangle',
    { m: 'i32' },
    (b, { m }) => {
      const number = (n: number): Value => b.i32(n);
      const one = number(1);
      const [lb, ub] = pick([
        [number(0), number(N)],
        [number(choose(4)), number(N - choose(3))],
        [number(0), b.min(b.max(m, number(0)), number(N))],
      ]);
      b.for(lb, ub, one, { simd: true }, [], (j) => {
        const bound = pick([
          () => j,
          () => b.add(j, one),
          () => b.sub(number(N), j),
          () => b.sub(number(N - 1), j),
          () => b.add(number(choose(3) - 1), j),
          () => b.add(j, b.min(b.max(m, number(-3)), number(3))),
          () => b.sub(b.add(j, j), j),
        ])();
        const other = pick([number(0), number(N), number(N >> 1), b.min(m, number(N))]);
        const [from, to] = choose(2) === 0 ? [bound, other] : [other, bound];
        const sums = b.for(
          from,
          to,
          pick([one, one, one, number(2)]),
          {},
          [b.constant(0, 'f32'), number(0)],
          (i, [s, n]) => {
            const row = pick([() => i, () => b.max(b.min(i, number(N - 1)), number(0)), () => b.and(i, number(15))])();
            const read = pick([
              () => b.load('x', b.add(b.mul(row, number(N)), j)),
              () => b.load('x', b.add(b.mul(row, number(N)), b.sub(number(N - 1), j))),
              () => b.mul(b.load('x', b.add(b.mul(row, number(N)), j)), b.load('w', row)),
              () => b.add(b.load('w', j), b.load('w', b.max(b.min(b.sub(j, i), number(N - 1)), number(0)))),
            ])();
            return [b.add(s!, read), pick([b.add(n!, i), b.add(n!, j), b.max(n!, i)])];
          },
        );
        b.store('y', b.add(sums[0]!, b.cast(sums[1]!, 'f32')), j);
      });
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): Float32Array | undefined => {
  const x = Float32Array.from({ length: N * N }, (_, k) => (k * 37) % 101);
  const w = Float32Array.from({ length: N }, (_, k) => (k * 5) % 7);
  const y = Float32Array.from({ length: N }, (_, k) => -k);
  const result = interpret(module, coreDialects, { x, w, y }, { kernel: 'triangle', args: [m] });
  return E.isLeft(result) ? undefined : y;
};

const loopsOnVectors = (module: Module): number => {
  let loops = 0;
  walk(module.kernels[0]!.body, ({ name, results }) => {
    if (name === 'scf.for' && results.some(({ type }) => typeof type !== 'string')) loops++;
  });
  return loops;
};

it('columns of triangles come out the same on lanes', () => {
  let apart = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 12, maxLength: 40 }),
      fc.integer({ min: -5, max: 30 }),
      (choices, m) => {
        const before = randomTriangle(choices);
        const expected = after(before, m);
        /* What is read out of bounds is no kernel of anyone. */
        fc.pre(expected !== undefined);
        const made = applied(vectorizeNests({ bytes: 16 }), before);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (loopsOnVectors(made) > 1) apart++;
        expect(after(made, m)).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(apart).toBeGreaterThan(10);
});
