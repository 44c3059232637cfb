import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { patternOf } from '@filigree/sparse/eqspp';
import {
  evaluateKernel,
  explainKernel,
  kernel,
  planKernel,
  planStages,
  printActions,
  scalar,
  tensor,
  type Assignment,
  type KernelDecl,
  type LayoutKind,
  type Plan,
  type Tensor,
  type Term,
} from '@filigree/tensor';
import { expect, test } from 'vitest';
import { runPlan } from './run-plan.js';

const withoutFolding = planStages.filter((s) => s.name !== 'fold-known');

const plan = (decl: KernelDecl, folded = true): Plan => {
  const result = planKernel(decl, { type: 'f64' }, folded ? planStages : withoutFolding);
  if (E.isLeft(result)) throw new Error(result.left.map((d) => d.message).join('\n'));
  return result.right;
};

const planOf = (assignment: Assignment, folded = true): Plan => plan(kernel('k', assignment), folded);

const numbers = (count: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, e) => (((e + seed) * (2 * seed + 3)) % 7) - 3);

const known = (name: string, shape: readonly number[], values = numbers(shape.reduce((a, b) => a * b, 1))): Tensor =>
  tensor(name, shape, { values });

const [A, B, X, Q] = [known('A', [4, 5]), known('B', [5, 4]), tensor('X', [4, 3]), tensor('Q', [4, 3])];

test('factors of known values are multiplied when the plan is made', () => {
  const assignment = Q('ip').accumulate(A('ij').mul(B('jk')).mul(X('kp')));
  const [before, after] = [planOf(assignment, false), planOf(assignment)];
  expect(printActions(after.actions)).toBe('Q += LoopOverGEMM(_known0, X)');
  expect(after.known).toMatchObject([{ formula: 'A[ij]*B[jk]', tensor: { name: '_known0', shape: [4, 4] } }]);
  const entry = (i: number, k: number): number =>
    [0, 1, 2, 3, 4].reduce((s, j) => s + A.decl.values![i + 4 * j]! * B.decl.values![j + 5 * k]!, 0);
  const [{ tensor: product }] = after.known!;
  expect([...product.values!]).toEqual(Array.from({ length: 16 }, (_, e) => entry(e % 4, e >> 2)));
  expect(after.flops.nonzero).toBeLessThan(before.flops.nonzero);
  expect(after.flops.hardware).toBeLessThan(before.flops.hardware);
  expect(after.flops.hardware).toBe(2 * 4 * 4 * 3);
  const explained = explainKernel(kernel('k', assignment), { type: 'f64' });
  expect(E.isRight(explained) && explained.right[0].order).toBe('(Q + ({A[ij]*B[jk]}*X))');
  expect(E.isRight(explained) && explained.right[0].patterns.map((p) => p.name)).toEqual(['Q', 'A', 'B', 'X']);
});

test('an assignment of known values is a copy without operations', () => {
  const R = tensor('R', [4, 4]);
  const {
    actions,
    flops,
    known: found,
  } = planOf(
    R('ij').assign(
      A('ik')
        .mul(B('kj'))
        .scale(2)
        .sub(A('ik').mul(B('kj'))),
    ),
  );
  expect(printActions(actions)).toBe('R = _known0');
  expect(flops).toMatchObject({ nonzero: 0, hardware: 0 });
  expect(found!.map((k) => k.formula)).toEqual(['2*A[ik]*B[kj] + -1*A[ik]*B[kj]']);
});

test('numbers go into known factors, scalars of a run stay', () => {
  const assignment = Q('ip').assign(known('K', [4, 4])('ij').mul(X('jp')).scale(0.5).scale(scalar('dt')));
  const { actions, flops } = planOf(assignment);
  expect(printActions(actions)).toBe('Q = dt * LoopOverGEMM(_known0, X)');
  expect(actions[0].scale).toEqual({ factor: 1, scalars: ['dt'] });
  const scaled = planOf(Q('ip').assign(known('K', [4, 4])('ij').mul(X('jp')).scale(0.5)));
  expect(scaled.flops.hardware).toBe(2 * 4 * 4 * 3);
  expect(flops.hardware).toBe(planOf(assignment, false).flops.hardware);
});

test('sums of known tensors are one, those with the same scalars together', () => {
  const [K, L] = [known('K', [4, 4]), known('L', [4, 4], numbers(16, 5))];
  const inner = planOf(Q('ip').assign(K('ij').add(L('ji').scale(3)).mul(X('jp'))));
  expect(printActions(inner.actions)).toBe('Q = LoopOverGEMM(_known0, X)');
  const R = tensor('R', [4, 4]);
  const term = K('ij')
    .scale(scalar('a'))
    .add(R('ji'))
    .add(L('ij').scale(2))
    .sub(K('ji'))
    .add(L('ij').scale(scalar('a')));
  const outer = planOf(tensor('S', [4, 4])('ij').assign(term));
  expect(printActions(outer.actions)).toBe(['S = a * _known0', 'S += R', 'S += _known1'].join('\n'));
  expect(outer.known!.map((k) => k.formula)).toEqual(['K[ij] + L[ij]', '2*L[ij] + -1*K[ji]']);
});

