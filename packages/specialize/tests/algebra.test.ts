import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ARITHMETIC, Sym, symbolicMath, type Arithmetic, type Num } from '@filigree/ir';
import {
  csrFromTriplets,
  evaluateExpr,
  multiply,
  namesOf,
  numberRing,
  parseExpr,
  planExpr,
  type Csr,
  type CsrPattern,
  type Ring,
} from '@filigree/sparse/formats';
import { defaultOptions, symbolicRing, trace, type Program, type SpecializeOptions } from '@filigree/specialize';
import { numbers, relativeError, right, runProgram } from './support.js';

const expression = (text: string, patterns: Record<string, CsrPattern>, inColumns = false): Program => ({
  inputs: patterns,
  run: (inputs, { graph, ring }) => ({
    result: right(
      evaluateExpr(
        right(parseExpr(text)),
        inputs as Record<string, { pattern: CsrPattern; values: Int32Array }>,
        inColumns ? ring : symbolicRing(graph),
      ),
    ),
  }),
});

const check = (
  text: string,
  patterns: Record<string, CsrPattern>,
  options: Partial<SpecializeOptions> = {},
  arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
  inColumns = false,
) => {
  const values = Object.fromEntries(
    Object.entries(patterns).map(([name, p], k) => [name, numbers(p.colIdx.length, k + 1)]),
  );
  const bound = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { pattern, values: values[name] }]),
  );
  const expected = right(evaluateExpr(right(parseExpr(text)), bound, numberRing)).values;
  const { outputs, specialized } = runProgram(expression(text, patterns, inColumns), values, options, arithmetic);
  if (arithmetic === 'exact') expect(outputs.result).toEqual(expected);
  else expect(relativeError(outputs.result, expected)).toBeLessThan(1e-12);
  return specialized;
};

/** P and Q of inputs A, B and D, and R of all of them; R is a result, and Q where it is said so. */
type Statements = readonly [p: string, q: string, r: string, both: boolean];

/** Of each statement, so that programs are traced in some milliseconds. */
const MOST_FLOPS = 15_000;

const checkProgram = (
  [p, q, r, both]: Statements,
  patterns: Record<string, CsrPattern>,
  options: Partial<SpecializeOptions>,
  arithmetic: Arithmetic,
): void => {
  const run = <V>(inputs: Record<string, Csr<V>>, ring: Ring<V>): Record<string, Csr<V>> => {
    const of = (text: string, named: Record<string, Csr<V>>): Csr<V> => {
      const tree = right(parseExpr(text));
      const names = namesOf(tree);
      const used = Object.entries(named).filter(([name]) => names.includes(name));
      const { flops } = right(planExpr(tree, Object.fromEntries(used.map(([name, { pattern }]) => [name, pattern]))));
      fc.pre(flops < MOST_FLOPS);
      return right(evaluateExpr(tree, Object.fromEntries(used), ring));
    };
    /* Of what comes first only inputs are read. */
    const P = of(p.replace(/[PQ]/g, 'A'), inputs);
    const Q = of(q.replace(/Q/g, 'B'), { ...inputs, P });
    const R = of(r, { ...inputs, P, Q });
    return { R, ...(both && { Q }) };
  };
  const values = Object.fromEntries(
    Object.entries(patterns).map(([name, { colIdx }], k) => [name, numbers(colIdx.length, k + 1)]),
  );
  const bound = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { pattern, values: values[name] }]),
  );
  const expected = run<Float64Array>(bound, numberRing);
  const program: Program = {
    inputs: patterns,
    run: (inputs, { ring }) => run(inputs as Record<string, Csr<Int32Array>>, ring),
  };
  const { outputs } = runProgram(program, values, options, arithmetic);
  for (const [name, { values: plain }] of Object.entries(expected))
    if (arithmetic === 'exact') expect(outputs[name]).toEqual(plain);
    else expect(relativeError(outputs[name], plain)).toBeLessThan(1e-11);
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
      group: { ...defaultOptions.group, maxUnrolledTerms: 1, minUnrolledInstances: 1e9 },
      decompose: { ...d.decompose, maxSumTerms: 2 },
    },
    'no sum rolled': { group: { ...defaultOptions.group, maxUnrolledTerms: 1e9, minUnrolledInstances: 0 } },
    'no address coherence': { place: { ...d.place, coherence: false } },
    'no columns piece by piece': { place: { ...d.place, pieces: false } },
    'pieces and many tiles': { place: { ...d.place, tileBytes: 4096 } },
    'wide index tables': { place: { ...d.place, narrow: false } },
    'tiles of equally many instances': { place: { ...d.place, tileInstances: 10 } },
    'teams of threads': { emit: { ...d.emit, teams: true } },
    'tiles that go on with the next launch': { place: { ...d.place, fusedBytes: 16 } },
    'many tiles': { place: { ...d.place, tileBytes: 256 } },
    'no lanes': { emit: { simd: false, parallel: false, teams: false } },
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

