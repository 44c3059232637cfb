import {
  type Dialect,
  type Module,
  type Pass,
  type TypedArray,
  allocateArray,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
} from '@filigree/ir';
import { type GemmSpec, type MatrixView, buildGemm, linalg } from '@filigree/tensor';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';

export const withLinalg: readonly Dialect[] = [...coreDialects, linalg];

/** A module that multiplies once: matrices begin a few elements into buffers that are just large enough. */
export const gemmModule = (spec: GemmSpec, prefetch = false): Module => gemmModules([spec], prefetch);

/** Several products, each with buffers and a kernel of its own; those after the first have names with a number. */
export const gemmModules = (specs: readonly GemmSpec[], prefetch = false): Module => {
  const parts = specs.map((spec, k) => {
    const lengths = lengthsOf(spec);
    const name = (x: string): string => (k === 0 ? x : `${x}${k}`);
    const buffers = [
      declareBuffer(name('A'), spec.type, lengths.a, 'input'),
      declareBuffer(name('B'), spec.type, lengths.b, 'input'),
      declareBuffer(name('C'), spec.type, lengths.c, 'inout'),
    ];
    const params = { alpha: spec.type } as const;
    const kernel = buildKernel(
      name('multiply'),
      spec.alpha === 'value' ? params : {},
      (b, values) => {
        const alpha = (values as { alpha?: ReturnType<typeof b.i32> }).alpha;
        buildGemm(b, spec, {
          a: { buffer: name('A'), at: b.i32(begin.a) },
          b: { buffer: name('B'), at: b.i32(begin.b) },
          c: { buffer: name('C'), at: b.i32(begin.c) },
          ...(alpha ? { alpha } : {}),
          ...(prefetch ? { prefetch: { buffer: name('B'), at: b.i32(0) } } : {}),
        });
      },
      buffers,
      { dialects: withLinalg },
    );
    return { buffers, kernel };
  });
  return makeModule(
    'product',
    parts.flatMap((p) => p.buffers),
    parts.map((p) => p.kernel),
  );
};

const begin = { a: 1, b: 2, c: 3 };

export interface GemmData {
  readonly A: TypedArray;
  readonly B: TypedArray;
  readonly C: TypedArray;
}

/** Small whole numbers, so that every order of summation gives the same: f32 holds the results exactly. */
export const gemmData = (spec: GemmSpec, seed = 1): GemmData => {
  let state = seed >>> 0;
  const fill = (length: number): TypedArray => {
    const data = allocateArray(spec.type, length);
    for (let i = 0; i < length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      data[i] = ((state >>> 16) % 9) - 4;
    }
    return data;
  };
  const lengths = lengthsOf(spec);
  return { A: fill(lengths.a), B: fill(lengths.b), C: fill(lengths.c) };
};

export const alphaOf = (spec: GemmSpec): number => (spec.alpha === 'value' ? -3 : spec.alpha);

/** C after the product, computed here from dense copies of A and B. */
export const reference = (spec: GemmSpec, { A, B, C }: GemmData): TypedArray => {
  const { m, n, k, c, beta } = spec;
  const [a, b] = [dense(spec.a, m, k, A, begin.a), dense(spec.b, k, n, B, begin.b)];
  const out = C.slice();
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let l = 0; l < k; l++) sum += a[i][l] * b[l][j];
      const at = begin.c + i * c.rowStride + j * c.columnStride;
      out[at] = alphaOf(spec) * sum + (beta === 1 ? Number(out[at]) : 0);
    }
  return out;
};

/** C with what the product leaves undefined set to 0: padding rows, and the sign of zeros. */
export const defined = (spec: GemmSpec, C: TypedArray): readonly number[] => {
  const out = Array.from(C as Float64Array, (x) => x + 0);
  for (let j = 0; j < spec.n; j++)
    for (let i = spec.m; i < (spec.mPadded ?? spec.m); i++) {
      const at = begin.c + i * spec.c.rowStride + j * spec.c.columnStride;
      if (at < out.length) out[at] = 0;
    }
  return out;
};

/** C after the interpreter ran the module. */
export const interpreted = (spec: GemmSpec, module: Module, data: GemmData, dialects = withLinalg): TypedArray => {
  const buffers = { A: data.A.slice(), B: data.B.slice(), C: data.C.slice() };
  const args = spec.alpha === 'value' ? { kernel: 'multiply', args: [alphaOf(spec)] } : {};
  const done = interpret(module, dialects, buffers, args);
  if (E.isLeft(done)) throw new Error(done.left.map((d) => d.message).join('\n'));
  return buffers.C;
};

