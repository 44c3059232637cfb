import { type TypedArray, coreDialects, parseModule, printModule, verifyModule } from '@filigree/ir';
import {
  type GemmSpec,
  type GemmTarget,
  type MatrixView,
  gemmFlops,
  gemmAttrs,
  gemmSpecOf,
  gemmTargets,
  lowerGemm,
} from '@filigree/tensor';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import {
  gemmData,
  gemmModule,
  gemmSpecs,
  interpreted,
  passed,
  reference,
  withLinalg,
  defined,
  sparse,
} from './gemm-support.js';

const plain: GemmSpec = {
  type: 'f64',
  m: 4,
  n: 3,
  k: 2,
  a: { kind: 'dense', rowStride: 1, columnStride: 4 },
  b: { kind: 'dense', rowStride: 1, columnStride: 2 },
  c: { rowStride: 1, columnStride: 4 },
  alpha: 1,
  beta: 0,
};

const entries = (rows: number[], columns: number[], positions: number[]): MatrixView => ({
  kind: 'sparse',
  rows: Int32Array.from(rows),
  columns: Int32Array.from(columns),
  positions: Int32Array.from(positions),
});

describe('linalg.gemm', () => {
  test('its meaning is the product, for all layouts, patterns and factors', () => {
    fc.assert(
      fc.property(gemmSpecs(12), (spec) => {
        const data = gemmData(spec);
        expect(defined(spec, interpreted(spec, gemmModule(spec), data))).toEqual(defined(spec, reference(spec, data)));
      }),
      { numRuns: 300 },
    );
  });

  test('attributes say which product it is, and go through text', () => {
    fc.assert(
      fc.property(gemmSpecs(6), fc.boolean(), (spec, prefetch) => {
        const module = gemmModule(spec, prefetch);
        expect(verifyModule(module, withLinalg)).toEqual([]);
        const back = parseModule(printModule(module));
        if (E.isLeft(back)) throw new Error(JSON.stringify(back.left));
        expect(printModule(back.right)).toBe(printModule(module));
        const op = back.right.kernels[0].body.ops.find((o) => o.name === 'linalg.gemm')!;
        expect(gemmSpecOf(op)).toEqual(spec);
      }),
      { numRuns: 100 },
    );
  });

  test.each<[string, Partial<GemmSpec>, RegExp]>([
    ['no rows', { m: 0 }, /'m' must be an integer of at least 1/],
    [
      'a matrix that its buffer cannot hold',
      { a: { kind: 'dense', rowStride: 9, columnStride: 99 } },
      /A takes 127 elements/,
    ],
    ['two elements of C in one place', { c: { rowStride: 1, columnStride: 3 } }, /two elements of C in one place/],
    ['an entry outside', { b: entries([0, 2], [0, 1], [0, 1]) }, /entry \(2, 1\) of b is outside 2 × 3/],
    ['an entry twice', { b: entries([1, 1], [1, 1], [0, 1]) }, /by column and then by row, each once/],
    ['fewer padded rows than rows', { mPadded: 3 }, /'mPadded' must be an integer of at least 4/],
  ])('%s is refused', (_what, change, message) => {
    const text = printModule(gemmModule(plain));
    const changed = { ...plain, ...change };
    /* The builder verifies too: what is wrong is put into the text of a good module. */
    const module = parseModule(text);
    if (E.isLeft(module)) throw new Error('the plain module does not parse');
    const [kernel] = module.right.kernels;
    const bad = {
      ...module.right,
      kernels: [
        {
          ...kernel,
          body: {
            ...kernel.body,
            ops: kernel.body.ops.map((op) =>
              op.name === 'linalg.gemm' ? { ...op, attrs: { a: '@A', b: '@B', c: '@C', ...gemmAttrs(changed) } } : op,
            ),
          },
        },
      ],
    };
    expect(
      verifyModule(bad, withLinalg)
        .map((d) => d.message)
        .join(),
    ).toMatch(message);
  });
});

