import { formatDiagnostic } from '@filigree/ir';
import { fullPattern, patternOf, type BooleanTensor } from '@filigree/sparse/eqspp';
import * as E from 'fp-ts/lib/Either.js';
import {
  evaluateKernel,
  family,
  kernel,
  parseKernel,
  planKernel,
  scalar,
  tensor,
  type Assignment,
  type Expr,
  type TensorDecl,
} from '@filigree/tensor';
import { describe, expect, test } from 'vitest';

const A = tensor('A', [4, 4]);
const B = tensor('B', [4, 4, 4]);
const w = tensor('w', [4]);
const C = tensor('C', [4, 4]);
const all: Record<string, TensorDecl> = Object.fromEntries([A, B, w, C].map((t) => [t.decl.name, t.decl]));

/** The shape of an expression: `add(…)`, `einsum(…)`, `scale(…)`, names. */
const shape = (e: Expr): string => {
  if (e.kind === 'indexed') return `${e.tensor.name}_${e.indices}`;
  if (e.kind === 'scale') return `scale(${[e.by.factor, ...e.by.scalars].join('·')}, ${shape(e.of)})`;
  return `${e.kind}(${(e.kind === 'add' ? e.terms : e.factors).map(shape).join(', ')})`;
};

describe('the four rules of §4.1 keep products and sums flat', () => {
  const [a, b, c, d] = [A('ij'), A('jk'), A('kl'), A('lm')];
  test('new, append, prepend, join', () => {
    expect(shape(a.mul(b).expr)).toBe('einsum(A_ij, A_jk)');
    expect(shape(a.mul(b).mul(c).expr)).toBe('einsum(A_ij, A_jk, A_kl)');
    expect(shape(a.mul(b.mul(c)).expr)).toBe('einsum(A_ij, A_jk, A_kl)');
    expect(shape(a.mul(b).mul(c.mul(d)).expr)).toBe('einsum(A_ij, A_jk, A_kl, A_lm)');
    expect(shape(a.add(b).add(c.add(d)).expr)).toBe('add(A_ij, A_jk, A_kl, A_lm)');
    expect(shape(a.add(b.mul(c)).expr)).toBe('add(A_ij, einsum(A_jk, A_kl))');
    expect(shape(a.mul(b.add(c)).expr)).toBe('einsum(A_ij, add(A_jk, A_kl))');
  });
  test('what scales a factor scales the product', () => {
    expect(
      shape(
        a
          .scale(2)
          .mul(b.scale(scalar('dt')))
          .mul(c).expr,
      ),
    ).toBe('scale(2·dt, einsum(A_ij, A_jk, A_kl))');
    expect(shape(a.scale(2).scale(0.5).expr)).toBe('A_ij');
    expect(shape(a.sub(b.scale(3)).expr)).toBe('add(A_ij, scale(-3, A_jk))');
  });
  test('terms are values', () => {
    const ab = a.mul(b);
    ab.mul(c);
    expect(shape(ab.expr)).toBe('einsum(A_ij, A_jk)');
  });
});

test('families name their members', () => {
  const K = family('kDivM', 3, (n) => ({ shape: [2, n + 1] }));
  expect(K.map((k) => [k.decl.name, k.decl.shape])).toEqual([
    ['kDivM(0)', [2, 1]],
    ['kDivM(1)', [2, 2]],
    ['kDivM(2)', [2, 3]],
  ]);
});

