import type { Pass } from '@filigree/ir';
import { patternOf } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import {
  analyseLiveness,
  defaultSteps,
  fusionCost,
  type CostModel,
  family,
  kernel,
  parseKernel,
  planKernel,
  planStages,
  printActions,
  runSteps,
  scalar,
  sum,
  tensor,
  type KernelDecl,
  type Plan,
  type PlanOptions,
  type PlanState,
  type Term,
} from '@filigree/tensor';
import { expect, test } from 'vitest';
import { runPlan } from './run-plan.js';

const plan = (decl: KernelDecl, options: Partial<PlanOptions> = {}): Plan => {
  const result = planKernel(decl, { type: 'f64', ...options });
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const [A, B, C, D] = ['A', 'B', 'C', 'D'].map((name) => tensor(name, [4, 4]));

test('Fig. 5: the steps turn the actions of C = C + 0.5·A·B into one product of matrices', () => {
  const decl = kernel('gemm', C('ij').assign(C('ij').add(A('ik').mul(B('kj')).scale(0.5))));
  const after = (steps: number): string => printActions(plan(decl, { steps: defaultSteps.slice(0, steps) }).actions);
  expect(after(0)).toBe(
    ['_tmp0 = LoopOverGEMM(A, B)', '_tmp1 = 0.5 * _tmp0', '_tmp2 = C', '_tmp2 += _tmp1', 'C = _tmp2'].join('\n'),
  );
  expect(after(1)).toBe(['_tmp1 = 0.5 * LoopOverGEMM(A, B)', '_tmp2 = C', '_tmp2 += _tmp1', 'C = _tmp2'].join('\n'));
  expect(after(3)).toBe(['_tmp1 = 0.5 * LoopOverGEMM(A, B)', 'C = C', 'C += _tmp1', 'C = C'].join('\n'));
  expect(after(5)).toBe(['_tmp1 = 0.5 * LoopOverGEMM(A, B)', 'C += _tmp1'].join('\n'));
  expect(after(6)).toBe('C += 0.5 * LoopOverGEMM(A, B)');
  const { actions, buffers } = plan(decl);
  expect(actions[0]).toMatchObject({ operation: { gemm: { m: 4, n: 4, k: 4, alpha: 0.5, beta: 1 } } });
  expect(buffers).toEqual([]);
});

test('liveness is printed with the actions', () => {
  const decl = kernel('gemm', C('ij').assign(A('ik').mul(B('kl')).mul(D('lj'))));
  const { actions } = plan(decl);
  expect(printActions(runSteps(actions, [analyseLiveness]))).toBe(
    ['_tmp0 = LoopOverGEMM(A, B)  ; live: A, B, D, _tmp0', 'C = LoopOverGEMM(_tmp0, D)  ; live: A, B, C, D'].join('\n'),
  );
});

test('a sum of products goes to its target without temporaries for terms', () => {
  const K = family('K', 3, () => ({ shape: [4, 4] }));
  const I = tensor('I', [4, 4]);
  const decl = kernel('volume', C('ij').assign(sum(K.map((k) => k('ik').mul(I('kj')))).scale(scalar('dt'))));
  expect(printActions(plan(decl).actions)).toBe(
    ['C = dt * LoopOverGEMM(K(0), I)', 'C += dt * LoopOverGEMM(K(1), I)', 'C += dt * LoopOverGEMM(K(2), I)'].join('\n'),
  );
});

test('what is scaled in place stays in place; what is read later keeps its copy', () => {
  const text = (formula: string): string => {
    const decl = parseKernel(formula, { A: A.decl, B: B.decl, C: C.decl, D: D.decl });
    return E.isRight(decl) ? printActions(plan(decl.right).actions) : JSON.stringify(decl.left);
  };
  expect(text('C[ij] = 0.5*C[ij] + A[ij]')).toBe('C = 0.5 * C\nC += A');
  expect(text('D[ij] = C[ij]; C[ij] = A[ij]')).toBe('D = C\nC = A');
  // What is read transposed must not be written meanwhile.
  expect(text('C[ij] += C[ji]')).toBe('_tmp0 = C\n_tmp0 += C\nC = _tmp0');
  expect(text('C[ij] += D[ji]')).toBe('C += D');
  expect(text('C[ij] = C[ij] + A[ik]*B[kj]; D[ij] = 2*C[ij] - A[ij]')).toBe(
    'C += LoopOverGEMM(A, B)\nD = 2 * C\nD += -1 * A',
  );
});

const formulas = [
  'C[ij] = 2*C[ij] + A[lj]*B[ik]*D[kl] - dt*A[ij]',
  'D[ij] += A[ik]*(B[kj] + dt*(C[kj] - 0.5*A[kl]*B[lj]))',
  'D[ij] = A[ij]; C[ij] = D[ik]*B[kj] + C[ij]; D[ij] += C[ij]',
  'C[ij] = A[ij]*B[ij] - C[ij]; A[ij] = C[ji]',
  'C[ij] = 0.5*C[ij] + A[ik]*B[kj] + C[ij]*D[ij]',
  'D[ij] = D[ij] - (D[ij] + A[ki]*(B[kj] - C[kj])*dt)*3',
  'A[ij] += A[ji]',
  'A[ij] = A[ij] - A[ji]; B[ij] = A[ji] + B[ij]*B[ji]',
];

test('any choice of steps in any order leaves the values as they are', () => {
  const steps = fc.shuffledSubarray([...defaultSteps, ...defaultSteps]);
  fc.assert(
    fc.property(fc.constantFrom(...formulas), steps, (formula, chosen) => {
      const decl = parseKernel(formula, { A: A.decl, B: B.decl, C: C.decl, D: D.decl });
      if (E.isLeft(decl)) throw new Error(JSON.stringify(decl.left));
      const values = Object.fromEntries(
        ['A', 'B', 'C', 'D'].map((name, n) => [name, Array.from({ length: 16 }, (_, e) => ((e * (n + 3)) % 11) - 4)]),
      );
      const run = (options: Partial<PlanOptions>) => runPlan(plan(decl.right, options), values, { dt: 0.25 });
      expect(run({ steps: chosen })).toEqual(run({ steps: [] }));
      expect(run({})).toEqual(run({ steps: [] }));
    }),
    { numRuns: 40 },
  );
});

test('the values of nested sums, differences and several statements', () => {
  const at = (m: readonly number[], i: number, j: number): number => m[i + 4 * j];
  const m = (n: number): number[] => Array.from({ length: 16 }, (_, e) => ((e * (n + 3)) % 11) - 4);
  const [a, b, c, d] = [m(0), m(1), m(2), m(3)];
  const decl = parseKernel(formulas[1], { A: A.decl, B: B.decl, C: C.decl, D: D.decl });
  if (E.isLeft(decl)) throw new Error(JSON.stringify(decl.left));
  const { D: found } = runPlan(plan(decl.right), { A: a, B: b, C: c, D: d }, { dt: 0.25 });
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) {
      let wanted = at(d, i, j);
      for (let k = 0; k < 4; k++) {
        let inner = at(c, k, j);
        for (let l = 0; l < 4; l++) inner -= 0.5 * at(a, k, l) * at(b, l, j);
        wanted += at(a, i, k) * (at(b, k, j) + 0.25 * inner);
      }
      expect(found[i + 4 * j]).toBe(wanted);
    }
});

