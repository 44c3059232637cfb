import {
  buildKernel,
  declareBuffer,
  fail,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';

/** A dense program by name, for any sizes. */
export interface BuiltinProgram {
  readonly name: string;
  /** What it computes, in a line. */
  readonly summary: string;
  /** Its sizes with their defaults. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Extents of its arrays, by size. */
  readonly arrays: Readonly<Record<string, readonly string[]>>;
  /** Error: `equations/size` for a size that it has not. */
  readonly module: (sizes: Readonly<Record<string, number>>) => Module;
}

const N = 100;

/** The dense programs of the method's experiments and examples, as one would write them. */
export const builtinPrograms: readonly BuiltinProgram[] = [
  product('gemm', 'C[i, j] += A[i, k]·B[k, j]'),
  product('mm', 'C[i, j] += A[i, k]·B[k, j], meant for a sparse A and a dense B'),
  program({
    name: 'syrk',
    summary: 'C[i, j] += A[i, k]·A[j, k] for j ≤ i',
    sizes: { N, K: N },
    arrays: { A: ['N', 'K'], C: ['N', 'N'] },
    outputs: ['C'],
    body: (t, { N, K }) =>
      t.loop(0, N, (i) =>
        t.loop(0, t.plus(i, 1), (j) =>
          t.loop(0, K, (k) => t.add('C', [i, j], t.b.mul(t.load('A', i, k), t.load('A', j, k)))),
        ),
      ),
  }),
  program({
    name: 'syr2k',
    summary: 'C[i, j] += A[i, k]·B[j, k] + B[i, k]·A[j, k] for j ≤ i',
    sizes: { N, K: N },
    arrays: { A: ['N', 'K'], B: ['N', 'K'], C: ['N', 'N'] },
    outputs: ['C'],
    body: (t, { N, K }) =>
      t.loop(0, N, (i) =>
        t.loop(0, t.plus(i, 1), (j) =>
          t.loop(0, K, (k) => {
            const first = t.b.mul(t.load('A', i, k), t.load('B', j, k));
            t.add('C', [i, j], t.b.add(first, t.b.mul(t.load('B', i, k), t.load('A', j, k))));
          }),
        ),
      ),
  }),
  program({
    name: 'jacobi1d',
    summary: 'T sweeps of a mean of 3 neighbours from A to B and back',
    sizes: { N, T: 10 },
    arrays: { A: ['N'], B: ['N'] },
    inouts: ['A'],
    temps: ['B'],
    body: (t, { N, T }) => {
      const sweep = (from: string, to: string): void =>
        t.loop(1, N - 1, (i) => t.store(to, [i], t.mean([-1, 0, 1].map((d) => t.load(from, t.plus(i, d))))));
      t.loop(
        0,
        T,
        () => {
          sweep('A', 'B');
          sweep('B', 'A');
        },
        't',
      );
    },
  }),
  program({
    name: 'jacobi2d',
    summary: 'T sweeps of a mean of 5 neighbours from A to B and back',
    sizes: { N, M: N, T: 10 },
    arrays: { A: ['N', 'M'], B: ['N', 'M'] },
    inouts: ['A'],
    temps: ['B'],
    body: (t, { N, M, T }) => {
      const near = [
        [0, 0],
        [0, -1],
        [0, 1],
        [1, 0],
        [-1, 0],
      ];
      const sweep = (from: string, to: string): void =>
        t.loop(1, N - 1, (i) =>
          t.loop(1, M - 1, (j) =>
            t.store(to, [i, j], t.mean(near.map(([di, dj]) => t.load(from, t.plus(i, di), t.plus(j, dj))))),
          ),
        );
      t.loop(
        0,
        T,
        () => {
          sweep('A', 'B');
          sweep('B', 'A');
        },
        't',
      );
    },
  }),
  program({
    name: '2mm',
    summary: 'R = (A·B)·C through T',
    sizes: { I: N, J: N, K: N, L: N },
    arrays: { A: ['I', 'K'], B: ['K', 'J'], C: ['J', 'L'], T: ['I', 'J'], R: ['I', 'L'] },
    outputs: ['R'],
    temps: ['T'],
    body: (t, { I, J, K, L }) => {
      const multiply = (to: string, a: string, b: string, cols: number, inner: number): void =>
        t.loop(0, I, (i) =>
          t.loop(0, cols, (j) => {
            t.store(to, [i, j], t.b.f64(0));
            t.loop(0, inner, (k) => t.add(to, [i, j], t.b.mul(t.load(a, i, k), t.load(b, k, j))));
          }),
        );
      multiply('T', 'A', 'B', J, K);
      multiply('R', 'T', 'C', L, J);
    },
  }),
  program({
    name: 'trisolve',
    summary: 'x[i] = (b[i] - Σ A[i, j]·x[j] for j < i) / A[i, i]',
    sizes: { N },
    arrays: { A: ['N', 'N'], b: ['N'], x: ['N'] },
    outputs: ['x'],
    body: (t, { N }) =>
      t.loop(0, N, (i) => {
        t.store('x', [i], t.load('b', i));
        t.loop(0, i, (j) => t.store('x', [i], t.b.sub(t.load('x', i), t.b.mul(t.load('A', i, j), t.load('x', j)))));
        t.store('x', [i], t.b.div(t.load('x', i), t.load('A', i, i)));
      }),
  }),
  program({
    name: 'stencil',
    summary: 'S[t, i] += S[t-1, i+k] for -M ≤ k ≤ M, from In at t = 0',
    sizes: { N, M: 2, T: 10 },
    arrays: { In: ['N'], S: ['T', 'N'] },
    outputs: ['S'],
    body: (t, { N, M, T }) =>
      t.loop(
        0,
        T,
        (step) =>
          t.loop(M, N - M, (i) =>
            t.loop(
              -M,
              M + 1,
              (k) => {
                const at = t.b.add(i, k);
                const [value] = t.b.if(
                  t.b.cmp('ge', step, t.number(1)),
                  () => t.load('S', t.plus(step, -1), at),
                  () => t.load('In', at),
                );
                t.add('S', [step, i], value);
              },
              'k',
            ),
          ),
        't',
      ),
  }),
];

function product(name: string, summary: string): BuiltinProgram {
  return program({
    name,
    summary,
    sizes: { I: N, J: N, K: N },
    arrays: { A: ['I', 'K'], B: ['K', 'J'], C: ['I', 'J'] },
    outputs: ['C'],
    body: (t, { I, J, K }) =>
      t.loop(0, I, (i) =>
        t.loop(0, J, (j) => t.loop(0, K, (k) => t.add('C', [i, j], t.b.mul(t.load('A', i, k), t.load('B', k, j))))),
      ),
  });
}

interface Definition {
  readonly name: string;
  readonly summary: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly arrays: Readonly<Record<string, readonly string[]>>;
  readonly outputs?: readonly string[];
  readonly inouts?: readonly string[];
  readonly temps?: readonly string[];
  readonly body: (t: Text, sizes: Readonly<Record<string, number>>) => void;
}

function program(d: Definition): BuiltinProgram {
  const { name, summary, sizes, arrays } = d;
  return {
    name,
    summary,
    sizes,
    arrays,
    module: (given) => {
      const unknown = Object.keys(given).find((s) => !Object.hasOwn(sizes, s));
      if (unknown !== undefined)
        fail('equations/size', `the program '${name}' has no size '${unknown}'`, {
          remedy: `its sizes are ${Object.keys(sizes).join(', ')}`,
        });
      const all = { ...sizes, ...given };
      const extents = (a: string): readonly number[] => arrays[a].map((s) => all[s]);
      const buffers = Object.keys(arrays).map((a): Buffer => {
        const role = d.outputs?.includes(a)
          ? 'output'
          : d.inouts?.includes(a)
            ? 'inout'
            : d.temps?.includes(a)
              ? 'temp'
              : 'input';
        return declareBuffer(
          a,
          'f64',
          extents(a).reduce((n, x) => n * x, 1),
          role,
        );
      });
      /* Names of kernels begin with a letter. */
      const kernelName = name.replace(/^(\d)/, 'k$1');
      const wide = buffers.some((b) => b.length >= 2 ** 31);
      const body = (b: Builder): void => d.body(new Text(b, extents, wide ? 'i64' : 'i32'), all);
      return makeModule(kernelName, buffers, [buildKernel(kernelName, {}, body, buffers)]);
    },
  };
}

const ITERATORS = ['i', 'j', 'k', 'l'];

/** Loops, loads and stores over arrays of several dimensions, as text would have them. */
class Text {
  private depth = 0;

  constructor(
    readonly b: Builder,
    private readonly extents: (array: string) => readonly number[],
    private readonly type: 'i32' | 'i64',
  ) {}

  number(n: number): Value {
    return this.b.constant(n, this.type);
  }

  plus(i: Value, n: number): Value {
    return n === 0 ? i : this.b.add(i, this.number(n));
  }

  /** for lower ≤ iterator < upper. */
  loop(lower: number, upper: number | Value, body: (i: Value) => void, hint?: string): void {
    const end = typeof upper === 'number' ? this.number(upper) : upper;
    const name = hint ?? ITERATORS[this.depth];
    if (hint === undefined) this.depth++;
    const { region } = this.b.region([{ type: this.type, hint: name }], ([i]) => body(i));
    if (hint === undefined) this.depth--;
    this.b.op('scf.for', [this.number(lower), end, this.number(1)], {}, [region]);
  }

  load(array: string, ...at: readonly Value[]): Value {
    return this.b.load(array, this.index(array, at));
  }

  store(array: string, at: readonly Value[], value: Value): void {
    this.b.store(array, value, this.index(array, at));
  }

  /** array[at] += value */
  add(array: string, at: readonly Value[], value: Value): void {
    this.store(array, at, this.b.add(this.load(array, ...at), value));
  }

  mean(values: readonly Value[]): Value {
    const sum = values.reduce((x, y) => this.b.add(x, y));
    return this.b.mul(this.b.f64(1 / values.length), sum);
  }

  private index(array: string, at: readonly Value[]): Value {
    const extents = this.extents(array);
    return at.reduce((row, x, d) => this.b.add(this.b.mul(row, this.number(extents[d])), x));
  }
}
