import { conformance, type Program } from '@filigree/conformance';
import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import { cpp } from '@filigree/backend-cpp';
import { expect, it } from 'vitest';

const backend = cpp({ vectorBytes: 64 });
const { usable } = await backend.probe();

/** Numbers of a vector of doubles, side by side in another order. */
const inAnotherOrder = (order: readonly number[]): Program => {
  const buffers = [
    declareBuffer('x', 'f64', 8, 'input'),
    declareBuffer('y', 'f64', order.length, 'output'),
    declareBuffer('own', 'f64', 8, 'scratch'),
  ];
  const kernel = buildKernel(
    'order',
    {},
    (b) => {
      const x = b.load('x', b.i32(0), 8);
      b.store('own', b.mul(x, x), b.i32(0));
      order.forEach((from, to) => b.store('y', b.load('own', b.i32(from)), b.i32(to)));
    },
    buffers,
  );
  const x = Float64Array.from({ length: 8 }, (_, k) => k + 0.5);
  return { name: `numbers ${order.join(' ')} of a vector`, module: makeModule('m', buffers, [kernel]), inputs: { x } };
};

/* What g++ 12 makes one instruction of, which moves numbers within pairs alone. */
it.skipIf(!usable)('numbers of a vector that are taken one by one are those that are asked for', async () => {
  const programs = [
    [0, 1, 5, 6],
    [1, 0, 7, 3],
    [0, 1, 2, 5, 4, 5, 6, 7],
    [1, 1, 4, 4, 5, 4, 7, 6],
  ].map(inAnotherOrder);
  for (const { run } of conformance(backend, { programs, threads: [1] }))
    expect(await run()).toEqual({ status: 'passed' });
});