describe('lowerGemm', () => {
  const agrees = (spec: GemmSpec, target: GemmTarget, prefetch: boolean): void => {
    const module = gemmModule(spec, prefetch);
    const lowered = passed(lowerGemm(target), module);
    expect(verifyModule(lowered, coreDialects)).toEqual([]);
    const data = gemmData(spec);
    const [got, wanted] = [interpreted(spec, lowered, data, coreDialects), interpreted(spec, module, data)];
    expect(defined(spec, got)).toEqual(defined(spec, wanted));
  };

  test.each(Object.entries(gemmTargets))('for %s means the same', (_name, target) => {
    fc.assert(
      fc.property(gemmSpecs(14), fc.boolean(), (spec, prefetch) => agrees(spec, target, prefetch)),
      { numRuns: 100 },
    );
  });

  test.each(Object.entries(gemmTargets))('vectors lie along k where both matrices do, for %s', (_name, target) => {
    fc.assert(
      fc.property(
        gemmSpecs(3),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 17, max: 130 }),
        fc.boolean(),
        ({ mPadded: _padding, ...spec }, m, k, first) => {
          /* One of the two is thin, the other has several tiles now and then. */
          const [rows, columns] = first ? [m, 1 + (spec.n % 2)] : [1 + (spec.m % 2), m];
          const deep: GemmSpec = {
            ...spec,
            ...{ m: rows, n: columns, k },
            a: { kind: 'dense', rowStride: k + 3, columnStride: 1 },
            b: { kind: 'dense', rowStride: 1, columnStride: k + 1 },
            c: { rowStride: columns + 2, columnStride: 1 },
          };
          agrees(deep, target, false);
          const text = printModule(passed(lowerGemm(target), gemmModule(deep)));
          if (k < 100) return;
          expect(text).toContain('arith.reduce');
          expect(gemmFlops({ ...deep, alpha: 1 }, target)).toBe(2 * rows * columns * k);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('code that would be long is put in loops', () => {
    fc.assert(
      fc.property(gemmSpecs(8), fc.integer({ min: 30, max: 90 }), fc.integer({ min: 9, max: 40 }), (spec, k, m) => {
        fc.pre(spec.a.kind !== 'sparse' && spec.b.kind !== 'sparse');
        const long: GemmSpec = { ...packed(spec, m, spec.n, k), alpha: spec.alpha, beta: spec.beta };
        const target = { ...gemmTargets.avx2, instructionCache: 4096 };
        agrees(long, target, false);
      }),
      { numRuns: 30 },
    );
  });
});

test('entries of a sparse matrix that would be much code are gone through in loops', () => {
  let looped = 0;
  fc.assert(
    fc.property(
      gemmSpecs(4),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('columns', 'rows'),
      fc.double({ min: 0.3, max: 1, noNaN: true }),
      fc.boolean(),
      (spec, m, order, density, prefetch) => {
        const [n, k] = [36, 30];
        const lies = (rows: number, columns: number) =>
          order === 'columns' ? { rowStride: 1, columnStride: rows } : { rowStride: columns, columnStride: 1 };
        const long: GemmSpec = {
          ...{ type: spec.type, alpha: spec.alpha, beta: spec.beta, m, n, k },
          a: { kind: 'dense', ...lies(m, k) },
          b: sparse(k, n, density, m),
          c: lies(m, n),
        };
        const target = { ...gemmTargets.avx2, instructionCache: 256 };
        const module = gemmModule(long, prefetch);
        const lowered = passed(lowerGemm(target), module);
        if (lowered.buffers.some((b) => b.name.startsWith('gemm_list'))) looped++;
        expect(verifyModule(lowered, coreDialects)).toEqual([]);
        const data = gemmData(long);
        const [got, wanted] = [interpreted(long, lowered, data, coreDialects), interpreted(long, module, data)];
        expect(defined(long, got)).toEqual(defined(long, wanted));
      },
    ),
    { numRuns: 20 },
  );
  expect(looped).toBeGreaterThan(0);
});

test('two sparse matrices whose products would be much code are multiplied in loops', () => {
  fc.assert(
    fc.property(
      gemmSpecs(4),
      fc.constantFrom('columns', 'rows'),
      fc.double({ min: 0.1, max: 0.6, noNaN: true }),
      fc.boolean(),
      (spec, order, density, prefetch) => {
        const [m, n, k] = [22, 26, 24];
        const long: GemmSpec = {
          ...{ type: spec.type, alpha: spec.alpha, beta: spec.beta, m, n, k },
          a: sparse(m, k, density, 5),
          b: sparse(k, n, density, 6),
          c: order === 'columns' ? { rowStride: 1, columnStride: m } : { rowStride: n, columnStride: 1 },
        };
        const module = gemmModule(long, prefetch);
        const lowered = passed(lowerGemm({ ...gemmTargets.avx2, instructionCache: 16 }), module);
        expect(lowered.buffers.some((b) => b.name.startsWith('gemm_list'))).toBe(true);
        expect(printModule(lowered).length).toBeLessThan(60_000);
        expect(verifyModule(lowered, coreDialects)).toEqual([]);
        const data = gemmData(long);
        const got = interpreted(long, lowered, data, coreDialects);
        expect(defined(long, got)).toEqual(defined(long, reference(long, data)));
      },
    ),
    { numRuns: 20 },
  );
});

test('columns of a sparse matrix that share rows share what is loaded for them', () => {
  const [m, n, k] = [8, 12, 8];
  /* Every other column has the first four rows, those between them the last four. */
  const found = Array.from({ length: n * 4 }, (_, e) => ({ column: e >> 2, row: (e & 3) + 4 * ((e >> 2) % 2) }));
  const spec: GemmSpec = {
    ...plain,
    ...{ m, n, k },
    a: { kind: 'dense', rowStride: 1, columnStride: m },
    b: entries(
      found.map((e) => e.row),
      found.map((e) => e.column),
      found.map((_, e) => e),
    ),
    c: { rowStride: 1, columnStride: m },
  };
  const module = gemmModule(spec);
  const lowered = passed(lowerGemm(gemmTargets.avx2), module);
  /* Two tiles of six columns, each of four rows, which meet two vectors of A: with neighbours in a tile each would have all rows. */
  const loads = lowered.kernels[0].body.ops.filter((op) => op.name === 'mem.load' && op.attrs.buffer === '@A');
  expect(loads.length).toBe(2 * k);
  const data = gemmData(spec);
  expect(defined(spec, interpreted(spec, lowered, data, coreDialects))).toEqual(defined(spec, reference(spec, data)));
});

test('zeros that are stored may be multiplied or left out', () => {
  fc.assert(
    fc.property(
      gemmSpecs(10),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('a', 'b', 'ab'),
      fc.constantFrom(32, 8192, 32768),
      (spec, density, which, instructionCache) => {
        const dense = packed({ ...spec, a: { kind: 'dense', rowStride: 1, columnStride: 1 } }, spec.m, spec.n, spec.k);
        const stored = (view: MatrixView, rows: number, columns: number, seed: number): MatrixView => {
          const found = sparse(rows, columns, density, seed);
          if (found.kind === 'dense' || view.kind === 'sparse') return view;
          const { rowStride, columnStride } = view;
          const positions = found.rows.map((r, e) => r * rowStride + found.columns[e] * columnStride);
          return { ...found, positions, stored: { rowStride, columnStride } };
        };
        const known: GemmSpec = {
          ...dense,
          alpha: spec.alpha,
          beta: spec.beta,
          a: which.includes('a') ? stored(dense.a, spec.m, spec.k, 3) : dense.a,
          b: which.includes('b') ? stored(dense.b, spec.k, spec.n, 4) : dense.b,
        };
        const data = gemmData(known);
        const zeroed = { ...data, A: withZeros(known.a, data.A, 1), B: withZeros(known.b, data.B, 2) };
        const module = gemmModule(known);
        expect(verifyModule(module, withLinalg)).toEqual([]);
        const lowered = passed(lowerGemm({ ...gemmTargets.avx2, instructionCache }), module);
        const [got, wanted] = [interpreted(known, lowered, zeroed, coreDialects), interpreted(known, module, zeroed)];
        expect(defined(known, got)).toEqual(defined(known, wanted));
        expect(defined(known, wanted)).toEqual(defined(known, reference({ ...known, a: dense.a, b: dense.b }, zeroed)));
      },
    ),
    { numRuns: 100 },
  );
});

/** A matrix's memory with zeros wherever the matrix has no entry. */
const withZeros = (view: MatrixView, data: TypedArray, begin: number): TypedArray => {
  if (view.kind === 'dense') return data;
  const out = data.slice();
  out.fill(0 as never);
  for (const p of view.positions) out[begin + p] = data[begin + p];
  return out;
};

/** The same product of other extents, all matrices by columns but for A, which may be transposed. */
const packed = (spec: GemmSpec, m: number, n: number, k: number): GemmSpec => ({
  type: spec.type,
  m,
  n,
  k,
  a:
    spec.a.kind === 'dense' && spec.a.rowStride !== 1
      ? { kind: 'dense', rowStride: k, columnStride: 1 }
      : { kind: 'dense', rowStride: 1, columnStride: m },
  b: { kind: 'dense', rowStride: 1, columnStride: k },
  c: { rowStride: 1, columnStride: m },
  alpha: 1,
  beta: 0,
});

test('a block of C in registers, as text', () => {
  const spec: GemmSpec = { ...plain, n: 2 };
  expect(printModule(passed(lowerGemm(gemmTargets.avx2), gemmModule(spec)))).toMatchInlineSnapshot(`
    "module @product {
      buffer @A : f64[9] input
      buffer @B : f64[6] input
      buffer @C : f64[11] inout
      kernel @multiply() {
        %0 = arith.constant {value = 1} : i32
        %1 = arith.constant {value = 2} : i32
        %2 = arith.constant {value = 3} : i32
        %3 = mem.load %0 {buffer = @A, keep = true, lanes = 4} : vec<4 x f64>
        %4 = mem.load %1 {buffer = @B} : f64
        %5 = arith.splat %4 {lanes = 4} : vec<4 x f64>
        %6 = arith.mul %3, %5 : vec<4 x f64>
        %7 = arith.constant {value = 2} : i32
        %8 = arith.add %1, %7 : i32
        %9 = mem.load %8 {buffer = @B} : f64
        %10 = arith.splat %9 {lanes = 4} : vec<4 x f64>
        %11 = arith.mul %3, %10 : vec<4 x f64>
        %12 = arith.constant {value = 4} : i32
        %13 = arith.add %0, %12 : i32
        %14 = mem.load %13 {buffer = @A, keep = true, lanes = 4} : vec<4 x f64>
        %15 = arith.constant {value = 1} : i32
        %16 = arith.add %1, %15 : i32
        %17 = mem.load %16 {buffer = @B} : f64
        %18 = arith.splat %17 {lanes = 4} : vec<4 x f64>
        %19 = math.fma %14, %18, %6 : vec<4 x f64>
        %20 = arith.constant {value = 3} : i32
        %21 = arith.add %1, %20 : i32
        %22 = mem.load %21 {buffer = @B} : f64
        %23 = arith.splat %22 {lanes = 4} : vec<4 x f64>
        %24 = math.fma %14, %23, %11 : vec<4 x f64>
        mem.store %19, %2 {buffer = @C}
        %25 = arith.constant {value = 4} : i32
        %26 = arith.add %2, %25 : i32
        mem.store %24, %26 {buffer = @C}
        scf.yield
      }
    }
    "
  `);
});

test('padding, overlap and known zeros in executed operations', () => {
  const flops = (change: Partial<GemmSpec>): number => gemmFlops({ ...plain, ...change }, gemmTargets.avx2);
  const tall = (m: number, mPadded?: number): Partial<GemmSpec> => ({
    m,
    a: { kind: 'dense', rowStride: 1, columnStride: 12 },
    c: { rowStride: 1, columnStride: 12 },
    ...(mPadded === undefined ? {} : { mPadded }),
  });
  expect(flops({})).toBe(2 * 4 * 3 * 2);
  /* Nine rows are three vectors of four, with padding and without. */
  expect(flops(tall(9))).toBe(2 * 12 * 3 * 2);
  expect(flops(tall(9, 12))).toBe(2 * 12 * 3 * 2);
  expect(flops({ b: entries([0, 1, 1], [0, 1, 2], [0, 1, 2]) })).toBe(2 * 4 * 3);
  expect(flops({ alpha: 2 })).toBe(2 * 4 * 3 * 2 + 4 * 3);
});
