import { type Buffer, type Builder, type Value, buildKernel, declareBuffer, isFloat, makeModule } from '@filigree/ir';
import type { Program } from '../program.js';
import { randomArray } from '../values.js';

/** Scratch buffers: one for each iteration of a parallel loop, and for serial code. */
export const scratchPrograms = (): readonly Program[] => [
  tiles(64, 'f32', 'tiles reversed through scratch'),
  tiles(8192, 'f64', 'tiles as large as scratch may be'),
  manyTiles(),
  serialScratch(),
  privateAtomics(),
  scratchInSimdLoop(),
];

const program = (name: string, buffers: readonly Buffer[], body: (b: Builder) => void): Program => ({
  name,
  module: makeModule('m', buffers, [buildKernel('k', {}, body, buffers)]),
  inputs: Object.fromEntries(
    buffers
      .filter((b) => b.role === 'input' || b.role === 'inout')
      .map((b, k) => [
        b.name,
        randomArray(b.type, b.length, k + 1, isFloat(b.type) ? -1 : 0, isFloat(b.type) ? 1 : 50),
      ]),
  ),
});

const range = (b: Builder, n: number, attrs: Record<string, boolean>, body: (i: Value) => void): void =>
  void b.for(b.i32(0), b.i32(n), b.i32(1), attrs, [], body);

/* Each iteration fills its tile from one end and reads it from the other. */
const tiles = (size: number, type: 'f32' | 'f64', name: string): Program => {
  const blocks = 20;
  const buffers = [
    declareBuffer('x', type, blocks * size, 'input'),
    declareBuffer('y', type, blocks * size, 'output'),
    declareBuffer('tile', type, size, 'scratch'),
  ];
  return program(name, buffers, (b) =>
    range(b, blocks, { parallel: true }, (block) => {
      const from = b.mul(block, b.i32(size));
      range(b, size, { simd: true }, (i) => b.store('tile', b.load('x', b.add(from, i)), i));
      range(b, size, { simd: true }, (i) =>
        b.store('y', b.add(b.load('tile', b.sub(b.i32(size - 1), i)), b.load('tile', i)), b.add(from, i)),
      );
    }),
  );
};

/* More than a small stack would hold, of several types. */
const manyTiles = (): Program => {
  const types = ['f64', 'f32', 'i32', 'u8', 'i64', 'i1'] as const;
  const size = 4000;
  const buffers = [
    ...types.map((t) => declareBuffer(`t_${t}`, t, size, 'scratch')),
    declareBuffer('y', 'f64', 12, 'output'),
  ];
  return program('scratch buffers of many types', buffers, (b) =>
    range(b, 12, { parallel: true }, (k) => {
      range(b, size, {}, (i) => {
        const n = b.add(b.mul(k, b.i32(3)), i);
        for (const t of types)
          b.store(`t_${t}`, t === 'i1' ? b.cmp('eq', b.and(n, b.i32(1)), b.i32(0)) : b.cast(n, t), i);
      });
      const [sum] = b.for(b.i32(0), b.i32(size), b.i32(1), {}, [b.i32(0)], (i, [s]) => {
        const parts = types.map((t) => b.cast(b.load(`t_${t}`, i), 'i32'));
        return parts.reduce((x, y) => b.add(x, y), s!);
      });
      b.store('y', b.cast(sum!, 'f64'), k);
    }),
  );
};

/* Serial code before and after a parallel loop, which has scratch of its own. */
const serialScratch = (): Program => {
  const buffers = [
    declareBuffer('x', 'i32', 40, 'input'),
    declareBuffer('y', 'i32', 42, 'output'),
    declareBuffer('s', 'i32', 4, 'scratch'),
  ];
  return program('scratch of serial code and of a loop', buffers, (b) => {
    const accumulate = (n: number): Value => {
      b.store('s', b.i32(0), b.i32(2));
      range(b, n, {}, (i) => b.store('s', b.add(b.load('s', b.i32(2)), b.load('x', i)), b.i32(2)));
      return b.load('s', b.i32(2));
    };
    b.store('y', accumulate(40), b.i32(40));
    range(b, 40, { parallel: true }, (i) => {
      const at = b.and(i, b.i32(3));
      b.store('s', b.load('x', i), at);
      range(b, 3, { parallel: true }, () => b.store('s', b.mul(b.load('s', at), b.i32(2)), at));
      b.store('y', b.load('s', at), i);
    });
    b.store('y', accumulate(17), b.i32(41));
  });
};

const privateAtomics = (): Program => {
  const buffers = [
    declareBuffer('x', 'i32', 640, 'input'),
    declareBuffer('bins', 'i32', 64, 'inout'),
    declareBuffer('old', 'i32', 640, 'output'),
    declareBuffer('local', 'i32', 8, 'scratch'),
  ];
  return program('atomics on scratch', buffers, (b) =>
    range(b, 8, { parallel: true }, (block) => {
      range(b, 8, {}, (k) => b.store('local', b.i32(0), k));
      range(b, 80, {}, (i) => {
        const at = b.add(b.mul(block, b.i32(80)), i);
        const bin = b.and(b.load('x', at), b.i32(7));
        b.store('old', b.atomic('local', 'add', b.i32(1), bin), at);
        b.cas('local', b.i32(5), b.i32(100), bin);
        b.atomic('local', 'max', b.i32(2), bin);
      });
      range(b, 8, {}, (k) => void b.atomic('bins', 'add', b.load('local', k), b.add(b.mul(block, b.i32(8)), k)));
    }),
  );
};

const scratchInSimdLoop = (): Program => {
  const buffers = [
    declareBuffer('x', 'f64', 300, 'input'),
    declareBuffer('y', 'f64', 300, 'output'),
    declareBuffer('s', 'f64', 2, 'scratch'),
  ];
  return program('scratch in a parallel loop that asks for lanes', buffers, (b) =>
    range(b, 300, { parallel: true, simd: true }, (i) => {
      b.store('s', b.load('x', i), b.i32(1));
      b.store('s', b.mul(b.load('s', b.i32(1)), b.f64(3)), b.i32(0));
      b.store('y', b.add(b.load('s', b.i32(0)), b.load('s', b.i32(1))), i);
    }),
  );
};
