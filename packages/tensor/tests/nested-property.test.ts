import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import {
  defaultSteps,
  kernel,
  planKernel,
  scalar,
  tensor,
  type LayoutKind,
  type Tensor,
  type Term,
} from '@filigree/tensor';
import { expect, test } from 'vitest';
import { runPlan } from './run-plan.js';

const N = 3;

/** A value over two free indices: a matrix, perhaps transposed, a product, or a sum of multiples. */
type Tree =
  | { readonly kind: 'matrix'; readonly which: number; readonly transposed: boolean }
  | { readonly kind: 'product'; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'sum'; readonly terms: readonly (readonly [factor: number, timed: boolean, Tree])[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.record({ kind: fc.constant('matrix' as const), which: fc.nat(3), transposed: fc.boolean() }),
    fc.record({ kind: fc.constant('product' as const), left: tie('tree'), right: tie('tree') }),
    fc.record({
      kind: fc.constant('sum' as const),
      terms: fc.array(fc.tuple(fc.constantFrom(1, -1, 2, 0.5), fc.boolean(), tie('tree')), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  ),
}));

const termOf = (t: Tree, row: string, column: string, matrices: readonly Tensor[], fresh: () => string): Term => {
  if (t.kind === 'matrix') return matrices[t.which](t.transposed ? column + row : row + column);
  if (t.kind === 'product') {
    const k = fresh();
    return termOf(t.left, row, k, matrices, fresh).mul(termOf(t.right, k, column, matrices, fresh));
  }
  return t.terms
    .map(([factor, timed, inner]) => {
      const term = termOf(inner, row, column, matrices, fresh).scale(factor);
      return timed ? term.scale(scalar('dt')) : term;
    })
    .reduce((a, b) => a.add(b));
};

const valueOf = (t: Tree, values: readonly Float64Array[]): Float64Array => {
  const make = (entry: (i: number, j: number) => number): Float64Array =>
    Float64Array.from({ length: N * N }, (_, e) => entry(e % N, Math.floor(e / N)));
  if (t.kind === 'matrix') return t.transposed ? make((i, j) => values[t.which][j + N * i]) : values[t.which];
  if (t.kind === 'product') {
    const [a, b] = [valueOf(t.left, values), valueOf(t.right, values)];
    return make((i, j) => [0, 1, 2].reduce((s, k) => s + a[i + N * k] * b[k + N * j], 0));
  }
  const parts = t.terms.map(([factor, timed, inner]) => ({
    by: factor * (timed ? 0.25 : 1),
    of: valueOf(inner, values),
  }));
  return make((i, j) => parts.reduce((s, { by, of }) => s + by * of[i + N * j], 0));
};

const matrix = fc.record({
  bits: fc.array(fc.nat(3), { minLength: N * N, maxLength: N * N }),
  layout: fc.constantFrom<LayoutKind | undefined>(undefined, 'dense', 'aligned', 'csc', 'compressed'),
});

test('plans of sums within products within sums equal evaluation node by node', () => {
  fc.assert(
    fc.property(
      tree,
      fc.array(matrix, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      fc.subarray([...defaultSteps]),
      (t, specs, add, steps) => {
        const matrices = specs.map(({ bits, layout }, n) =>
          tensor(`M${n}`, [N, N], {
            pattern: { shape: [N, N], bits: Uint8Array.from(bits, (b) => (b > 0 ? 1 : 0)) },
            ...(layout ? { layout } : {}),
          }),
        );
        const values = specs.map(({ bits }, n) =>
          Float64Array.from(bits, (b, e) => (b > 0 ? ((e * 5 + n) % 7) - 3 : 0)),
        );
        let letters = 0;
        const term = termOf(t, 'i', 'j', matrices, () => 'abcdefghklmnopqrstuvwxyzABCDEFGH'[letters++ % 32]);
        const U = tensor('U', [N, N])('ij');
        const planned = planKernel(kernel('k', add ? U.accumulate(term) : U.assign(term)), { type: 'f64', steps });
        if (E.isLeft(planned)) throw new Error(planned.left.map((d) => d.message).join('\n'));
        const before = Float64Array.from({ length: N * N }, (_, e) => e);
        const given = { U: before, ...Object.fromEntries(values.map((v, n) => [`M${n}`, v])) };
        const found = runPlan(planned.right, given, { dt: 0.25 }).U;
        const wanted = valueOf(t, values).map((v, e) => v + (add ? before[e] : 0));
        expect([...found].map((x) => x + 0)).toEqual([...wanted].map((x) => x + 0));
      },
    ),
    { numRuns: 100 },
  );
});
