import { describe, expect, it } from 'vitest';
import { ablate, ABLATIONS, compile, DiagnosticError, einsum, symbolicMath, type Num } from 'filigree';
import { codeOf, dense, denseOf, sparseOf, workingBackends } from './support.js';

/* Plain numeric code, which tests run on numbers too. */
const length = (a: number[], b: number[]): number => Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2);

const springs = {
  run: ({ x, stiffness, rest }: { x: number[][]; stiffness: number; rest: number[] }) => {
    const energy: number[] = [];
    for (let i = 0; i < rest.length; i++) {
      const l = length(x[i], x[i + 1]);
      const stretch = l > rest[i] ? l - rest[i] : 0.5 * (rest[i] - l);
      energy.push(0.5 * stiffness * stretch * stretch);
    }
    return { energy, first: energy[0], moved: x };
  },
};

describe.each(workingBackends)('compile on %s', (backend) => {
  it('reads an array at twice the place at which it writes it', async () => {
    /* Intermediate results lie in one array, of which g++ 12 loses sight there. */
    const n = 257;
    const run = ({ x, t }: { x: number[]; t: number }): { v: number[] } => {
      let v = x;
      for (let k = 0; k < 3; k++) {
        const p = v;
        v = p.map((_, i) => p[(2 * i) % n] + t + (p[(2 * i) % n] - t));
      }
      return { v };
    };
    const p = await compile({ inputs: { x: n, t: [] }, run }, { backend, scope: { n } });
    const x = Array.from({ length: n }, (_, i) => (i % 9) - 4);
    p.set('x', x);
    p.set('t', 3);
    p.run();
    expect([...p.outputs['v']]).toEqual(run({ x, t: 3 }).v);
    p.dispose();
  });

  it('compiles a convolution that is cut off below, a row of which is some twenty maxima', async () => {
    /* Over choices between floats and their bits g++ 12 sat for minutes. */
    const n = 32;
    const run = ({ x, w }: { x: number[][]; w: number[][] }): { y: number[][][] } => ({
      y: w.map((k) =>
        Array.from({ length: n - 2 }, (_, i) =>
          Array.from({ length: n - 2 }, (_, j) => {
            let s = k[9];
            for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) s += k[3 * a + b] * x[i + a][j + b];
            return Math.max(0, s);
          }),
        ),
      ),
    });
    const p = await compile({ inputs: { x: [n, n], w: [8, 10] }, run }, { backend, scope: { n }, cache: false });
    const x = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.sin(5 * i + 3 * j)));
    const w = Array.from({ length: 8 }, (_, f) => Array.from({ length: 10 }, (_, k) => Math.cos(7 * f + 2 * k)));
    p.set('x', x.flat());
    p.set('w', w.flat());
    p.run();
    expect([...p.outputs['y']]).toEqual(run({ x, w }).y.flat(2));
    p.dispose();
  });

  it.each(['f64', 'f32'] as const)(
    'takes the least and the greatest of zeros, NaN and infinities, %s',
    async (dtype) => {
      const all = [0, -0, 1, -1, NaN, Infinity, -Infinity, 2 ** -140, -(2 ** -140)];
      const [a, b] = [all.flatMap((v) => all.map(() => v)), all.flatMap(() => all)];
      const run = (x: { a: number[]; b: number[] }): { least: number[]; most: number[] } => ({
        least: x.a.map((v, i) => Math.min(v, x.b[i])),
        most: x.a.map((v, i) => Math.max(v, x.b[i])),
      });
      const p = await compile({ inputs: { a: a.length, b: a.length }, run }, { backend, dtype });
      p.set('a', a);
      p.set('b', b);
      p.run();
      expect([...p.outputs['least']]).toEqual(run({ a, b }).least);
      expect([...p.outputs['most']]).toEqual(run({ a, b }).most);
      p.dispose();
    },
  );

  it('computes what the plain function computes', async () => {
    const n = 40;
    const p = await compile(
      { inputs: { x: [n, 2], stiffness: [], rest: n - 1 }, run: springs.run },
      { backend, scope: { length } },
    );
    for (let round = 0; round < 2; round++) {
      const x = Array.from({ length: n }, (_, i) => [Math.sin(3 * i + round), Math.cos(5 * i)]);
      const rest = Array.from({ length: n - 1 }, (_, i) => 0.5 + (i % 3));
      p.set('x', x.flat());
      p.set('stiffness', round === 0 ? [2.5] : 2.5);
      p.set('rest', rest);
      p.run();
      const plain = springs.run({ x, stiffness: 2.5, rest });
      p.outputs['energy'].forEach((e, i) => expect(e).toBeCloseTo(plain.energy[i], 12));
      expect(p.outputs['first'][0]).toBeCloseTo(plain.first, 12);
      expect([...p.outputs['moved']]).toEqual(x.flat());
    }
    expect(p.backend).toBe(backend);
    expect(p.sources.files.length).toBeGreaterThan(0);
    expect(p.stats.nodes).toBeGreaterThan(n);
    expect(p.stats.kernels).toBeGreaterThan(0);
    expect(Object.keys(p.stats.ms)).toEqual(['trace', 'analyse', 'generate', 'compile']);
    p.dispose();
  });

  it('gives NaN where the plain function does, as for the normals of vertices without faces, and warns of it', async () => {
    const n = 200;
    /* A strip of triangles, of which the vertices 70 and 199 are in none. */
    const faces = Array.from({ length: n - 3 }, (_, f) => [f, f + 1, f + 2]).filter((f) => !f.includes(70));
    const run = ({ v }: { v: number[][] }) => {
      const normals = v.map(() => [0, 0, 0]);
      for (const [a, b, c] of faces) {
        const [p, q] = [b, c].map((i) => v[i].map((x, k) => x - v[a][k]));
        const area = [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
        for (const i of [a, b, c]) normals[i] = normals[i].map((x, k) => x + area[k]);
      }
      return { normals: normals.map((d) => d.map((x) => x / Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]))) };
    };
    const p = await compile({ inputs: { v: [n, 3] }, run }, { backend, scope: { faces } });
    const v = Array.from({ length: n }, (_, i) => [Math.sin(i), Math.cos(2 * i), Math.sin(3 * i + 1)]);
    p.set('v', v.flat());
    p.run();
    expect([...p.outputs['normals']]).toEqual(run({ v }).normals.flat());
    expect([...p.outputs['normals']].filter(Number.isNaN).length).toBe(6);
    expect(p.warnings).toMatchObject([
      { severity: 'warning', code: 'trace/not-a-number', message: expect.stringContaining('element 210') as string },
    ]);
    p.dispose();
  });

  it('shares its memory with the caller, and keeps inputs from run to run', async () => {
    const p = await compile(
      { inputs: { x: 3, y: 3 }, run: ({ x, y }) => ({ z: x.map((v, i) => v * y[i]) }) },
      { backend },
    );
    const { x, y } = p.inputs;
    const { z } = p.outputs;
    x.set([1, 2, 3]);
    y.set([4, 5, 6]);
    p.run();
    expect([...z]).toEqual([4, 10, 18]);
    y[1] = -1;
    await p.runAsync({ threads: 2 });
    expect([...z]).toEqual([4, -2, 18]);
    p.dispose();
  });

  it('runs in the background one run after the other, and is not touched meanwhile', async () => {
    const p = await compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x.map((v) => 2 * v) }) }, { backend });
    p.set('x', 1);
    const done = [p.runAsync(), p.runAsync()];
    for (const act of [() => p.run(), () => p.set('x', 2)]) expect(await codeOf(act)).toBe('program/busy');
    await Promise.all(done);
    p.set('x', 5);
    await p.runAsync();
    expect([...p.outputs.y]).toEqual([10]);
    const never = p.runAsync();
    p.dispose();
    p.dispose();
    expect(await codeOf(() => never)).toBe('program/disposed');
    expect(await codeOf(() => p.runAsync())).toBe('program/disposed');
  });

  it('knows the names of inputs and outputs', async () => {
    const p = await compile({ inputs: { x: 2 }, run: ({ x }) => ({ y: x[0] + x[1] }) }, { backend });
    p.inputs.x.set([3, 4]);
    p.run();
    expect([...p.outputs.y]).toEqual([7]);
    /* @ts-expect-error in the editor too. */
    expect([p.inputs['y'], p.outputs['x']]).toEqual([undefined, undefined]);
    p.dispose();
  });

  it('takes names that every object has', async () => {
    const p = await compile(
      { inputs: { constructor: 2 }, run: (of) => ({ toString: of.constructor.map((v) => 2 * v) }) },
      { backend: 'wasm' },
    );
    p.set('constructor', [1, 2]);
    p.run();
    expect([...p.outputs.toString]).toEqual([2, 4]);
  });

  it('computes in single precision where asked', async () => {
    const p = await compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x[0] / 3 }) }, { backend, dtype: 'f32' });
    p.set('x', [1]);
    p.run();
    expect(p.inputs['x']).toBeInstanceOf(Float32Array);
    expect(p.outputs['y'][0]).toBe(Math.fround(1 / 3));
    p.dispose();
  });

  it('takes sparse matrices, entry by entry and as algebra', async () => {
    const a = [
      [2, 0, -1],
      [0, 3, 0],
      [4, 0, 5],
    ];
    const A = sparseOf(a);
    const p = await compile(
      {
        inputs: { A: A.pattern },
        run: ({ A }, { sparse }) => ({
          P: sparse.add(sparse.multiply(sparse.transpose(A), A), sparse.scale(2, A)),
          trace: A.values[0] + A.values[2] + A.values[4],
          double: { pattern: A.pattern, values: A.values.map((v) => 2 * v) },
        }),
      },
      { backend },
    );
    p.setMatrix('A', A);
    p.run();
    expect(denseOf(p.matrix('P'))).toEqual(dense.add(dense.multiply(dense.transpose(a), a), dense.scale(2, a)));
    expect(p.outputs['trace'][0]).toBe(10);
    expect(denseOf(p.matrix('double'))).toEqual(dense.scale(2, a));
    p.dispose();
  });

  it('returns truth values, known or not, as 1 and 0, and takes them in tables of elements', async () => {
    const fixed = [true, false, true];
    const p = await compile(
      {
        inputs: { x: 3 },
        run: ({ x }, { elements }) => {
          const y = [0, 0, 0];
          elements(3, { x, y, fixed }, ({ x, y, fixed }, k) => {
            y[k] = fixed[k] ? -1 : x[k];
          });
          return { above: x.map((v, i) => fixed[i] && v > 1), first: x[0] > 5, none: false, y };
        },
      },
      { backend, scope: { fixed } },
    );
    p.set('x', [3, 4, 0]);
    p.run();
    const { above, first, none, y } = p.outputs;
    expect([above, first, none, y].map((v) => Array.from(v))).toEqual([[1, 0, 0], [0], [0], [-1, 4, -1]]);
    p.dispose();
  });

  it('says what a program threw without the names of what it was rewritten to', async () => {
    const parts = [{ turned: (v: number) => 2 * v }];
    const refused = await compile(
      { inputs: { x: 2 }, run: ({ x }) => ({ y: parts.map((_, i) => (x as unknown as typeof parts)[i].turned(1)) }) },
      { backend, scope: { parts } },
    ).then(
      () => '',
      (e: unknown) => (e as DiagnosticError).diagnostics[0].message,
    );
    expect(refused).toContain('TypeError');
    expect(refused).toContain('turned');
    expect(refused).not.toContain('$');
  });

  it('takes any names of outputs', async () => {
    const p = await compile(
      { inputs: { x: 2 }, run: ({ x }) => ({ next: x.map((v) => 2 * v), then: x[0] + 1 }) },
      { backend },
    );
    p.set('x', [3, 4]);
    p.run();
    expect(Array.from(p.outputs.next)).toEqual([6, 8]);
    expect(p.outputs.then[0]).toBe(4);
    p.dispose();
  });

  it.each([
    'out[e] = x[e + 1];',
    'out[e] = e * x[e];',
    'out[e] = e === 0 ? 1 : x[e];',
    'out[e] = 0 != e ? 1 : x[e];',
    'out[e] = a !== b ? 1 : x[e];',
    'out[e] = e ? 1 : x[e];',
    'out[e] = !e ? 1 : x[e];',
    'out[e] = (e && x[0]) || x[e];',
    'out[e] = (e || 1) === 1 ? 1 : x[e];',
    'if (e) out[e] = x[e];',
    'switch (e) { case 0: break; default: out[e] = x[e]; }',
    'out[e] = [0, 2].includes(e) ? 1 : x[e];',
    'out[e] = inner.has(a) ? 1 : x[e];',
    'out[e] = Boolean(e) ? 1 : x[e];',
    'out[e] = Math.max(e, 1) * x[e];',
    'out[e] += -b;',
  ])('refuses, with the place, to take the index of an element for a number: %s', async (statement) => {
    const run = new Function(
      'inner',
      `return ({ x }, { elements }) => {
        const out = [0, 0, 0, 0];
        elements(4, { x, out, a, b }, ({ x, out, a, b }, e) => { ${statement} });
        return { out };
      }`,
    )(new Set([1, 2])) as Parameters<typeof compile>[0]['run'];
    const scope = { inner: new Set([1, 2]), a: Int32Array.of(0, 1, 2, 3), b: Int32Array.of(3, 2, 1, 0) };
    const refused = await compile({ inputs: { x: 4 }, run }, { backend, scope }).then(
      () => undefined,
      (e: unknown) => (e as DiagnosticError).diagnostics[0],
    );
    expect(refused).toMatchObject({ code: 'elements/index', loc: { line: expect.any(Number) as number } });
  });

  it('runs functions that are written on symbols as they are', async () => {
    const p = await compile(
      {
        inputs: { x: 4 },
        run: ({ x }) => ({ y: (x as Num[]).map((v) => symbolicMath.select(symbolicMath.lt(v, 0), 0, v)) }),
      },
      { backend, rewrite: false },
    );
    p.set('x', [-1, 2, -3, 4]);
    p.run();
    expect([...p.outputs['y']]).toEqual([0, 2, 0, 4]);
    p.dispose();
  });

  it.each(Object.keys(ABLATIONS))('gives the same without the stage %s', async (name) => {
    const n = 30;
    const p = await compile(
      {
        inputs: { x: [n, 2], rest: n - 1, stiffness: [] },
        run: springs.run,
      },
      { backend, scope: { length }, specialize: ablate([name]) },
    );
    const x = Array.from({ length: n }, (_, i) => [Math.sin(3 * i), Math.cos(5 * i)]);
    const rest = Array.from({ length: n - 1 }, (_, i) => 0.5 + (i % 3));
    p.set('x', x.flat());
    p.set('stiffness', [1]);
    p.set('rest', rest);
    p.run();
    const plain = springs.run({ x, stiffness: 1, rest });
    p.outputs['energy'].forEach((e, i) => expect(e).toBeCloseTo(plain.energy[i], 12));
    p.dispose();
  });
});