test('terms that vanish leave nothing behind, within sums too', () => {
  const Z = tensor('Z', [4, 4], { pattern: patternOf([4, 4], []) });
  const upper = tensor('U', [4, 4], { pattern: patternOf([4, 4], [[0, 3]]) });
  const text = (value: Term): string => printActions(plan(kernel('k', C('ij').assign(value))).actions);
  expect(text(A('ik').mul(B('kj').add(Z('kj'))))).toBe('C = LoopOverGEMM(A, B)');
  // U·U is zero.
  expect(text(A('ij').add(upper('ik').mul(upper('kj'))))).toBe('C = A');
  expect(text(upper('ik').mul(upper('kj')))).toBe('C = 0');
  expect(text(A('ij').scale(0).add(B('ij')))).toBe('C = B');
});

test('stages can be left out, added and watched', () => {
  const decl = kernel('gemm', C('ij').assign(C('ij').add(A('ik').mul(B('kj')))));
  const count = (stages: readonly Pass<PlanState>[]): number => {
    const result = planKernel(decl, { type: 'f64' }, stages);
    return E.isRight(result) ? result.right.actions.length : -1;
  };
  expect(planStages.map((s) => s.name)).toEqual([
    'check',
    'deduce-indices',
    'equivalent-patterns',
    'fold-known',
    'strength-reduction',
    'permute-indices',
    'linearise',
    'control-flow',
    'prefetch',
    'finish',
  ]);
  expect(count(planStages)).toBe(1);
  expect(count(planStages.filter((s) => s.name !== 'control-flow'))).toBe(4);
});

