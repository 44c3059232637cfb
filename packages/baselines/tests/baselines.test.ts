import { existsSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { compressedRows, csrKernel, eigen, libxsmm, loops, prepare } from '@filigree/baselines';
import { coreDialects, interpret } from '@filigree/ir';
import { csrFromTriplets, evaluateExpr, numberRing, parseExpr, type Csr } from '@filigree/sparse/formats';
import { evaluateKernel, parseKernel, planKernel } from '@filigree/tensor/einsum';

const unwrap = <T>(result: E.Either<unknown, T>): T => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const must = process.env['CI'] === 'true';
const hasCompiler = must || E.isRight(await findToolchain()());
const hasEigen = hasCompiler && (must || existsSync('/usr/include/eigen3'));
const hasLibxsmm = hasCompiler && (must || existsSync('/usr/include/libxsmm.h'));

/* [2 0 1; 0 3 0; 0 0 0; 4 0 5] */
const { pattern } = csrFromTriplets(4, 3, [0, 0, 1, 3, 3], [0, 2, 1, 0, 2]);
const A: Csr<Float64Array> = { pattern, values: Float64Array.of(2, 1, 3, 4, 5) };
const x = [1, 10, 100];
const product = [102, 30, 0, 504];

const plan = (() => {
  const decl = unwrap(
    parseKernel('C[ij] += A[ik]*B[kj]', {
      C: { name: 'C', shape: [2, 2] },
      A: { name: 'A', shape: [2, 3] },
      B: { name: 'B', shape: [3, 2] },
    }),
  );
  const values = { A: Float64Array.of(1, 2, 3, 4, 5, 6), B: Float64Array.of(1, 0, 2, 0, 1, 1), C: new Float64Array(4) };
  return {
    plan: unwrap(planKernel(decl, { type: 'f64' })),
    values,
    scalars: {},
    expected: evaluateKernel(decl, values, {}),
    tolerance: 1e-12,
  };
})();

const expression = (text: string, dtype: 'f32' | 'f64') => {
  const root = unwrap(parseExpr(text)).root;
  const expected = unwrap(evaluateExpr(unwrap(parseExpr(text)), { A }, numberRing));
  const values = Float64Array.from(expected.values);
  return {
    root,
    matrices: { A },
    numbers: {},
    dtype,
    expected: { pattern: expected.pattern, values },
    tolerance: 1e-5,
  };
};

afterEach(() => vi.unstubAllEnvs());

it.each(['f32', 'f64'] as const)('compressed rows as kernel IR give the product, in %s', (dtype) => {
  const Numbers = dtype === 'f32' ? Float32Array : Float64Array;
  const y = new Numbers(4);
  unwrap(interpret(csrKernel(pattern, dtype), coreDialects, { A: Numbers.from(A.values), x: Numbers.from(x), y }));
  expect([...y]).toEqual(product);
});

describe.runIf(hasCompiler)('with a compiler', () => {
  it.each(['f32', 'f64'] as const)('compressed rows give the product in both forms, in %s', async (dtype) => {
    const running = await prepare(compressedRows, { matrix: A, x, dtype, threads: 2 });
    if (typeof running === 'string') throw new Error(running);
    for (const form of ['plain', 'tuned'] as const) {
      expect(running.timer(form)(3)).toBeGreaterThanOrEqual(0);
      expect([...running.result()]).toEqual(product);
    }
    running.close();
  });

  it.each([loops, ...(hasLibxsmm ? [libxsmm] : [])])('$name give what nested loops give', async (baseline) => {
    const running = await prepare(baseline, plan);
    if (typeof running === 'string') throw new Error(running);
    const once = [...plan.expected['C']!];
    const at = plan.plan.tensors.findIndex((t) => t.tensor.name === 'C');
    expect([...running.results[at]!]).toEqual(once);
    running.run(2);
    expect([...running.results[at]!]).toEqual(once.map((c) => 3 * c));
    running.close();
  });

  it('another result is not measured', async () => {
    const wrong = { ...plan, expected: { C: plan.expected['C']!.map((c) => c + 1) } };
    expect(await prepare(loops, wrong)).toBe('it comes to another result');
  });

  it('what the compiler refuses is told', async () => {
    const source = () => Promise.resolve({ text: 'int main( {', flags: [] });
    expect(await prepare({ ...compressedRows, source }, { matrix: A, x, dtype: 'f64', threads: 1 })).toMatch(
      /^the C\+\+ baseline does not compile: \S/,
    );
  });
});

describe.runIf(hasEigen)('with Eigen', () => {
  it.each(['f32', 'f64'] as const)('an expression gives what plain evaluation gives, in %s', async (dtype) => {
    const problem = expression("A'*A", dtype);
    const running = await prepare(eigen, problem);
    if (typeof running === 'string') throw new Error(running);
    running.run();
    const found = running.result()!;
    expect([Array.from(found.pattern.colIdx), Array.from(found.values)]).toEqual([
      [...problem.expected.pattern.colIdx],
      [...problem.expected.values],
    ]);
    running.close();
  });

  it('another result is not measured', async () => {
    const { expected } = expression("2*(A'*A)", 'f64');
    expect(await prepare(eigen, { ...expression("A'*A", 'f64'), expected })).toBe('Eigen comes to another result');
  });
});

it('without a compiler the reason is told', async () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('CXX', undefined);
  vi.stubEnv('FILIGREE_CXX', undefined);
  expect(await prepare(loops, plan)).toContain('no working C++ compiler');
});