test('what is no more than rounding of a product is zero', () => {
  /* Rotations by an angle and back. */
  const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
  const [turn, back] = [known('turn', [2, 2], [c, s, -s, c]), known('back', [2, 2], [c, -s, s, c])];
  const V = tensor('V', [2, 3]);
  const { known: found, flops } = planOf(tensor('W', [2, 3])('ip').assign(back('ij').mul(turn('jk')).mul(V('kp'))));
  expect([...found![0].tensor.pattern!.bits]).toEqual([1, 0, 0, 1]);
  expect(flops.nonzero).toBe(6);
});

test('known zeros are zeros, whatever pattern is declared', () => {
  const diagonal = Array.from({ length: 16 }, (_, e) => (e % 5 === 0 ? 2 : 0));
  expect(planOf(Q('ip').assign(known('D', [4, 4], diagonal)('ij').mul(X('jp')))).flops.nonzero).toBe(12);
});

test('known factors whose product would be more work stay apart', () => {
  const [thin, wide] = [known('U', [20, 2], numbers(40)), known('V', [2, 20], numbers(40, 4))];
  const [Y, Z] = [tensor('Y', [20, 3]), tensor('Z', [20, 3])];
  const { known: found, actions } = planOf(Z('ip').assign(thin('ij').mul(wide('jk')).mul(Y('kp'))));
  expect(found).toEqual([]);
  expect(actions.length).toBe(2);
});

test('layouts: those of the user hold for multiples of a tensor, what is computed lies as it suits', () => {
  const pattern = patternOf([4, 4], [[0, 1], [2, 3]]); // prettier-ignore
  const values = Float64Array.from(pattern.bits, (b) => 3 * b);
  const K = tensor('K', [4, 4], { pattern, values, layout: 'csc' });
  const { known: found } = planOf(tensor('P', [3, 4])('pi').assign(X('jp').mul(K('ji')).scale(2)));
  expect(found).toMatchObject([{ layout: { kind: 'csc', size: 2 }, formula: '2*K[ji]' }]);
  /* The first index of what is computed is the target's, so that nothing is transposed. */
  const after = planOf(Q('ip').assign(B('ji').mul(A('kj')).mul(X('kp'))));
  expect(after.actions[0].operation).toMatchObject({ transposeLeft: false, transposeRight: false });
});

test('any formula on known and unknown tensors keeps its values', () => {
  const LAYOUTS = [undefined, 'dense', 'aligned', 'csc', 'compressed'] as const;
  const matrix = fc.record({
    known: fc.boolean(),
    bits: fc.array(fc.nat(2), { minLength: 9, maxLength: 9 }),
    layout: fc.constantFrom<LayoutKind | undefined>(...LAYOUTS),
  });
  const product = fc.record({
    factors: fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
    by: fc.constantFrom(1, -1, 2, 0.5),
    timed: fc.boolean(),
    /** The last factor is a sum of two. */
    and: fc.option(fc.nat(4)),
  });
  fc.assert(
    fc.property(
      fc.array(matrix, { minLength: 5, maxLength: 5 }),
      fc.array(product, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (matrices, products, add) => {
        const entries = matrices.map(({ bits }, n) => Float64Array.from(bits, (b, e) => b * (((e + n) % 5) - 2)));
        const tensors = matrices.map(({ known: isKnown, bits, layout }, n) =>
          tensor(`M${n}`, [3, 3], {
            pattern: { shape: [3, 3], bits: Uint8Array.from(bits, (b) => Math.min(b, 1)) },
            ...(isKnown ? { values: entries[n] } : {}),
            ...(layout ? { layout } : {}),
          }),
        );
        const terms = products.map(({ factors, by, timed, and }): Term => {
          const letters = (k: number): string => 'iabcj'.charAt(k === factors.length ? 4 : k);
          const chain = factors.map((f, k): Term => {
            const at = letters(k) + letters(k + 1);
            const term = tensors[f](at);
            return k === factors.length - 1 && and !== null ? term.add(tensors[and](at)) : term;
          });
          const value = chain.reduce((x, y) => x.mul(y)).scale(by);
          return timed ? value.scale(scalar('dt')) : value;
        });
        const U = tensor('U', [3, 3])('ij');
        const value = terms.reduce((x, y) => x.add(y));
        const decl = kernel('k', add ? U.accumulate(value) : U.assign(value));
        const before = Float64Array.from({ length: 9 }, (_, e) => e);
        const given = { U: before, ...Object.fromEntries(entries.map((v, n) => [`M${n}`, v])) };
        const found = plan(decl);
        expect([...runPlan(found, given, { dt: 0.25 }).U].map((x) => x + 0)).toEqual(
          [...evaluateKernel(decl, given, { dt: 0.25 }).U].map((x) => x + 0),
        );
      },
    ),
    { numRuns: 60 },
  );
});
