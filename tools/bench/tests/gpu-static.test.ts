import { expect, test } from 'vitest';
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