test('temporaries share buffers, as large as the largest of each needs', () => {
  const [K, L, M, N] = ['K', 'L', 'M', 'N'].map((name, n) => tensor(name, [8, 8 - n]));
  const decl = kernel('chain', [
    tensor('R', [8, 7])('ij').assign(K('ik').mul(K('kl')).mul(L('lj'))),
    tensor('S', [8, 6])('ij').assign(K('ik').mul(K('kl')).mul(M('lj'))),
    tensor('T', [8, 5])('ij').assign(K('ik').mul(K('kl')).mul(N('lj'))),
  ]);
  const { temporaries, buffers } = plan(decl);
  expect(temporaries.length).toBe(3);
  expect(buffers).toEqual([Math.max(...temporaries.map((t) => t.layout.size))]);
});

test('tensors to come are asked for along the stores to results of their size, each by one action', () => {
  const I = tensor('I', [6, 9]);
  const X = tensor('X', [4, 4]);
  const decl = kernel(
    'k',
    [
      C('ij').assign(A('ik').mul(B('kj'))),
      tensor('E', [6, 9])('ij').assign(tensor('F', [6, 4])('ik').mul(tensor('G', [4, 9])('kj'))),
    ],
    { prefetch: [I, X] },
  );
  const { actions, prefetch } = plan(decl);
  expect(actions.map((a) => [a.target.name, a.prefetch])).toEqual([
    ['C', 'X'],
    ['E', 'I'],
  ]);
  expect(prefetch?.map((p) => [p.tensor.name, p.layout.size])).toEqual([
    ['I', 54],
    ['X', 16],
  ]);
});

test('what lies below a sum is planned once, not once for every order in which the sum may lie', () => {
  /* Mappings tried for t ← T + M·t, so many times over. */
  const tried = (depth: number): number => {
    let count = 0;
    const cost: CostModel = { ...fusionCost, log: (m) => (count++, fusionCost.log(m)) };
    const [R, S, T, M] = [tensor('R', [2, 2, 2]), tensor('S', [2, 2, 2]), tensor('T', [2, 2, 2]), tensor('M', [2, 2])];
    const nested = (level: number, last: string): Term =>
      level === 0
        ? S(`ab${last}`)
        : T(`ab${last}`).add(M(`${last}${LETTERS[level]}`).mul(nested(level - 1, LETTERS[level]!)));
    plan(kernel('nested', R('abx').assign(nested(depth, 'x'))), { cost });
    return count;
  };
  const [two, three, four] = [tried(2), tried(3), tried(4)];
  expect(three).toBeGreaterThan(two);
  expect(four - three).toBeLessThanOrEqual(three - two);
});

const LETTERS = 'cdefg';