test('the string form says the same as the builder', () => {
  const same = (text: string, ...assignments: Assignment[]): void => {
    const parsed = parseKernel(text, all);
    if (E.isLeft(parsed)) throw new Error(parsed.left.map((d) => formatDiagnostic(d)).join('\n'));
    expect(parsed.right).toEqual(kernel('kernel', assignments));
  };
  const paper = C('ij')
    .scale(2)
    .add(A('lj').mul(B('ikl')).mul(w('k')));
  same('C[ij] = 2.0*C[ij] + A[lj]*B[ikl]*w[k]', C('ij').assign(paper));
  same(
    'C[ij] += A[ik]*(C[kj] - dt*A[kj]/2)',
    C('ij').accumulate(A('ik').mul(C('kj').sub(A('kj').scale(scalar('dt')).scale(0.5)))),
  );
  same('C[ij] -= A[ij]; w[i] = -3e-1*w[i]', C('ij').accumulate(A('ij').scale(-1)), w('i').assign(w('i').scale(-0.3)));
  same('\nC[ij] = A[ij]\n  + A[ji]\nw[i] =\n  w[i]\n', C('ij').assign(A('ij').add(A('ji'))), w('i').assign(w('i')));
});

test('members of families and tensors without dimensions in the string form', () => {
  const K = family('K', 2, () => ({ shape: [4, 4] }));
  const s = tensor('s', []);
  const decls = { ...all, 'K(1)': K[1].decl, s: s.decl };
  expect(parseKernel('C[ij] = K(1)[ij]*s[]', decls)).toEqual(
    E.right(kernel('kernel', C('ij').assign(K[1]('ij').mul(s(''))))),
  );
});

const said = (result: E.Either<readonly { code: string; message: string; remedy?: string }[], unknown>): string[] => {
  if (E.isRight(result)) throw new Error('no diagnostic');
  for (const d of result.left) expect(d.remedy).toBeTruthy();
  return result.left.map((d) => `${d.code}: ${d.message}`);
};

describe('bad text is answered with its place', () => {
  test.each([
    ['C[ij] = A[ij', 'notation/syntax', 1, 13],
    ['C[ij] = A[ij] B[ijk]', 'notation/syntax', 1, 15],
    ['C[ij] = 2 A[ij]', 'notation/syntax', 1, 11],
    ['C[ij] = A[ij] + 2(A[ij])', 'notation/syntax', 1, 18],
    ['C[ij] A[ij]', 'notation/syntax', 1, 7],
    ['2 = A[ij]', 'notation/syntax', 1, 1],
    ['', 'notation/syntax', 1, 1],
    ['C[ij] = A[ij] $', 'notation/syntax', 1, 15],
    ['C[ij] =\n Z[ij]', 'notation/unknown-tensor', 2, 2],
    ['C[ij] = A[ij]*w', 'notation/scalar', 1, 15],
    ['C[ij] = A[ij]/w[i]', 'notation/scalar', 1, 14],
    ['C[ij] = A[ij] + 2', 'notation/scalar', 1, 15],
    ['C[i1] = A[ij]', 'notation/index-letter', 1, 3],
    ['C[i,j] = A[i,j]', 'notation/index-letter', 1, 3],
    ['C[ij] = 2*dt', 'notation/scalar', 1, 9],
    ['C[ij] = 1e999*A[ij]', 'notation/scalar', 1, 9],
    ['C[ij] = A[ij]/1e999', 'notation/scalar', 1, 15],
    ['C[ij] = Ä[ij]', 'notation/syntax', 1, 9],
    [`C[ij] = ${'('.repeat(300)}A[ij]${')'.repeat(300)}`, 'notation/syntax', 1, 209],
  ])('%.30s', (text, code, line, column) => {
    const result = parseKernel(text, all);
    if (E.isRight(result)) throw new Error('no diagnostic');
    expect(result.left[0]).toMatchObject({ code, loc: { line, column } });
    expect(result.left[0].remedy).toBeTruthy();
  });

  test.each([
    ['s = A[ij]*A[ij]', 's[] = A[ij]*B[ij]'],
    ['ij,jk->ik', 'C[ik] = A[ij]*B[jk]'],
    ['w[i] = v[i]^2', 'x[i]*x[i]'],
    ['w[i] = sin(v[i])', 'without functions'],
    ['w[i] = w[i]/w[i]', 'or by a tensor, that holds reciprocals'],
  ])('%s, with the way to write it', (text, remedy) => {
    const result = parseKernel(text, all);
    if (E.isRight(result)) throw new Error('no diagnostic');
    expect(result.left[0].remedy).toContain(remedy);
  });
});

