import { allocateBuffers, coreDialects, interpret, type OpDef } from '@filigree/ir';
import {
  gemmTargets,
  linalg,
  lowerPlan,
  packTensor,
  parseKernel,
  planKernel,
  unpackTensor,
  type TensorDecl,
} from '@filigree/tensor';
import { describe, expect, it } from 'vitest';
import { right } from './emit-support.js';

const numbers = (n: number): Float64Array => Float64Array.from({ length: n }, (_, k) => ((7 * k) % 11) - 3);

/** Runs a formula, and counts: how often the tensor A is read, and ops in all. */
const counted = (formula: string, tensors: Readonly<Record<string, TensorDecl>>) => {
  const plan = right(planKernel(right(parseKernel(formula, tensors)), { type: 'f64', target: gemmTargets.simd128 }));
  const module = right(lowerPlan(plan));
  const memory = allocateBuffers(module.buffers);
  for (const { tensor, layout, access } of plan.tensors)
    if (access === 'read')
      packTensor(
        tensor,
        layout,
        numbers(tensor.shape.reduce((n, x) => n * x, 1)).map((v, e) => v * (tensor.pattern?.bits[e] ?? 1)),
        memory[tensor.name] as Float64Array,
      );
  const found = { reads: 0, ops: 0 };
  const watched = [...coreDialects, linalg].map((d) => ({
    ...d,
    ops: Object.fromEntries(
      Object.entries(d.ops).map(([name, def]): [string, OpDef] => {
        const { bind: _, evaluate, ...rest } = def as OpDef & { evaluate: (...args: never[]) => unknown };
        const counting = (op: { readonly attrs: Readonly<Record<string, unknown>> }, ...given: readonly unknown[]) => {
          found.ops++;
          if (name === 'mem.load' && op.attrs.buffer === '@A') found.reads++;
          return evaluate(...([op, ...given] as never[]));
        };
        return [name, { ...rest, evaluate: counting } as unknown as OpDef];
      }),
    ),
  }));
  right(interpret(module, watched, memory, { kernel: module.kernels[0].name, args: [] }));
  const target = plan.tensors.find((t) => t.access !== 'read')!;
  return {
    plan,
    ...found,
    result: [...unpackTensor(target.tensor, target.layout, memory[target.tensor.name] as Float64Array)],
  };
};

const whole = (shape: Readonly<Record<string, readonly number[]>>): Readonly<Record<string, TensorDecl>> =>
  Object.fromEntries(Object.entries(shape).map(([name, extents]) => [name, { name, shape: extents }]));

describe('a diagonal', () => {
  const m = 3;
  it.each<readonly [string, (n: number) => Readonly<Record<string, readonly number[]>>, number]>([
    ['t[] = A[ii]', (n) => ({ A: [n, n], t: [] }), 1],
    ['d[i] = A[ii]', (n) => ({ A: [n, n], d: [n] }), 1],
    ['d[i] = A[iii]', (n) => ({ A: [n, n, n], d: [n] }), 1],
    ['C[ij] = A[iij]', (n) => ({ A: [n, n, m], C: [n, m] }), m],
    ['C[ji] = A[iji]', (n) => ({ A: [n, m, n], C: [m, n] }), m],
    ['C[ij] = A[ii]*B[ij]', (n) => ({ A: [n, n], B: [n, m], C: [n, m] }), m],
    ['C[ik] = A[iij]*B[jk]', (n) => ({ A: [n, n, m], B: [m, 2], C: [n, 2] }), m],
  ])('is read once an entry, and nothing beside it: %s', (formula, shapes, reads) => {
    const [small, large] = [8, 32].map((n) => counted(formula, whole(shapes(n))));
    expect([small.reads, large.reads]).toEqual([8 * reads, 32 * reads]);
    expect(large.ops).toBeLessThan(4.5 * small.ops);
    expect(large.plan.known ?? []).toEqual([]);
  });

  it.each<readonly [string, Readonly<Record<string, TensorDecl>>]>([
    [
      'boxes that begin apart',
      { A: { name: 'A', shape: [4, 4], pattern: { shape: [4, 4], bits: bitsOf(4, (i, j) => j > 1 && i > 0) } } },
    ],
    [
      'compressed',
      {
        A: {
          name: 'A',
          shape: [4, 4],
          layout: 'compressed',
          pattern: { shape: [4, 4], bits: bitsOf(4, (i, j) => i <= j && i !== 1) },
        },
      },
    ],
    [
      'columns',
      {
        A: {
          name: 'A',
          shape: [4, 4],
          layout: 'csc',
          pattern: { shape: [4, 4], bits: bitsOf(4, (i, j) => i + j < 5) },
        },
      },
    ],
    ['aligned', { A: { name: 'A', shape: [4, 4], layout: 'aligned' } }],
    ['known', { A: { name: 'A', shape: [4, 4], values: numbers(16) } }],
  ])('is read of any layout: %s', (_, tensors) => {
    const { result } = counted('d[i] = A[ii]', { ...tensors, ...whole({ d: [4] }) });
    const bits = tensors.A.pattern?.bits;
    const all = numbers(16);
    expect(result).toEqual([0, 1, 2, 3].map((i) => (bits?.[5 * i] === 0 ? 0 : all[5 * i])));
  });
});

function bitsOf(n: number, has: (i: number, j: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: n * n }, (_, e) => (has(e % n, Math.floor(e / n)) ? 1 : 0));
}