it('takes lists of lists for inputs of several axes, and for tensors', async () => {
  const p = await compile({ inputs: { x: [2, 3] }, run: ({ x }) => ({ y: x[1] }) }, { backend: 'wasm' });
  p.set('x', [[1, 2, 3], Float32Array.of(4, 5, 6)]); // prettier-ignore
  p.run();
  expect([...p.outputs['y']]).toEqual([4, 5, 6]);
  expect(await codeOf(() => p.set('x', [[1, 2], [3, 4], [5, 6]]))).toBe('program/length'); // prettier-ignore
  p.dispose();
  const e = await einsum('y[i] = A[ij]*x[j]', { shapes: { A: [2, 3] }, backend: 'wasm' });
  e.tensors['A']!.set([[1, 2, 3], [4, 5, 6]]); // prettier-ignore
  e.tensors['x']!.set([1, 0, 1]);
  e.run();
  expect([...e.tensors['y']!.get()]).toEqual([4, 10]);
  e.dispose();
});

describe('compile refuses', () => {
  const square = () => compile({ inputs: { x: 3 }, run: ({ x }) => ({ y: x.map((v) => v * v) }) }, { backend: 'wasm' });

  it('values of another length than the input has', async () => {
    const p = await square();
    expect(await codeOf(() => p.set('x', [1, 2]))).toBe('program/length');
    expect(await codeOf(() => p.set('x', undefined as never))).toBe('program/length');
    expect(await codeOf(() => p.set('x', ['1', '2', '3'] as never))).toBe('program/values');
    expect(await codeOf(() => p.set('x', [[1], [2], [3]]))).toBe('program/length');
    expect(await codeOf(() => p.set('z', [1]))).toBe('program/unknown-input');
    p.dispose();
    expect(await codeOf(() => p.run())).toBe('program/disposed');
    expect(await codeOf(() => p.set('x', [1, 2, 3]))).toBe('program/disposed');
  });

  it('a matrix of another pattern', async () => {
    const A = sparseOf([
      [1, 2],
      [0, 3],
    ]);
    const p = await compile({ inputs: { A: A.pattern }, run: ({ A }) => ({ s: A.values[0] }) }, { backend: 'wasm' });
    const other = sparseOf([
      [1, 0],
      [2, 3],
    ]);
    expect(await codeOf(() => p.setMatrix('A', other))).toBe('pattern/mismatch');
    expect(await codeOf(() => p.setMatrix('A', { ...A, values: [1] }))).toBe('program/length');
    expect(await codeOf(() => p.setMatrix('A', A.values as never))).toBe('program/pattern');
    expect(await codeOf(() => p.setMatrix('A', undefined as never))).toBe('program/pattern');
    p.setMatrix('A', A);
    expect(await codeOf(() => p.matrix('s'))).toBe('program/not-a-matrix');
    p.dispose();
  });

  const limit = 3;
  const good = sparseOf([[1, 2]]).pattern;
  const falling = { rows: 2, cols: 2, rowPtr: Int32Array.of(0, 2, 1), colIdx: Int32Array.of(0, 5) };
  const full = sparseOf(Array.from({ length: 30 }, (_, i) => Array.from({ length: 30 }, (_, j) => 1 + i + j))).pattern;
  const broken = { ...good, rowPtr: Int32Array.of(0, 1) };
  const endless = (v: number): number => endless(v);
  const cases: Readonly<Record<string, readonly [string, () => Promise<unknown>]>> = {
    'an unknown backend': [
      'runtime/backend',
      () => compile({ inputs: { x: 1 }, run: () => ({ y: 1 }) }, { backend: 'vax' }),
    ],
    'a name that is no identifier': [
      'program/name',
      () => compile({ inputs: { 'x-y': 1 }, run: () => ({ y: 1 }) }, { backend: 'wasm' }),
    ],
    'a threads count that is none': [
      'option/value',
      () => compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x }) }, { backend: 'wasm', threads: 0 }),
    ],
    'a length that is none': [
      'program/shape',
      () => compile({ inputs: { x: -1 }, run: () => ({ y: 1 }) }, { backend: 'wasm' }),
    ],
    'lengths that are none': [
      'program/shape',
      () => compile({ inputs: { x: [-2, -2] }, run: () => ({ y: 1 }) }, { backend: 'wasm' }),
    ],
    'a shape that is none': [
      'program/shape',
      () => compile({ inputs: { x: 'three' as unknown as number }, run: () => ({ y: 1 }) }, { backend: 'wasm' }),
    ],
    'a pattern that is broken': [
      'csr/row-pointer',
      () => compile({ inputs: { x: broken }, run: () => ({ y: 1 }) }, { backend: 'wasm' }),
    ],
    'a sparse output with too few values': [
      'program/length',
      () =>
        compile(
          { inputs: { x: good }, run: ({ x }) => ({ y: { pattern: x.pattern, values: x.values.slice(1) } }) },
          { backend: 'wasm' },
        ),
    ],
    'a sparse output of a broken pattern': [
      'csr/row-pointer',
      () =>
        compile(
          { inputs: { x: 2 }, run: ({ x }) => ({ y: { pattern: broken, values: x } }) },
          { backend: 'wasm', scope: { broken } },
        ),
    ],
    'outputs without names': [
      'program/outputs',
      () => compile({ inputs: { x: 1 }, run: ({ x }) => x[0] as never }, { backend: 'wasm' }),
    ],
    'no outputs': ['program/outputs', () => compile({ inputs: { x: 1 }, run: () => ({}) }, { backend: 'wasm' })],
    'a cache that is no folder': [
      'option/value',
      () => compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x }) }, { backend: 'wasm', cache: true as never }),
    ],
    'more than fits into memory': [
      'memory/exhausted',
      () => compile({ inputs: { x: 1e12 }, run: ({ x }) => ({ y: x }) }, { backend: 'wasm' }),
    ],
    'a power of which there are more operations than there is room for expressions': [
      'algebra/too-large',
      () =>
        compile(
          { inputs: { A: full }, run: ({ A }, { sparse }) => ({ P: sparse.power(A, 100_000) }) },
          { backend: 'wasm' },
        ),
    ],
    'a matrix times what is none': [
      'program/matrix',
      () =>
        compile(
          { inputs: { A: full, x: 30 }, run: ({ A, x }, { sparse }) => ({ y: sparse.multiply(A, x as never) }) },
          { backend: 'wasm' },
        ),
    ],
    'a matrix times a number': [
      'program/matrix',
      () =>
        compile(
          { inputs: { A: full, s: [] }, run: ({ A, s }, { sparse }) => ({ y: sparse.scale(A as never, s as never) }) },
          { backend: 'wasm' },
        ),
    ],
    'algebra on a matrix of a broken pattern': [
      'csr/row-pointer',
      () =>
        compile(
          {
            inputs: { x: 2 },
            run: ({ x }, { sparse }) => ({
              y: sparse.multiply({ pattern: falling, values: x }, { pattern: falling, values: x }),
            }),
          },
          { backend: 'wasm', scope: { falling } },
        ),
    ],
    'algebra on a matrix with too few values': [
      'program/length',
      () =>
        compile(
          {
            inputs: { x: 1 },
            run: ({ x }, { sparse }) => ({ y: sparse.transpose({ pattern: good, values: x }) }),
          },
          { backend: 'wasm', scope: { good } },
        ),
    ],
    'a program that throws': [
      'program/threw',
      () => compile({ inputs: { x: 1 }, run: () => JSON.parse('{') as never }, { backend: 'wasm' }),
    ],
    'a program that never ends': [
      'program/threw',
      () =>
        compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: endless(x[0]) }) }, { backend: 'wasm', scope: { endless } }),
    ],
    'a variable that is not in the scope': [
      'lang/unbound',
      () => compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x[0] * limit }) }, { backend: 'wasm' }),
    ],
    'a branch on a symbol': [
      'lang/symbolic-branch',
      () =>
        compile(
          {
            inputs: { x: 1 },
            run: ({ x }) => {
              if (x[0] > 0) return { y: 1 };
              return { y: 2 };
            },
          },
          { backend: 'wasm' },
        ),
    ],
    'an operator on what is no number': [
      'lang/non-numeric',
      () => compile({ inputs: { x: 1 }, run: ({ x }) => ({ y: x[0] * x[1] }) }, { backend: 'wasm' }),
    ],
    'an output that is no number': [
      'trace/non-numeric',
      () => compile({ inputs: { x: 1 }, run: () => ({ y: 'one' as unknown as number }) }, { backend: 'wasm' }),
    ],
    'a value that is never a number': [
      'trace/not-a-number',
      () =>
        compile(
          { inputs: { x: 1 }, run: ({ x }) => ({ y: (x[0] - x[0]) / (x[0] - x[0]) }) },
          { backend: 'wasm', arithmetic: 'algebraic' },
        ),
    ],
    'something that is no program': [
      'program/form',
      () => compile({} as unknown as { inputs: Record<string, number>; run: () => Record<string, number> }),
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [code, work]) => {
    expect(await codeOf(work())).toBe(code);
  });

  it('with the line of the program, found before it ran or while it ran', async () => {
    const shows = async (run: (inputs: { x: number[] }) => Record<string, number>, line: string): Promise<void> => {
      const e: unknown = await compile({ inputs: { x: 1 }, run }, { backend: 'wasm' }).catch(
        (thrown: unknown) => thrown,
      );
      expect((e as DiagnosticError).message).toMatch(new RegExp(`^> *\\d+ \\| .*${line}`, 'm'));
      expect((e as DiagnosticError).message).not.toContain('symbolic(');
    };
    await shows(({ x }) => ({ y: x[0] * limit }), 'limit');
    await shows(({ x }) => ({ y: x.filter((v) => v > 0).length }), 'filter');
  });

  it('with the place and the name of what computes with a symbol and was not rewritten', async () => {
    class Kept {
      readonly #k = 3;
      value(v: number): number {
        return v * this.#k;
      }
    }
    const kept = new Kept();
    const program = { inputs: { x: 1 }, run: ({ x }: { x: number[] }) => ({ y: x.map((v) => kept.value(v)) }) };
    const thrown: unknown = await compile(program, { backend: 'wasm', scope: { kept } }).catch((e: unknown) => e);
    const { diagnostics } = thrown as DiagnosticError;
    expect(diagnostics).toMatchObject([
      { code: 'symbol/as-number', loc: { file: expect.stringContaining('compile.test.ts') } },
    ]);
    expect(diagnostics[0].message).toContain('`Kept.value`');
  });

  it('with an exception that says what to do', async () => {
    const p = await square();
    try {
      p.set('x', [1]);
      expect.unreachable();
    } catch (e) {
      expect(e).toBeInstanceOf(DiagnosticError);
      expect((e as DiagnosticError).diagnostics[0].remedy).toMatch(/compile again/);
    }
    p.dispose();
  });
});

