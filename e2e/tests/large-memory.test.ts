import { cpp } from '@filigree/backend-cpp';
import type { DiagnosticError } from '@filigree/ir';
import { dense, field, ij, kernel, layout, ndrange, program, u8, type Grid2, type Layout } from 'filigree';
import { describe, expect, it } from 'vitest';

/* Little of this memory is ever touched. */
const reals = field('reals', 'f32');
const bytes = field('bytes', 'u8');

const setReals = kernel([reals, 'i32'], (r: Grid2, apart: number) => {
  for (const [x, y] of ndrange(3, 3)) r[x * apart][y * apart] = 3 * x + y + 1;
});
const setBytes = kernel([bytes, 'i32'], (b: Grid2, apart: number) => {
  for (const [x, y] of ndrange(3, 3)) b[x * apart][y * apart] = u8(3 * x + y + 1);
});

const { usable } = await cpp().probe();

const refusal = (of: Layout, backend: string): Promise<unknown> =>
  program({ layout: of, kernels: {}, backend }).then(
    () => 'none',
    (e: unknown) => (e as DiagnosticError).diagnostics[0],
  );

describe('layouts beyond 4 GiB', () => {
  it.runIf(usable)('are addressed to their end by compiled kernels and by the host', async () => {
    const side = 36_001;
    const sim = await program({ layout: layout(dense(ij, side).place(reals)), kernels: { setReals }, backend: 'cpp' });
    try {
      sim.run.setReals((side - 1) / 2);
      const at = [0, (side - 1) / 2, side - 1];
      expect(at.flatMap((x) => at.map((y) => sim.fields.reals.get([x, y])))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      sim.fields.reals.set([side - 1, side - 2], 7);
      expect([1, 2, 3].map((n) => sim.fields.reals.get([side - 1, side - n]))).toEqual([9, 7, 0]);
    } finally {
      sim.dispose();
    }
  });

  it.runIf(usable)('and of more bytes than an i32 counts', async () => {
    const side = 50_001;
    const sim = await program({ layout: layout(dense(ij, side).place(bytes)), kernels: { setBytes }, backend: 'cpp' });
    try {
      sim.run.setBytes((side - 1) / 2);
      const at = [0, (side - 1) / 2, side - 1];
      expect(at.flatMap((x) => at.map((y) => sim.fields.bytes.get([x, y])))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    } finally {
      sim.dispose();
    }
  });

  it('are refused where they cannot be addressed, with the limit', async () => {
    expect(await refusal(layout(dense(ij, 36_001).place(reals)), 'wasm')).toMatchObject({
      code: 'wasm/memory-too-large',
      message: expect.stringContaining('WebAssembly addresses 4 GiB') as string,
    });
    expect(await refusal(layout(dense(ij, 70_001).place(bytes)), 'wasm')).toMatchObject({
      code: 'layout/too-large',
      message: 'the layout takes 4.6 GiB, and may take 4, as it has a field of u8',
    });
    expect(await refusal(layout(dense(ij, 50_001).place(reals)), 'wasm')).toMatchObject({
      code: 'layout/too-large',
      message: 'the layout takes 9.3 GiB, and may take 8',
    });
  });
});
