import { describe, expect, it } from 'vitest';
import { backends, compileTensors, einsum, evaluateKernel } from 'filigree';
import { randomKernel } from '@filigree/tensor';

const ofProcessors = backends().filter((b) => b.name === 'cpp' || b.name === 'wasm');
const found = await Promise.all(ofProcessors.map((b) => b.probe()));
const working = found.filter((a) => a.usable || process.env['CI'] === 'true').map((a) => a.name);

describe.each(working)('random contractions on %s', (backend) => {
  it.each([11, 23, 35, 47])('equal nested loops (seed %i)', { timeout: 120_000 }, async (seed) => {
    const { decl, values, scalars } = randomKernel(seed, 9);
    const program = await compileTensors([decl], { backend, fastMath: false });
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

describe.each(working)('indices that stand anywhere, on %s', (backend) => {
  /* Column-major; A is not symmetric. */
  const A = Float64Array.from({ length: 9 }, (_, e) => e * e - 3 * e + 1);
  const a = (i: number, j: number): number => A[i + 3 * j]!;
  const x = Float64Array.of(2, -1, 0.5);
  const three = [0, 1, 2];
  const sum = (of: (i: number) => number): number => three.reduce((s, i) => s + of(i), 0);
  it.each<[string, string, readonly number[]]>([
    ['t[] = A[ii]', 't', [sum((i) => a(i, i))]],
    ['d[i] = 2*A[ii]', 'd', three.map((i) => 2 * a(i, i))],
    ['t[] = A[ii]*A[jj]*x[k]', 't', [sum((i) => a(i, i)) ** 2 * sum((k) => x[k]!)]],
    ['d[i] = x[i]*x[i]*x[i]', 'd', three.map((i) => x[i]! ** 3)],
    ['t[] = A[ij]*x[i]*x[i]*A[ij]', 't', [sum((i) => sum((j) => a(i, j) ** 2 * x[i]! ** 2))]],
    ['d[i] = A[ij]', 'd', three.map((i) => sum((j) => a(i, j)))],
    ['x[i] = A[ij]*x[j]', 'x', three.map((i) => sum((j) => a(i, j) * x[j]!))],
    ['x[i] += x[j]*A[ji] - x[i]', 'x', three.map((i) => sum((j) => a(j, i) * x[j]!))],
    [
      'A[ij] = A[ji] + A[ik]*A[kj]',
      'A',
      three.flatMap((j) => three.map((i) => a(j, i) + sum((k) => a(i, k) * a(k, j)))),
    ],
  ])('%s', async (formula, name, expected) => {
    const shapes = Object.fromEntries(
      [...new Set(formula.match(/[Ax](?=\[)/g))].map((t) => [t, t === 'A' ? [3, 3] : [3]]),
    );
    const program = await einsum(formula, { backend, shapes });
    const given: Readonly<Record<string, Float64Array>> = { A, x };
    for (const [own, tensor] of Object.entries(program.tensors))
      tensor.set(given[own] ?? new Float64Array(tensor.get().length));
    program.run();
    program.tensors[name]!.get().forEach((value, k) => expect(value).toBeCloseTo(expected[k]!, 12));
    program.dispose();
  });
});