describe('a compiled program', () => {
  const twice = async () =>
    compile({ inputs: { x: 3 }, run: ({ x }) => ({ y: x.map((v) => 2 * v) }) }, { backend: 'wasm' });

  it('refuses to be assigned to, and says what to write', async () => {
    const p = (await twice()) as unknown as { inputs: Record<string, unknown>; outputs: Record<string, unknown> };
    for (const wrong of [
      () => (p.inputs['x'] = [1, 2, 3]),
      () => (p.inputs['z'] = [1]),
      () => (p.outputs['y'] = new Float64Array(3)),
      () => (p.inputs = { x: [1, 2, 3] }),
      () => p.inputs[0],
    ])
      expect(await codeOf(wrong)).toBe('program/read-only');
    expect(() => (p.inputs['x'] = [1, 2, 3])).toThrow("write set('x', values)");
    expect(Object.keys(p.inputs)).toEqual(['x']);
    expect(p.inputs['missing']).toBeUndefined();
  });

  it('leaves the pattern of its caller alone, and keeps its own', async () => {
    const given = sparseOf([
      [1, 2],
      [0, 3],
    ]);
    const before = [...given.pattern.colIdx];
    const p = await compile(
      {
        inputs: { A: given.pattern, B: given.pattern },
        run: ({ A, B }) => {
          const values = A.values.map((a, e) => a + B.values[e]);
          const sum = {
            pattern: { ...A.pattern, rowPtr: A.pattern.rowPtr.slice(), colIdx: A.pattern.colIdx.slice() },
            values,
          };
          A.pattern.colIdx.fill(0);
          A.pattern.rowPtr.fill(0);
          return { sum };
        },
      },
      { backend: 'wasm' },
    );
    expect([...given.pattern.colIdx]).toEqual(before);
    given.pattern.colIdx[0] = 1;
    expect(await codeOf(() => p.setMatrix('A', given))).toBe('pattern/mismatch');
    p.patterns['sum'].colIdx[0] = 1;
    given.pattern.colIdx[0] = before[0];
    p.setMatrix('A', given);
    p.setMatrix('B', given);
    p.run();
    expect([...p.outputs['sum']]).toEqual([2, 4, 6]);
  });

  it.each<readonly [string, () => unknown]>([
    ['an array that holds itself', () => holding((a) => [a])],
    ['an array that holds itself twice', () => holding((a) => [1, [a, a]])],
    ['arrays very deep in arrays', () => Array.from({ length: 1e5 }).reduce((inner) => [inner], 1)],
  ])('is refused where an output is %s', async (_, made) => {
    const output = made() as number[];
    const program = { inputs: { x: 1 }, run: () => ({ y: output }) };
    expect(await codeOf(compile(program, { backend: 'wasm', scope: { output } }))).toBe('trace/nested');
  });
});

const holding = (contents: (self: unknown[]) => unknown[]): unknown[] => {
  const array: unknown[] = [];
  array.push(...contents(array));
  return array;
};