describe('sparse algebra of large matrices, whose products are no nodes', () => {
  const d = defaultOptions;
  const levels: readonly Arithmetic[] = ['exact', 'range-keeping', 'algebraic'];
  const larger = fc
    .tuple(
      fc.integer({ min: 20, max: 40 }),
      fc.integer({ min: 150, max: 400 }),
      fc.integer({ min: 1, max: 2 ** 30 }),
      fc.constantFrom(1, 2, 5),
    )
    .map(([n, entries, seed, rows]) => {
      const at = numbers(4 * entries, seed).map((x) => Math.floor((x - 0.5) * n));
      const pairs = (from: number, k: number): [number, number][] =>
        Array.from({ length: entries }, (_, e) => [Math.floor(at[from + e] / k) * k, at[from + entries + e]]);
      return { A: random(n, pairs(0, 1)), B: random(n, pairs(2 * entries, rows)), D: random(n, diagonal(n)) };
    });
  const diagonal = (n: number): [number, number][] => Array.from({ length: n }, (_, i) => [i, i]);
  /* Programs: what each name is, of names before it; results are the last and another, which may be read besides. */
  const matrix = fc.letrec<{ of: string }>((tie) => ({
    of: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 3, arbitrary: fc.constantFrom('A', 'B', 'D', 'P', 'Q') },
      fc.tuple(tie('of'), tie('of'), fc.constantFrom('+', '-', '*', '*')).map(([x, y, op]) => `(${x}${op}${y})`),
      fc.tuple(fc.constantFrom('2', '0.5', '-1', '1.7', '1'), tie('of')).map(([k, x]) => `(${k}*${x})`),
      tie('of').map((x) => `(-${x})`),
      tie('of').map((x) => `${x}'`),
      fc.tuple(fc.constantFrom('A', 'P', 'B'), fc.constantFrom(2, 3)).map(([x, k]) => `${x}^${k}`),
    ),
  })).of;
  const programs = fc.tuple(matrix, matrix, matrix, fc.boolean());
  for (const level of levels)
    it(`equals plain evaluation, ${level}`, () => {
      fc.assert(
        fc.property(larger, programs, (p, of) => checkProgram(of, p, {}, level)),
        { numRuns: 25 },
      );
    });

  const variants: Record<string, Partial<SpecializeOptions>> = {
    'every sum rolled': { group: { ...defaultOptions.group, maxUnrolledTerms: 1, minUnrolledInstances: 1e9 } },
    'no sum rolled': { group: { ...defaultOptions.group, maxUnrolledTerms: 1e9, minUnrolledInstances: 0 } },
    'no block detection': { decompose: { ...d.decompose, detectBlocks: false } },
    'no simplification': { simplify: false },
  };
  for (const [name, options] of Object.entries(variants))
    it(`equals plain evaluation with ${name}`, () => {
      check("A'*A+A", { A: grid(12) }, options, 'algebraic', true);
      fc.assert(
        fc.property(larger, programs, fc.constantFrom(...levels), (p, of, level) =>
          checkProgram(of, p, options, level),
        ),
        { numRuns: 20 },
      );
    });

  it('makes fewer nodes, hardly more kernels or intermediates, no more launches, and no larger tables', () => {
    for (const level of ['exact', 'algebraic'] as const)
      for (const text of ["A'*A+A", 'A^3']) {
        const [nodes, columns] = [false, true].map((inColumns) => check(text, { A: grid(20) }, {}, level, inColumns));
        const temps = (s: typeof nodes) =>
          s!.module.buffers.reduce((n, b) => n + (b.role === 'temp' ? b.length : 0), 0);
        expect(columns!.nodes).toBeLessThan(nodes!.nodes / 2);
        expect(columns!.kernels).toBeLessThanOrEqual(1.1 * nodes!.kernels);
        expect(columns!.launches).toBe(nodes!.launches);
        expect(temps(columns)).toBeLessThanOrEqual(1.001 * temps(nodes));
        expect(columns!.indexBytes).toBeLessThanOrEqual(1.1 * nodes!.indexBytes);
      }
  });

  it('reads an entry once that is a factor and is added besides', () => {
    const program = check("A'*A+A", { A: grid(60) }, {}, 'exact', true)!;
    const product = check("A'*A", { A: grid(60) }, {}, 'exact', true)!;
    expect(program.indexBytes).toBeLessThan(product.indexBytes);
  });

  it('makes no nodes of a product that nobody reads, unless its entries may be shared', () => {
    const A = grid(12);
    const lengths = A.colIdx.length;
    const of = (text: string, patterns: Record<string, CsrPattern>, arithmetic: Arithmetic = 'exact') => {
      const { graph, outputs, elements } = right(trace({ arithmetic }).run(expression(text, patterns, true)));
      return { nodes: graph.length, unread: outputs[0].product !== undefined, elements: elements.length };
    };
    /* Of a product of two inputs there are the inputs, and the numbers that a graph begins with. */
    expect(of('A*B', { A, B: A })).toEqual({ nodes: 2 * lengths + 4, unread: true, elements: 0 });
    expect(of("A'*B", { A, B: A }).unread).toBe(true);
    expect(of('A^3', { A: grid(60) })).toMatchObject({ unread: true, elements: 1 });
    /* Entries of both triangles are found alike, and inputs that are added stand behind the products. */
    for (const text of ["A'*A", "A'*A+A", "A+A'*A-A'"]) expect(of(text, { A }).nodes).toBe(lengths + 4);
    expect(of('A*B+A', { A, B: A }).nodes).toBe(2 * lengths + 4);
    /* What is scaled, turned, or subtracted. */
    const larger = grid(20);
    const inputs = larger.colIdx.length + 4;
    for (const text of ["2*(A'*A)", "(A'*A)'", "-(A'*A)-A", "A-A'*A", "A'*A+A*A'", "A'*A-0.5*A+3*(A*A)"])
      for (const level of levels)
        expect(of(text, { A: larger }, level)).toEqual({ nodes: inputs, unread: true, elements: 0 });
    /* A number is taken out of a product where that rounds alike; else the factor is stored. */
    expect(of("2*A'*A", { A: larger }, 'algebraic').nodes).toBe(inputs);
    expect(of("2*A'*A", { A: grid(60) })).toMatchObject({ unread: true, elements: 0 });
    expect(of("0.5*A*A*A+A'", { A: grid(60) }, 'algebraic')).toMatchObject({ unread: true, elements: 1 });
    /* Entries that are equal, and a sum that is stored. */
    for (const text of ["A'*A-A'*A", "A'*A*A+A'*A"]) expect(of(text, { A }).unread).toBe(false);
  });

  it('evaluates entries together that are the same sum of products, in fewer operations and tables', () => {
    const [alike, apart] = ["A'*A+A", 'A*A+A'].map((text) => check(text, { A: grid(40) }, {}, 'exact', true)!);
    expect(alike.indexBytes).toBeLessThan(0.7 * apart.indexBytes);
  });

  it('tells sums of the same products in another order apart', () => {
    const blocks = 100;
    /* Of (x y z; y z x) times (u v; v w; w u) the first entry and the last are sums of the same products. */
    const of = (rows: number, cols: number): CsrPattern =>
      csrFromTriplets(
        rows * blocks,
        cols * blocks,
        Array.from({ length: rows * cols * blocks }, (_, t) => Math.floor(t / cols)),
        Array.from({ length: rows * cols * blocks }, (_, t) => cols * Math.floor(t / (rows * cols)) + (t % cols)),
      ).pattern;
    const [left, other] = [of(2, 3), of(3, 2)];
    const [turned, over] = [
      [0, 1, 2, 1, 2, 0],
      [0, 1, 1, 2, 2, 0],
    ];
    const program: Program = {
      inputs: { x: 3 * blocks, u: 3 * blocks },
      run: ({ x, u }, { ring }) => {
        const values = (of: unknown, places: readonly number[]): Int32Array =>
          Int32Array.from({ length: 6 * blocks }, (_, t) => (of as Sym[])[3 * Math.floor(t / 6) + places[t % 6]].id);
        return {
          result: multiply(
            ring,
            { pattern: left, values: values(x, turned) },
            { pattern: other, values: values(u, over) },
          ),
        };
      },
    };
    const [x, u] = [numbers(3 * blocks, 1), numbers(3 * blocks, 2)];
    const plain = multiply(
      numberRing,
      {
        pattern: left,
        values: Float64Array.from({ length: 6 * blocks }, (_, t) => x[3 * Math.floor(t / 6) + turned[t % 6]]),
      },
      {
        pattern: other,
        values: Float64Array.from({ length: 6 * blocks }, (_, t) => u[3 * Math.floor(t / 6) + over[t % 6]]),
      },
    ).values;
    expect(plain.some((v, e) => e % 4 === 3 && v !== plain[e - 3])).toBe(true);
    expect(runProgram(program, { x, u }, {}, 'exact').outputs.result).toEqual(plain);
    expect(right(trace().run(program)).outputs[0].product).toBeUndefined();
  });

  it('shares the entries of products that nobody reads where two are equal', () => {
    const A = grid(12);
    const program = (twice: boolean): Program => ({
      inputs: { A, B: A },
      run: ({ A: a, B: b }, { ring }) => {
        const product = (): Csr<Int32Array> => multiply(ring, a as Csr<Int32Array>, b as Csr<Int32Array>);
        return { x: product(), ...(twice && { y: product() }) };
      },
    });
    const values = { A: numbers(A.colIdx.length, 1), B: numbers(A.colIdx.length, 2) };
    const { outputs } = runProgram(program(true), values);
    expect(outputs.y).toEqual(outputs.x);
    expect(relativeError(outputs.x, runProgram(program(false), values).outputs.x)).toBeLessThan(1e-14);
    const [once, both] = [false, true].map((twice) => right(trace().run(program(twice))));
    expect(once.outputs[0].product).toBeDefined();
    expect(both.outputs[1].nodes).toEqual(both.outputs[0].nodes);
  });

  it('are nodes where it is said so, or where collisions are checked', () => {
    const program = expression("A'*A*A", { A: grid(20) }, true);
    const traced = [{}, { columns: false }, { checkCollisions: true }].map((o) => right(trace(o).run(program)));
    expect(traced.map((t) => t.elements.length)).toEqual([1, 0, 0]);
    expect(traced[0].graph.length).toBeLessThan(traced[1].graph.length / 2);
  });

  it('count towards a limit of memory', () => {
    const traced = trace({ maxMB: 1 }).run({
      inputs: { A: grid(60) },
      run: ({ A }, { ring }) => ({ result: multiply(ring, A as Csr<Int32Array>, A as Csr<Int32Array>) }),
    });
    expect(traced._tag === 'Left' && traced.left[0].code).toBe('memory/limit');
  });

  it('have derivatives', () => {
    const A = grid(12);
    const { rows, rowPtr, colIdx } = A;
    const x = numbers(colIdx.length, 3);
    const program: Program = {
      inputs: { A },
      run: ({ A }, { ring, graph, gradient }) => {
        const a = A as Csr<Int32Array>;
        const { values } = multiply(ring, a, a);
        const sum = Array.from(values, (id): Num => new Sym(graph, id)).reduce((s, v) => symbolicMath.add(s, v));
        return {
          g: gradient(
            sum,
            Array.from(a.values, (id) => new Sym(graph, id)),
          ),
        };
      },
    };
    /* Of the sum of all of A·A by entry (i, j): what is in column i and in row j. */
    const columns = new Float64Array(rows);
    const sums = new Float64Array(rows);
    for (let i = 0; i < rows; i++)
      for (let p = rowPtr[i]; p < rowPtr[i + 1]; p++) {
        columns[colIdx[p]] += x[p];
        sums[i] += x[p];
      }
    const expected: number[] = [];
    for (let i = 0; i < rows; i++)
      for (let p = rowPtr[i]; p < rowPtr[i + 1]; p++) expected.push(columns[i] + sums[colIdx[p]]);
    expect(relativeError(runProgram(program, { A: x }).outputs.g, expected)).toBeLessThan(1e-12);
  });
});
