import { describe, expect, it } from 'vitest';
import { backends, compileTensors, evaluateKernel } from 'filigree';
import { randomKernel } from '@filigree/tensor';

const ofProcessors = backends().filter((b) => b.name === 'cpp' || b.name === 'wasm');
const found = await Promise.all(ofProcessors.map((b) => b.probe()));
const working = found.filter((a) => a.usable || process.env['CI'] === 'true').map((a) => a.name);

describe.each(working)('random contractions on %s', (backend) => {
  it.each([11, 23, 35, 47])('equal nested loops (seed %i)', { timeout: 120_000 }, async (seed) => {
    const { decl, values, scalars } = randomKernel(seed, 9);
    const program = await compileTensors([decl], { backend, plan: { implicitSums: true }, fastMath: false });
    const kernel = program.kernels[decl.name]!;
    for (const t of kernel.plan.tensors) {
      const data = program.tensors[t.tensor.name]!;
      if (t.access === 'write') data.data.fill(NaN);
      else if (!t.tensor.values) data.set(values[t.tensor.name]!);
    }
    kernel.run({ scalars: Object.fromEntries(kernel.plan.scalars.map((s) => [s, scalars[s]!])) });
    for (const [name, entries] of Object.entries(evaluateKernel(decl, values, scalars))) {
      const largest = entries.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
      program.tensors[name]!.get().forEach((x, k) =>
        expect(Math.abs(x - entries[k]!), `${name}, entry ${k}`).toBeLessThanOrEqual(1e-12 * largest),
      );
    }
    program.dispose();
  });
});
