import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ARITHMETIC, type Arithmetic } from '@filigree/ir';
import { csrFromTriplets, evaluateExpr, numberRing, parseExpr, type CsrPattern } from '@filigree/sparse/formats';
import { defaultOptions, symbolicRing, type Program, type SpecializeOptions } from '@filigree/specialize';
import { numbers, relativeError, right, runProgram } from './support.js';

const expression = (text: string, patterns: Record<string, CsrPattern>): Program => ({
  inputs: patterns,
  run: (inputs, { graph }) => ({
    result: right(
      evaluateExpr(
        right(parseExpr(text)),
        inputs as Record<string, { pattern: CsrPattern; values: Int32Array }>,
        symbolicRing(graph),
      ),
    ),
  }),
});

const check = (
  text: string,
  patterns: Record<string, CsrPattern>,
  options: Partial<SpecializeOptions> = {},
  arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
) => {
  const values = Object.fromEntries(
    Object.entries(patterns).map(([name, p], k) => [name, numbers(p.colIdx.length, k + 1)]),
  );
  const bound = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { pattern, values: values[name] }]),
  );
  const expected = right(evaluateExpr(right(parseExpr(text)), bound, numberRing)).values;
  const { outputs, specialized } = runProgram(expression(text, patterns), values, options, arithmetic);
  expect(relativeError(outputs.result, expected)).toBeLessThan(1e-12);
  return specialized;
};

/** The pattern of a triangulated m × m grid with its diagonal. */
const grid = (m: number): CsrPattern => {
  const rows: number[] = [];
  const cols: number[] = [];
  const link = (a: number, b: number): void => {
    rows.push(a, b);
    cols.push(b, a);
  };
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++) {
      const v = i * m + j;
      rows.push(v);
      cols.push(v);
      if (i + 1 < m) link(v, v + m);
      if (j + 1 < m) link(v, v + 1);
      if (i + 1 < m && j + 1 < m)
        link((i * 7 + j * 3) % 5 < 2 ? v : v + 1, (i * 7 + j * 3) % 5 < 2 ? v + m + 1 : v + m);
    }
  return csrFromTriplets(m * m, m * m, Int32Array.from(rows), Int32Array.from(cols)).pattern;
};

const random = (n: number, entries: readonly (readonly [number, number])[]): CsrPattern =>
  csrFromTriplets(
    n,
    n,
    Int32Array.from(entries, (e) => e[0] % n),
    Int32Array.from(entries, (e) => e[1] % n),
  ).pattern;

const patterns = fc
  .tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 60 }),
  )
  .map(([n, a, b]) => ({ A: random(n, a), B: random(n, b) }));

const texts = ["A'*A+A", 'A*B', 'A^3', "A*B*A'+B", '2*A-B', "(A+B)*(A-B)'", '-A', 'A*A-A*A+B'];

describe('sparse algebra through all stages', () => {
  it('equals plain evaluation on random patterns', () => {
    fc.assert(
      fc.property(patterns, fc.constantFrom(...texts), (p, text) => {
        check(text, p);
      }),
      { numRuns: 120 },
    );
  });

  const d = defaultOptions;
  const variants: Record<string, Partial<SpecializeOptions>> = {
    'no global decomposition': { decompose: { ...d.decompose, global: false } },
    'no block detection': { decompose: { ...d.decompose, detectBlocks: false } },
    'no local decomposition': { decompose: { ...d.decompose, local: false } },
    'every sum rolled': {
      group: { maxUnrolledTerms: 1, minUnrolledInstances: 1e9 },
      decompose: { ...d.decompose, maxSumTerms: 2 },
    },
    'no sum rolled': { group: { maxUnrolledTerms: 1e9, minUnrolledInstances: 0 } },
    'no address coherence': { place: { ...d.place, coherence: false } },
    'no columns piece by piece': { place: { ...d.place, pieces: false } },
    'pieces and many tiles': { place: { ...d.place, tileBytes: 4096 } },
    'wide index tables': { place: { ...d.place, narrow: false } },
    'many tiles': { place: { ...d.place, tileBytes: 256 } },
    'no lanes': { emit: { simd: false, parallel: false } },
  };
  for (const [name, options] of Object.entries(variants)) {
    it(`equals plain evaluation with ${name}`, () => {
      check("A'*A+A", { A: grid(12) }, options);
      check('A^3', { A: grid(9) }, options);
      fc.assert(
        fc.property(patterns, fc.constantFrom(...texts), (p, text) => void check(text, p, options)),
        { numRuns: 20 },
      );
    });
  }

  it('equals plain evaluation when nothing may be merged algebraically', () => {
    check("A'*A+A", { A: grid(12) }, {}, 'exact');
    check('A*A-A*A', { A: grid(6) }, {}, 'exact');
  });

  it('needs at most 30 kernels for the cube of a mesh Laplacian', () => {
    const { kernels, launches } = check('A^3', { A: grid(40) });
    expect(kernels).toBeLessThanOrEqual(30);
    expect(launches).toBe(2);
  });

  it('computes equal entries of a symmetric product once', () => {
    const A = grid(20);
    const { module } = check("A'*A", { A });
    const stores = JSON.stringify(module.kernels).split('"mem.store"').length - 1;
    expect(stores).toBeGreaterThan(module.kernels.length);
    expect(module.buffers.some((b) => b.role === 'temp')).toBe(false);
  });

  it('keeps the number of kernels bounded on irregular patterns', () => {
    const n = 120;
    const entries: [number, number][] = [];
    for (let i = 0; i < n; i++) for (let j = 0; j <= i % 60; j++) entries.push([i, (i * 7 + j * j) % n]);
    expect(check("A'*A+A", { A: random(n, entries) }).kernels).toBeLessThan(40);
  });

  it('stores index columns in few bytes where positions are coherent', () => {
    const narrow = check("A'*A+A", { A: grid(30) }).indexBytes;
    const wide = check(
      "A'*A+A",
      { A: grid(30) },
      { place: { ...d.place, narrow: false, coherence: false } },
    ).indexBytes;
    expect(narrow).toBeLessThan(wide / 2);
  });

  it('needs hardly any index tables where columns are affine piece by piece', () => {
    /* Chains of points that are not linked to each other. */
    const [n, chain] = [2400, 400];
    const entries: [number, number][] = [];
    for (let v = 0; v < n; v++)
      for (const w of [v - 2, v - 1, v, v + 1, v + 2])
        if (w >= 0 && Math.floor(w / chain) === Math.floor(v / chain)) entries.push([v, w]);
    const A = random(n, entries);
    const pieces = check("A'*A+A", { A });
    const tables = check("A'*A+A", { A }, { place: { ...d.place, pieces: false } });
    expect(pieces.indexBytes).toBeLessThan(tables.indexBytes / 2);
    check("A'*A+A", { A }, { place: { ...d.place, tileBytes: 1 << 14 } });
  });

  it('spends no more on index tables than it must where there is no order', () => {
    const entries = Array.from({ length: 900 }, (_, k): [number, number] => [
      (k * k * 31) % 300,
      (k * 97 + k * k) % 300,
    ]);
    const A = random(300, entries);
    const [pieces, tables] = [true, false].map((on) => check("A'*A", { A }, { place: { ...d.place, pieces: on } }));
    expect(pieces!.indexBytes).toBeLessThanOrEqual(tables!.indexBytes);
  });
});
