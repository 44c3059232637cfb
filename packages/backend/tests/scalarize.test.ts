import { describe, expect, it } from 'vitest';
import { gnuVectorOps, scalarizeVectors, splitVectors } from '@filigree/backend';
import {
  type Module,
  type TypedArray,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
} from '@filigree/ir';

const buffers = [
  declareBuffer('x', 'f32', 16, 'input'),
  declareBuffer('y', 'f32', 16, 'output'),
  declareBuffer('s', 'f32', 4, 'output'),
];

const vectors = (): Module =>
  makeModule('m', buffers, [
    buildKernel(
      'k',
      {},
      (b) => {
        b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (k) => {
          const at = b.mul(k, b.i32(4));
          const x = b.load('x', at, 4);
          const [sum] = b.for(b.i32(0), b.i32(3), b.i32(1), {}, [x], (_i, [v]) => b.fma(v, x, b.splat(b.f32(0.5), 4)));
          const [kept] = b.if(
            b.cmp('lt', k, b.i32(2)),
            () => sum,
            () => b.insert(x, b.extract(sum, 3), 1),
          );
          const [last] = b.while(
            [kept, b.i32(0)],
            ([v, n]) => [b.cmp('lt', n, k), v, n],
            ([v, n]) => [b.math('abs', v), b.add(n, b.i32(1))],
          );
          b.scatter('y', last, b.sub(b.splat(b.add(at, b.i32(3)), 4), b.iota(b.i32(0), 4)));
          b.store('s', b.reduce('max', b.gather('x', b.iota(at, 4))), k);
        });
      },
      buffers,
    ),
  ]);

const run = (module: Module): Record<string, TypedArray> => {
  const memory = {
    x: Float32Array.from({ length: 16 }, (_, k) => Math.sin(k)),
    y: new Float32Array(16),
    s: new Float32Array(4),
  };
  expect(interpret(module, coreDialects, memory)).toMatchObject({ _tag: 'Right' });
  return memory;
};

describe('taking vectors apart', () => {
  it('keeps the meaning, through loops, branches and memory', () => {
    const result = scalarizeVectors.run(vectors());
    expect(result).toMatchObject({ _tag: 'Right' });
    const scalar = (result as { right: Module }).right;
    expect(verifyModule(scalar, coreDialects)).toEqual([]);
    expect(JSON.stringify(scalar.kernels)).not.toContain('"lanes":');
    expect(run(scalar)).toEqual(run(vectors()));
  });

  it('leaves a module without vectors as it is', () => {
    const plain = makeModule('m', buffers, [buildKernel('k', {}, (b) => b.store('y', b.f32(1), b.i32(0)), buffers)]);
    expect(scalarizeVectors.run(plain)).toMatchObject({ right: plain });
  });

  it('refuses an op that it does not know on vectors', () => {
    const module = vectors();
    const ops = module.kernels[0].body.ops;
    const strange = {
      name: 'x.y',
      operands: [],
      results: [{ id: 9999, type: { lanes: 4, of: 'f32' as const } }],
      attrs: {},
      regions: [],
    };
    const kernel = { ...module.kernels[0], body: { params: [], ops: [strange, ...ops] } };
    expect(scalarizeVectors.run({ ...module, kernels: [kernel] })).toMatchObject({ left: [{ code: 'scalarize/op' }] });
  });
});

describe('taking vectors apart into registers', () => {
  const lengths = (module: Module): ReadonlySet<string> =>
    new Set(JSON.stringify(module.kernels).match(/"lanes":\d+,"of":"\w+"/g) ?? []);

  for (const [bytes, left] of [
    [32, ['"lanes":4,"of":"f32"']],
    [8, ['"lanes":2,"of":"f32"']],
    [4, []],
  ] as const)
    it(`of ${bytes} bytes, which keeps the meaning`, () => {
      const result = splitVectors({ bytes, ops: gnuVectorOps }).run(vectors());
      expect(result).toMatchObject({ _tag: 'Right' });
      const { right } = result as { right: Module };
      expect(verifyModule(right, coreDialects)).toEqual([]);
      expect([...lengths(right)]).toEqual(left);
      expect(run(right)).toEqual(run(vectors()));
    });

  it('does whole what registers can do, and the rest lane by lane', () => {
    const module = makeModule('m', buffers, [
      buildKernel(
        'k',
        {},
        (b) => {
          const x = b.load('x', b.i32(0), 8);
          b.store('y', b.math('sqrt', b.add(x, x)), b.i32(8));
        },
        buffers,
      ),
    ]);
    const { right } = splitVectors({ bytes: 16, ops: new Set(['arith.add']) }).run(module) as { right: Module };
    const count = (name: string): number => right.kernels[0].body.ops.filter((op) => op.name === name).length;
    expect(['mem.load', 'arith.add', 'math.sqrt', 'mem.store'].map(count)).toEqual([2, 2 + 2, 8, 2]);
    expect(run(right).y).toEqual(run(module).y);
  });
});
