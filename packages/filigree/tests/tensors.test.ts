import { describe, expect, it } from 'vitest';
import {
  backends,
  compileTensors,
  cppProject,
  DiagnosticError,
  einsum,
  evaluateKernel,
  family,
  measurePeak,
  parseKernel,
  patternOf,
  scalar,
  tensor,
  tensorKernel,
  type KernelDecl,
} from 'filigree';
import { workingBackends } from './support.js';

const code = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return 'none';
};

const numbers = (n: number, from = 0): Float64Array => Float64Array.from({ length: n }, (_, k) => Math.sin(k + from));

describe.each(workingBackends)('tensor kernels on %s', (backend) => {
  it('take values of every element, where nothing of a tensor is stored too', async () => {
    const k = await einsum('Q[i] = A[ij]*B[j]', {
      shapes: { A: [2, 3] },
      patterns: { A: patternOf([2, 3], []) },
      elements: { kind: 'many', count: 3 },
      backend,
    });
    const { A, B, Q } = k.tensors;
    for (const e of [0, 1, 2]) {
      A!.set(new Float64Array(6), e);
      B!.set(numbers(3, e), e);
      Q!.set(numbers(2), e);
    }
    k.run();
    expect([0, 1, 2].map((e) => [...Q!.get(e)])).toEqual([0, 1, 2].map(() => [0, 0]));
    expect(A!.elements).toBe(3);
    expect(() => A!.get(3)).toThrow(/tensor\/element/);
    k.dispose();
  });

  it('take known values as lists of lists, as they take others', async () => {
    const known = await einsum('y[i] = A[ij]*x[j]', {
      shapes: { A: [2, 3] },
      values: {
        A: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
      backend,
    });
    known.tensors['x']!.set([1, 10, 100]);
    known.run();
    expect([...known.tensors['y']!.get()]).toEqual([321, 654]);
    known.dispose();
    const of = (A: never) => () => einsum('y[i] = A[ij]*x[j]', { shapes: { A: [2, 3] }, values: { A }, backend });
    expect(
      await code(
        of([
          [1, 2],
          [3, 4],
          [5, 6],
        ] as never),
      ),
    ).toBe('notation/values');
  });

  it('run a formula on their own memory', async () => {
    const k = await einsum('Q[skp] += dt*I[slq]*K[lk]*A[qp]', {
      shapes: { I: [2, 5, 3], K: [5, 5], p: 3 },
      layouts: { Q: 'aligned' },
      backend,
    });
    const [I, K, A, Q] = [numbers(30), numbers(25, 1), numbers(9, 2), numbers(30, 3)];
    for (const [name, values] of Object.entries({ I, K, A, Q })) k.tensors[name]!.set(values);
    k.run({ scalars: { dt: 0.5 } });
    const expected = Float64Array.from(Q);
    for (let s = 0; s < 2; s++)
      for (let x = 0; x < 5; x++)
        for (let p = 0; p < 3; p++)
          for (let l = 0; l < 5; l++)
            for (let q = 0; q < 3; q++)
              expected[s + 2 * (x + 5 * p)]! += 0.5 * I[s + 2 * (l + 5 * q)]! * K[l + 5 * x]! * A[q + 3 * p]!;
    k.tensors['Q']!.get().forEach((x, n) => expect(x).toBeCloseTo(expected[n]!, 12));
    expect(k.flops.nonzero).toBeGreaterThan(0);
    k.dispose();
    expect(await code(() => k.run({ scalars: { dt: 1 } }))).toBe('tensor/disposed');
  });

  it('take all scalars of the formula, also of terms that a pattern leaves nothing of', async () => {
    const k = await einsum('Q[i] = dt*A[i] + c*B[i]', {
      shapes: { Q: [3] },
      patterns: { A: patternOf([3], []) },
      backend,
    });
    k.tensors['B']!.set([1, 2, 3]);
    k.run({ scalars: { dt: 0.5, c: 2 } });
    expect([...k.tensors['Q']!.get()]).toEqual([2, 4, 6]);
    expect(await code(() => k.run({ scalars: { c: 2 } }))).toBe('tensor/argument');
    k.dispose();
  });

  it('take wrong entries as a whole or not at all', async () => {
    const k = await einsum('Q[i] = A[i]*B[i]', {
      shapes: { Q: [3] },
      patterns: {
        A: patternOf([3], [[0], [2]]),
      },
      backend,
    });
    const { A, B } = k.tensors;
    A!.set([1, 0, 3]);
    B!.set([1, 2, 3]);
    expect(await code(() => A!.set([4, 5, 6]))).toBe('tensor/outside-pattern');
    expect(await code(() => B!.set([4, 5, '6'] as never))).toBe('tensor/values');
    expect(await code(() => B!.set([[4], [5], [6]]))).toBe('tensor/length');
    expect(await code(() => B!.set(undefined as never))).toBe('tensor/length');
    k.run();
    expect([...k.tensors['Q']!.get()]).toEqual([1, 0, 9]);
    k.dispose();
  });

  it('share tensors, and run for many elements at once', async () => {
    const star = family('star', 2, (i) => ({ shape: [3, 3], values: numbers(9, i) }));
    const [Q, D, T] = [tensor('Q', [4, 3]), tensor('D', [4, 3]), tensor('T', [4, 3])];
    const kernels = [
      tensorKernel(
        'derivative',
        D('kp').assign(
          Q('kq')
            .mul(star[0]!('qp'))
            .add(Q('kq').mul(star[1]!('qp'))),
        ),
      ),
      tensorKernel('update', T('kp').accumulate(D('kp').scale(scalar('dt')))),
    ];
    const p = await compileTensors(kernels, { backend, elements: { kind: 'many', count: 3 }, threads: 2 });
    for (let e = 0; e < 3; e++) p.tensors['Q']!.set(numbers(12, e), e);
    p.kernels['derivative']!.run();
    const begun = p.kernels['update']!.runAsync({ scalars: { dt: 2 }, first: 1, last: 3 });
    expect(await code(() => p.kernels['derivative']!.run())).toBe('tensor/busy');
    expect(await code(() => p.tensors['Q']!.set(numbers(12)))).toBe('tensor/busy');
    await begun;
    for (let e = 0; e < 3; e++) {
      const { D: d } = evaluateKernel(kernels[0]!, { Q: numbers(12, e) });
      p.tensors['D']!.get(e).forEach((x, n) => expect(x).toBeCloseTo(d![n]!, 12));
      p.tensors['T']!.get(e).forEach((x, n) => expect(x).toBeCloseTo(e > 0 ? 2 * d![n]! : 0, 12));
    }
    expect(await code(() => p.tensors['star(0)']!.set(numbers(9)))).toBe('tensor/constant');
    expect(await code(() => p.tensors['Q']!.set(numbers(12), 3))).toBe('tensor/element');
    expect(await code(() => p.tensors['Q']!.set(numbers(11)))).toBe('tensor/length');
    expect(await code(() => p.kernels['update']!.run())).toBe('tensor/argument');
    expect(await code(() => p.kernels['update']!.run({ scalars: { dt: 1, x: 2 } }))).toBe('tensor/argument');
    expect(await code(() => p.kernels['update']!.run({ scalars: { dt: 1 }, last: 4 }))).toBe('tensor/element');
    p.dispose();
  });
});

const product = (name: string): KernelDecl =>
  tensorKernel(name, tensor('C', [4, 4])('ij').accumulate(tensor('A', [4, 4])('ik').mul(tensor('B', [4, 4])('kj'))));

describe('projects', () => {
  it('have a header a tensor, a struct a family, and interfaces for C and Fortran', async () => {
    const files = new Map(
      (await cppProject([product('step(0)'), product('step(1)')], { name: 'demo' })).map((f) => [f.path, f.contents]),
    );
    const header = files.get('include/demo/kernel/step.h')!;
    expect(header).toContain('struct step {');
    expect(header).toContain('void execute1() const;');
    expect(header).toContain('static constexpr unsigned long long NonZeroFlops[2] = {128, 128};');
    expect(files.get('include/demo/tensor/C.h')).toContain('static constexpr std::size_t Size = 16;');
    expect(files.get('include/demo.h')).toContain('void demo_step_0(double* C, const double* A, const double* B);');
    expect(files.get('src/demo.f90')).toContain('bind(C, name="demo_step_1")');
  });

  it('say the formula of a kernel as it can be written', async () => {
    const [A, B, C] = [tensor('A', [4, 4]), tensor('B', [4, 4]), tensor('C', [4, 4])];
    const formula = 'C[ij] = 2*A[ik]*(B[kj] - A[kj]) - dt*B[ij] - A[ij]';
    const built = C('ij').assign(
      A('ik')
        .mul(B('kj').sub(A('kj')))
        .scale(2)
        .sub(B('ij').scale(scalar('dt')))
        .sub(A('ij')),
    );
    const files = await cppProject([tensorKernel('k', built)], { name: 'demo' });
    expect(files.find((f) => f.path === 'include/demo/kernel/k.h')!.contents).toContain(` * ${formula}\n`);
    const parsed = parseKernel(formula, { A: A.decl, B: B.decl, C: C.decl }, 'k');
    expect(parsed).toMatchObject({ _tag: 'Right', right: { assignments: tensorKernel('k', built).assignments } });
  });

  it('declare all scalars in the tests of a kernel, also of terms that a pattern leaves nothing of', async () => {
    const A = tensor('A', [3], { pattern: patternOf([3], []) });
    const [Q, B] = [tensor('Q', [3]), tensor('B', [3])];
    const decl = tensorKernel('k', Q('i').assign(A('i').scale(scalar('dt')).add(B('i'))));
    const test = (await cppProject([decl], { name: 'demo' })).find((f) => f.path === 'tests/k.cpp')!.contents;
    expect(test).toContain('* scalar_dt *');
    expect(test).toContain('const double scalar_dt = ');
  });

  it('are refused under names that no language takes', async () => {
    expect(await code(() => cppProject([product('k')], { name: '2d' }))).toBe('project/name');
    expect(await code(() => cppProject([], {}))).toBe('project/empty');
  });
});

/* Where it is missing this is skipped, but for continuous integration. */
const hasLibrary =
  process.env['CI'] === 'true' ||
  (await code(async () => {
    const tried = await einsum('C[ij] = A[ik]*B[kj]', { shapes: { A: [4, 4], j: 4 }, gemm: 'libxsmm' });
    tried.dispose();
  })) === 'none';

describe('products by LIBXSMM', () => {
  it.skipIf(!hasLibrary).each(['f64', 'f32'] as const)('give the same numbers in %s', async (dtype) => {
    const K = tensor('K', [7, 7], { values: numbers(49), layout: 'aligned' });
    const S = tensor('S', [3, 3], { values: numbers(9).map((x, i) => (i % 2 ? 0 : x)), layout: 'csc' });
    const [Q, I, A, T] = ['Q', 'I', 'A', 'T'].map((name) =>
      tensor(name, name === 'A' ? [3, 3] : [7, 3], { layout: name === 'A' ? 'dense' : 'aligned' }),
    );
    const kernels = [
      tensorKernel('volume', Q!('kp').accumulate(K('kl').mul(I!('lq')).mul(A!('qp')))),
      /* Neither a sparse matrix nor a factor that a run gives is for the library. */
      tensorKernel('rest', T!('kp').assign(K('kl').mul(I!('lq')).mul(S('qp')).scale(scalar('dt')))),
    ];
    const run = async (gemm: 'own' | 'libxsmm'): Promise<{ text: string; found: readonly Float64Array[] }> => {
      const {
        tensors,
        kernels: made,
        sources,
        dispose,
      } = await compileTensors(kernels, {
        dtype,
        gemm,
        backend: 'cpp',
        elements: { kind: 'many', count: 3, placed: { A: { kind: 'shared' } } },
      });
      for (let e = 0; e < 3; e++) {
        tensors['Q']!.set(numbers(21, e), e);
        tensors['I']!.set(numbers(21, 5 + e), e);
      }
      tensors['A']!.set(numbers(9, 9));
      made['volume']!.run();
      made['rest']!.run({ scalars: { dt: 0.5 } });
      const found = [0, 1, 2].flatMap((e) => [tensors['Q']!.get(e), tensors['T']!.get(e)]);
      dispose();
      return { text: sources.files.map((f) => String(f.contents)).join(''), found };
    };
    const [own, library] = [await run('own'), await run('libxsmm')];
    expect(own.text).not.toContain('libxsmm');
    /* Rows of padding are computed with the others: a vector of eight bytes each, or of four. */
    expect(library.text).toMatch(dtype === 'f64' ? /libxsmm_dmmdispatch\(8, / : /libxsmm_smmdispatch\((8|16), /);
    own.found.forEach((x, k) =>
      x.forEach((value, i) => expect(library.found[k]![i]).toBeCloseTo(value, dtype === 'f64' ? 12 : 4)),
    );
  });

  it('are refused for other backends', async () => {
    const formula = 'C[ij] = A[ik]*B[kj]';
    const facts = { shapes: { A: [4, 4], j: 4 }, gemm: 'libxsmm' } as const;
    expect(await code(() => einsum(formula, { ...facts, backend: 'wasm' }))).toBe('tensor/gemm');
    expect(await code(() => einsum(formula, { ...facts, backend: backends()[1]! }))).toBe('tensor/gemm');
    expect(await code(() => einsum(formula, { ...facts, gemm: 'mkl' as 'own' }))).toBe('option/value');
  });
});

describe('the peak of a core', () => {
  it.each(workingBackends)('is measured on %s', async (backend) => {
    for (const dtype of ['f32', 'f64'] as const) expect(await measurePeak(dtype, { backend })).toBeGreaterThan(0);
  });
});
