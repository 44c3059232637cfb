import {
  buildKernel,
  declareBuffer,
  makeModule,
  type Buffer,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const most = 24;

const buffers: readonly Buffer[] = [
  declareBuffer('x', 'f64', most, 'inout'),
  declareBuffer('at', 'i32', most, 'input'),
  declareBuffer('z', 'f64', 2 * most + 2, 'inout'),
  declareBuffer('count', 'i64', most, 'inout'),
];

export const scatterInputs = (seed: number): Record<string, TypedArray> => {
  const word = (k: number): number => Math.imul(seed + k, 0x9e3779b1) >>> 7;
  return {
    x: Float64Array.from({ length: most }, (_, k) => (word(k) % 100) / 8),
    at: Int32Array.from({ length: most }, (_, k) => word(k + 500) % most),
    z: Float64Array.from({ length: 2 * most + 2 }, (_, k) => (word(k + 900) % 100) / 8),
    count: BigInt64Array.from({ length: most }, (_, k) => BigInt(word(k + 200) % 100)),
  };
};

/**
 * A parallel loop that computes with its own elements and adds to those of others, in branches too. Elements of `z` from `most` on belong to
 * an iteration each, which may change and read them between its updates, and update them as well.
 *
 * @param open whether the loop goes up to an argument
 */
export const randomScatters = (choose: Choose, open = false): Module => {
  const trips = choose(most + 1);
  return makeModule('m', buffers, [
    buildKernel(
      'k',
      open ? { n: 'i32' } : {},
      (b, { n }) => {
        b.for(
          b.i32(choose(2)),
          open ? b.min(n!, b.i32(most)) : b.i32(trips),
          b.i32(1 + (open ? 0 : choose(2))),
          { parallel: true },
          [],
          (i) => {
            const own = b.add(i, b.i32(most));
            const other = b.min(b.max(b.load('at', i), b.i32(0)), b.i32(most - 1));
            const values: Value[] = [b.load('x', i)];
            const any = (): Value => values[choose(values.length)]!;
            const number = (): Value => b.constant(choose(40) / 8 - 2, 'f64');
            for (let left = 12 + choose(12); left > 0; left--)
              values.push(choose(2) === 0 ? b.add(any(), number()) : b.sub(b.mul(any(), number()), any()));
            const update = (): void => {
              if (choose(5) === 0) b.atomic('count', 'add', b.cast(i, 'i64'), other);
              else b.atomic('z', 'add', any(), choose(6) === 0 ? own : b.add(other, b.i32(choose(2))));
            };
            for (let left = 1 + choose(4); left > 0; left--) {
              const kind = choose(7);
              if (kind < 3) update();
              else if (kind < 5) {
                const below = b.cmp('lt', any(), any());
                if (choose(2) === 0) b.if(below, () => (update(), []));
                else
                  b.if(
                    below,
                    () => (update(), []),
                    () => (update(), update(), []),
                  );
              } else if (kind === 5) b.store('z', any(), own);
              else values.push(b.add(b.load('z', own), b.load('x', i)));
            }
            b.store('x', any(), i);
          },
        );
      },
      buffers,
    ),
  ]);
};
