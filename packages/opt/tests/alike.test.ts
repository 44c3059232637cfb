import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  type Builder,
  type Kernel,
  type Value,
} from '@filigree/ir';
import { alikeKernels, withNumbers, withoutNumbers } from '@filigree/opt';

const buffers = [declareBuffer('y', 'i32', 64, 'inout')];

const wide = [declareBuffer('y', 'i32', 128, 'inout')];

const over = (name: string, count: number, body: (b: Builder, i: Value) => void, to = buffers): Kernel =>
  buildKernel(
    name,
    {},
    (b) => void b.for(b.i32(0), b.i32(count), b.i32(1), { parallel: true }, [], (i) => body(b, i)),
    to,
  );

/** How many kernels are optimised and written, if they differ in one number. */
const kinds: readonly (readonly [what: string, kinds: number, of: (n: number) => Kernel])[] = [
  ['how often a loop runs', 1, (n) => over(`k${n}`, n, (b, i) => b.store('y', i, i))],
  ['where something lies', 1, (n) => over(`k${n}`, 8, (b, i) => b.store('y', i, b.add(i, b.i32(n))))],
  [
    'how often a loop within a loop runs',
    3,
    (n) =>
      over(`k${n}`, 2, (b, i) => void b.for(b.i32(0), b.i32(n), b.i32(1), {}, [], (j) => b.store('y', i, b.add(i, j)))),
  ],
  [
    'how far the iterations of an innermost loop lie from each other',
    3,
    (n) =>
      over(
        `k${n}`,
        2,
        (b, i) =>
          void b.for(b.i32(0), b.i32(4), b.i32(1), {}, [], (j) => b.store('y', i, b.add(i, b.mul(j, b.i32(n))))),
      ),
  ],
  [
    'how far those of the loop around it do',
    1,
    (n) =>
      over(
        `k${n}`,
        2,
        (b, i) =>
          void b.for(b.i32(0), b.i32(4), b.i32(1), {}, [], (j) => b.store('y', i, b.add(j, b.mul(i, b.i32(n))))),
      ),
  ],
  ['what is divided by', 3, (n) => over(`k${n}`, 8, (b, i) => b.store('y', b.div(i, b.i32(n)), i))],
  ['what is done', 3, (n) => over(`k${n}`, 8, (b, i) => b.store('y', [b.add, b.sub, b.mul][n % 3]!(i, i), i))],
];

it.each(kinds)('kernels that differ in %s', (_, count, of) => {
  const kernels = [9, 10, 11].map(of);
  const groups = alikeKernels(kernels);
  expect(groups).toHaveLength(count);
  expect(groups.flatMap(({ members }) => members)).toEqual([0, 1, 2]);
  for (const { members, kernel, numbers } of groups)
    for (const [k, m] of members.entries()) {
      const own = withNumbers(kernel, kernels[m]!.name, numbers[k]!);
      expect(own.params).toEqual(kernels[m]!.params);
      expect(withoutNumbers(own).numbers).toEqual(numbers[k]);
      if (members.length > 1) expect(withoutNumbers(own).kernel.body.ops).toEqual(kernel.body.ops);
    }
});

it('numbers that are equally far from each other are one, and distances', () => {
  const from = [8, 40, 56];
  const kernels = from.map((n) =>
    over(
      `k${n}`,
      4,
      (b, i) => {
        const y = [n - 1, n, n + 1].map((k) => b.load('y', b.add(i, b.i32(k))));
        b.store('y', y.reduce(b.add), b.add(i, b.i32(64 - n)));
      },
      wide,
    ),
  );
  const [{ kernel, numbers }, ...others] = alikeKernels(kernels);
  expect(others).toEqual([]);
  expect(kernel.params.map((p) => p.type)).toEqual(['i32', 'i32']);
  expect(numbers).toEqual([
    [7, 56],
    [39, 24],
    [55, 8],
  ]);
  const run = (k: Kernel): ArrayLike<unknown> => {
    const y = Int32Array.from({ length: 128 }, (_, n) => n * n);
    expect(E.isRight(interpret(makeModule('one', wide, [k]), coreDialects, { y }))).toBe(true);
    return y;
  };
  for (const [m, own] of kernels.entries()) expect(run(withNumbers(kernel, own.name, numbers[m]!))).toEqual(run(own));
});