export const passed = (pass: Pass<Module>, module: Module): Module => {
  const out = pass.run(module);
  if (E.isLeft(out)) throw new Error(out.left.map((d) => d.message).join('\n'));
  return out.right;
};

/** Products of every kind: extents up to `most`, all layouts, sparse factors, padding. */
export const gemmSpecs = (most: number): fc.Arbitrary<GemmSpec> =>
  fc
    .record({
      type: fc.constantFrom('f32', 'f64'),
      m: fc.integer({ min: 1, max: most }),
      n: fc.integer({ min: 1, max: most }),
      k: fc.integer({ min: 1, max: most }),
      a: fc.constantFrom('columns', 'rows', 'strided', 'sparse'),
      b: fc.constantFrom('columns', 'rows', 'strided', 'sparse'),
      c: fc.constantFrom('columns', 'rows', 'strided'),
      gaps: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
      density: fc.double({ min: 0, max: 1, noNaN: true }),
      seed: fc.integer(),
      alpha: fc.constantFrom<GemmSpec['alpha']>(1, 1, -1, 0.5, 'value'),
      beta: fc.constantFrom<GemmSpec['beta']>(0, 1),
      padding: fc.constantFrom(0, 0, 1, 4, 8),
    })
    .map(({ type, m, n, k, a, b, c, gaps, density, seed, alpha, beta, padding }): GemmSpec => {
      const padded = padding > 0 && a === 'columns' && c === 'columns' ? Math.ceil(m / padding) * padding : undefined;
      const rows = padded ?? m;
      const cView = layout(c, rows, n, gaps[4], gaps[5]);
      return {
        type: type as GemmSpec['type'],
        m,
        n,
        k,
        a: a === 'sparse' ? sparse(m, k, density, seed) : { kind: 'dense', ...layout(a, rows, k, gaps[0], gaps[1]) },
        b: b === 'sparse' ? sparse(k, n, density, seed + 1) : { kind: 'dense', ...layout(b, k, n, gaps[2], gaps[3]) },
        c: cView,
        alpha,
        beta,
        ...(padded === undefined ? {} : { mPadded: padded }),
      };
    });

const layout = (kind: string, rows: number, columns: number, gap: number, inner: number) =>
  kind === 'columns'
    ? { rowStride: 1, columnStride: rows + gap }
    : kind === 'rows'
      ? { rowStride: columns + gap, columnStride: 1 }
      : { rowStride: 2 + inner, columnStride: (2 + inner) * rows + gap };

/** A pattern with about this share of entries; they lie in reverse order with a gap. */
export const sparse = (rows: number, columns: number, density: number, seed: number): MatrixView => {
  let state = seed >>> 0;
  const [r, c]: [number[], number[]] = [[], []];
  for (let j = 0; j < columns; j++)
    for (let i = 0; i < rows; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      if (state / 2 ** 32 >= density) continue;
      r.push(i);
      c.push(j);
    }
  const positions = r.map((_, e) => 2 * (r.length - 1 - e) + 1);
  return {
    kind: 'sparse',
    rows: Int32Array.from(r),
    columns: Int32Array.from(c),
    positions: Int32Array.from(positions),
  };
};

const dense = (view: MatrixView, rows: number, columns: number, data: TypedArray, from: number): number[][] => {
  const out = Array.from({ length: rows }, () => new Array<number>(columns).fill(0));
  if (view.kind === 'sparse')
    view.positions.forEach((p, e) => (out[view.rows[e]][view.columns[e]] = Number(data[from + p])));
  else
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) out[i][j] = Number(data[from + i * view.rowStride + j * view.columnStride]);
  return out;
};

const extent = (view: MatrixView, rows: number, columns: number): number =>
  view.kind === 'sparse' && !view.stored
    ? Math.max(-1, ...view.positions) + 1
    : last(view.kind === 'sparse' ? view.stored! : view, rows, columns) + 1;

const last = (
  { rowStride, columnStride }: { readonly rowStride: number; readonly columnStride: number },
  rows: number,
  columns: number,
): number => (rows - 1) * rowStride + (columns - 1) * columnStride;

const lengthsOf = ({ m, n, k, a, b, c, mPadded = m }: GemmSpec) => ({
  a: begin.a + extent(a, a.kind === 'dense' ? mPadded : m, k),
  b: begin.b + extent(b, k, n),
  c: begin.c + extent({ kind: 'dense', ...c }, mPadded, n),
});
