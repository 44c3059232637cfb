import { buildKernel, declareBuffer, makeModule, type Builder, type Value } from '@filigree/ir';
import { describe, expect, test } from 'vitest';
import { bytesByModel } from '../src/gpu/bytes-by-model.js';
import { chips, occupancy } from '../src/gpu/occupancy.js';
import { resourcesOf } from '../src/gpu/resources.js';

const said = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'filigree_kernel_a' for 'sm_90'
ptxas info    : Function properties for filigree_kernel_a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compiling entry function 'filigree_kernel_b' for 'sm_90'
ptxas info    : Function properties for filigree_kernel_b
    48 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 49152 bytes smem
`;

test('what nvcc says of kernels is read, one by one', () => {
  expect(resourcesOf(said)).toEqual([
    { kernel: 'filigree_kernel_a', registers: 32, shared: 0, spilled: 0 },
    { kernel: 'filigree_kernel_b', registers: 255, shared: 49152, spilled: 24 },
  ]);
});

test.each([
  ['sm_90', 32, 0, 1],
  ['sm_90', 64, 0, 0.5],
  ['sm_80', 255, 0, 0.125],
  ['sm_75', 64, 0, 1],
  ['sm_80', 32, 48 * 1024, 0.375],
])('%s holds, of kernels with %i registers and %i shared bytes, a share of %f', (name, registers, shared, share) => {
  const chip = chips.find((c) => c.name === name)!;
  expect(occupancy(chip, { kernel: '', registers, shared, spilled: 0 }, 256)).toBe(share);
});

describe('bytes by model', () => {
  const moved = (length: number, body: (b: Builder) => void) => {
    const buffers = [
      declareBuffer('x', 'f64', length, 'input'),
      declareBuffer('at', 'i32', length, 'input'),
      declareBuffer('y', 'f64', length, 'inout'),
    ];
    return bytesByModel(makeModule('m', buffers, [buildKernel('k', {}, body, buffers)]));
  };
  const loop = (b: Builder, n: number, body: (i: Value) => void): void =>
    void b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], body);

  test('are those of each element, as often as the loops run on which its index depends', () => {
    const axpy = moved(1000, (b) => {
      const a = b.load('x', b.i32(999));
      loop(b, 700, (i) => b.store('y', b.add(b.mul(a, b.load('x', i)), b.load('y', i)), i));
    });
    expect(axpy).toEqual([{ kernel: 'k', bytes: 8 + 3 * 700 * 8, whole: true }]);
    const inLoop = moved(1000, (b) => loop(b, 30, (i) => loop(b, 20, () => b.store('y', b.load('x', i), i))));
    expect(inLoop[0]!.bytes).toBe(2 * 30 * 8);
  });

  test('go through tables, and are no more than a buffer has', () => {
    const gathered = moved(50, (b) =>
      loop(b, 40, (i) => loop(b, 40, (j) => b.store('y', b.load('x', b.add(b.load('at', i), j)), i))),
    );
    expect(gathered[0]!.bytes).toBe(40 * 4 + 50 * 8 + 40 * 8);
  });

  test('are of one iteration where nobody knows how often a loop runs', () => {
    const open = moved(50, (b) => {
      const many = b.load('at', b.i32(0));
      b.for(b.i32(0), many, b.i32(1), { parallel: true }, [], (i) => b.store('y', b.load('x', i), i));
    });
    expect(open).toEqual([{ kernel: 'k', bytes: 4 + 16, whole: false }]);
  });
});