describe('bad formulas are answered with the index', () => {
  const X = tensor('X', [4, 5]);
  const K = tensor('K', [2, 2], { values: [1, 2, 3, 4] });
  const decls = { ...all, X: X.decl, K: K.decl, v: tensor('v', [4]).decl };
  test.each([
    ['C[ij] = A[ik]*X[jk]', `notation/shape: index 'k' runs over 4 values in 'A' and over 5 in 'X[jk]'`],
    ['C[ij] = v[i]', `notation/target-index: index 'j' of the target is missing in v[i]`],
    ['C[ij] = A[ij] + w[i]', `notation/target-index: index 'j' of the target is missing in w[i]`],
    ['C[ii] = A[ij]', `notation/trace: C[ii] is assigned: index 'i' appears twice in it`],
    ['w[i] = X[ii]', `notation/shape: index 'i' runs over 4 values in 'w' and over 5 in 'X[ii]'`],
    ['C[ijk] = A[ij]', `notation/index-count: C[ijk]: 3 indices for 2 dimensions`],
    ['K[ij] = K[ij]', `notation/read-only: K[ij] is assigned, but 'K' has constant values`],
  ])('%s', (text, message) => {
    const decl = parseKernel(text, decls);
    if (E.isLeft(decl)) throw new Error(JSON.stringify(decl.left));
    expect(said(planKernel(decl.right, { type: 'f64' }))).toContain(message);
  });
  test('what is the same for all values of an index is multiplied by ones', () => {
    const decl = parseKernel('C[ij] = v[i]', decls);
    const plan = E.isRight(decl) ? planKernel(decl.right, { type: 'f64' }) : decl;
    expect(E.isLeft(plan) && plan.left[0].remedy).toContain('a[i]*one[j]');
  });
  test('terms of a nested sum need all of its indices', () => {
    const decl = parseKernel('w[i] = A[ij]*(v[j] + C[kl]*A[kl])', decls);
    if (E.isLeft(decl)) throw new Error(JSON.stringify(decl.left));
    expect(said(planKernel(decl.right, { type: 'f64' }))[0]).toMatch(
      /^notation\/sum-index: index 'j' is in a sum and beside it, and is missing in C\[kl\]\*A\[kl\]$/,
    );
  });
  test.each([
    ['C[ij] = A[ik]*A[kj]*w[k]', `notation/index-thrice: index 'k' appears three times in A[ik]*A[kj]*w[k]`],
    [
      'w[i] = A[ij]',
      `notation/index-once: index 'j' appears once in A[ij] and not on the left: it is on one side only`,
    ],
    [
      'w[i] = A[ij]*(v[j] + C[jk])',
      `notation/index-once: index 'k' appears once in A[ij]*(v[j] + C[jk]) and not on the left: it is on one side only`,
    ],
  ])("%s breaks Einstein's convention, where that is asked for", (text, message) => {
    const decl = parseKernel(text, decls);
    if (E.isLeft(decl)) throw new Error(JSON.stringify(decl.left));
    expect(said(planKernel(decl.right, { type: 'f64', implicitSums: false }))).toContain(message);
    expect(E.isRight(planKernel(decl.right, { type: 'f64' }))).toBe(true);
  });
});

