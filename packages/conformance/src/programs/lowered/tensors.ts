import { orThrow } from '@filigree/ir';
import { type TensorDecl, lowerPlan, parseKernel, planKernel } from '@filigree/tensor/einsum';
import type { Program } from '../../program.js';
import type { Target } from './on-fields.js';

/**
 * What `tensor` makes of a formula for many elements, with an intermediate result, a factor that is stored sparsely, what all elements share, and elements that find theirs by number.
 * Numbers are whole, so that sums are exact in any order.
 */
export const tensorProgram = ({ name: whom, grain }: Target): Program => {
  const shapes = { Q: [10, 8, 3], I: [10, 6, 4], K: [6, 8], A: [4, 3], S: [10] };
  const tensors = {
    ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { name, shape }])),
    A: sparse('A', shapes.A),
  };
  const kernel = orThrow(parseKernel('Q[skp] += S[s]*I[slq]*K[lk]*A[qp]', tensors));
  const plan = orThrow(planKernel(kernel, { type: 'f32' }));
  const module = orThrow(
    lowerPlan(plan, {
      elements: {
        kind: 'many',
        count: COUNT,
        placed: { K: { kind: 'shared' }, S: { kind: 'shared' }, I: { kind: 'indexed', by: 'from' } },
      },
      ...(grain?.team ? { team: { sharedBytes: grain.team.sharedBytes } } : {}),
    }),
  );
  const inputs = Object.fromEntries(
    module.buffers
      .filter((b) => b.role === 'input' || b.role === 'inout')
      .map((b, k) => [
        b.name,
        b.type === 'i32'
          ? Int32Array.from({ length: b.length }, (_, e) => (5 * e + 2) % COUNT)
          : Float32Array.from({ length: b.length }, (_, x) => ((x * 7 + k) % 7) - 3),
      ]),
  );
  return {
    name: `a formula of tensors for many elements, lowered for ${whom}`,
    module,
    inputs,
    launches: [{ kernel: module.kernels[0]!.name, args: [1, COUNT] }],
  };
};

/** Two of three entries, column by column. */
const sparse = (name: string, shape: readonly number[]): TensorDecl => ({
  name,
  shape,
  pattern: { shape, bits: Uint8Array.from({ length: shape[0]! * shape[1]! }, (_, k) => (k % 3 === 1 ? 0 : 1)) },
  layout: 'csc',
});

/** A prime number, so that elements find others in any order. */
const COUNT = 13;