describe('bad tensors are answered with their names, all at once', () => {
  test.each([
    [tensor('P', [2, 2], { pattern: fullPattern([3, 2]) }), 'notation/pattern'],
    [tensor('P', [2, 2], { pattern: { shape: [2, 2], bits: Uint8Array.of(1, 2, 0, 1) } }), 'notation/pattern'],
    [tensor('P', [2, 2], { pattern: [1, 0, 0, 1] as never }), 'notation/pattern'],
    [tensor('P', [2, 2], { layout: 'sparse' as never }), 'notation/layout'],
    [tensor('P', [2, 2], { values: [1, 2] }), 'notation/values'],
    [tensor('P', [2, 2], { values: [1, 2, 3, 4], pattern: patternOf([2, 2], [[0, 0]]) }), 'notation/values'],
    [tensor('P', [2, 0]), 'notation/shape'],
    [tensor('P', [2, 1.5]), 'notation/shape'],
    [tensor('P P', [2, 2]), 'notation/name'],
    [tensor('_tmp3', [2, 2]), 'notation/name'],
    [tensor('_known0', [2, 2]), 'notation/name'],
    [tensor('constructor', [2, 2]), 'notation/name'],
    [tensor('P', [2, 2], { values: [1, NaN, 3, 4] }), 'notation/values'],
    [tensor('P', [2 ** 14, 2 ** 14]), 'notation/shape'],
  ])('%#', (P, code) => {
    const decl = kernel('k', [P('ij').assign(P('ij')), C('ii').assign(A('ij'))]);
    const found = said(planKernel(decl, { type: 'f64' }));
    expect(found.some((m) => m.startsWith(`${code}: tensor '${P.decl.name}'`))).toBe(true);
    expect(found.some((m) => m.startsWith('notation/trace'))).toBe(true);
  });
  test('csc is for matrices, names are for one tensor, and scalars are not tensors', () => {
    const P = tensor('P', [4], { layout: 'csc' });
    const other = tensor('A', [4, 5]);
    const decl = kernel('k', [
      w('i').assign(P('i').scale(scalar('w'))),
      C('ij').assign(A('ij')),
      w('i').assign(other('ij').mul(other('ij'))),
    ]);
    expect(said(planKernel(decl, { type: 'f64' })).map((m) => m.split(':')[0])).toEqual(
      expect.arrayContaining(['notation/layout', 'notation/two-tensors', 'notation/scalar']),
    );
    expect(said(planKernel(kernel('k', w('i').assign(w('i').scale(NaN))), { type: 'f64' }))).toEqual([
      'notation/scalar: a term of w[i] is multiplied by NaN',
    ]);
    expect(said(planKernel(kernel('k', []), { type: 'f64' }))).toEqual([`notation/empty: kernel 'k' assigns nothing`]);
  });
  test('entries outside of a pattern', () => {
    expect(() => patternOf([2, 2], [[0, 2]])).toThrow(/eqspp\/entry.*\(0, 2\)/);
  });
});

test('a target whose pattern lacks an entry that is computed', () => {
  const entries = (n: number): BooleanTensor =>
    patternOf(
      [4, 4],
      Array.from({ length: n }, (_, i) => [i, i]),
    );
  /* Within the box that is stored, and beyond it. */
  for (const n of [2, 1]) {
    const P = tensor('P', [4, 4], { pattern: entries(n) });
    expect(said(planKernel(kernel('k', P('ij').assign(A('ij'))), { type: 'f64' }))[0]).toBe(
      `plan/target-pattern: P[ij]: entry (1, 0) may become non-zero, but the pattern of 'P' says zero`,
    );
  }
  /* What stores its pattern only takes what lies within it, and so does what the kernel means. */
  const P = tensor('P', [4, 4], { pattern: entries(2), layout: 'compressed' });
  const decl = kernel('k', P('ij').assign(A('ij')));
  expect(planKernel(decl, { type: 'f64' })).toMatchObject({ _tag: 'Right' });
  expect([...evaluateKernel(decl, { A: new Float64Array(16).fill(3) }).P].filter((x) => x === 3)).toHaveLength(2);
});

test('temporaries beyond the limit are answered with their indices', () => {
  const [x, y] = [tensor('x', [50, 50]), tensor('y', [50, 50])];
  const decl = kernel('k', tensor('z', [50, 50])('ij').assign(x('ik').mul(y('kl')).mul(x('lj'))));
  expect(said(planKernel(decl, { type: 'f64', maxTemporaryBytes: 10000 }))[0]).toMatch(
    /^plan\/temporary: the temporaries of kernel 'k' need \d+ bytes, more than 10000; the largest is indexed by '(il|kj)'/,
  );
});
