import {
  countPowerFlops,
  evaluateExpr,
  identityPattern,
  namesOf,
  numberRing,
  parseExpr,
  planExpr,
  type Bindings,
  type Csr,
  type CsrPattern,
  type Expr,
  type Ring,
} from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dense,
  denseMultiply,
  denseTranspose,
  gridLaplacian,
  left,
  matrixOf,
  right,
  sparse,
  type Dense,
} from './support.js';

/** The grouping of a tree, spelled out. */
const grouped = (e: Expr): string => {
  switch (e.kind) {
    case 'name':
      return e.name;
    case 'number':
      return String(e.value);
    case 'neg':
      return `(-${grouped(e.arg)})`;
    case 'transpose':
      return `(${grouped(e.arg)}')`;
    default:
      return `(${grouped(e.left)}${{ add: '+', sub: '-', mul: '*', pow: '^' }[e.kind]}${grouped(e.right)})`;
  }
};

const evaluate = (text: string, bindings: Bindings<Csr<Float64Array>>) =>
  evaluateExpr(right(parseExpr(text)), bindings, numberRing);
const patternsOf = (b: Bindings<Csr<Float64Array>>): Bindings<CsrPattern> =>
  Object.fromEntries(Object.entries(b).map(([k, v]) => [k, typeof v === 'number' ? v : v.pattern]));

describe('parsing', () => {
  it.each([
    ["L*M*L'+K", "(((L*M)*(L'))+K)"],
    ['-A^2', '(-(A^2))'],
    ['-2*A', '((-2)*A)'],
    ["A'*A+A", "(((A')*A)+A)"],
    ["A^2'", "((A^2)')"],
    ["A'^2", "((A')^2)"],
    ['A^2^3', '((A^2)^3)'],
    ['A^-1*B', '((A^(-1))*B)'],
    ['A-B-C', '((A-B)-C)'],
    ['A-(B-C)', '(A-(B-C))'],
    ['A*-B', '(A*(-B))'],
    ['- -A', '(-(-A))'],
    ['+A', 'A'],
    ["(A*B)''", "(((A*B)')')"],
    ['1.5e-3*A + .5*_b2', '((0.0015*A)+(0.5*_b2))'],
    [' A\n + B\t', '(A+B)'],
  ])('%j groups as %s', (text, expected) => {
    expect(grouped(right(parseExpr(text)).root)).toBe(expected);
  });

  it('keeps places and names', () => {
    const tree = right(parseExpr("A +\n  B*A'"));
    expect(tree.root.loc).toMatchObject({ line: 1, column: 3 });
    expect(tree.root.kind === 'add' && tree.root.right.loc).toMatchObject({ line: 2, column: 4 });
    expect(namesOf(tree)).toEqual(['A', 'B']);
  });

  it.each([
    ['', 1],
    ['A+', 3],
    ['A B', 3],
    ['2A', 2],
    ['A**B', 3],
    ['(A+B', 1],
    ['A+B)', 4],
    ['()', 2],
    ['A/2', 2],
    ['A’', 2],
    ["'A", 1],
    ['A+\n$', 1],
    ['1e999*A', 1],
    ['A^', 3],
  ])('refuses %j at column %i', (text, column) => {
    const d = left(parseExpr(text));
    expect(d).toMatchObject({ code: 'expr/parse', loc: { column } });
    expect(d.remedy).toBeTruthy();
  });

  it('takes nesting and chains of any length', () => {
    const n = 100_000;
    const I = { pattern: identityPattern(1), values: Float64Array.of(1) };
    const nested = `${'('.repeat(n)}A${')'.repeat(n)}`;
    expect(dense(right(evaluate(nested, { A: I })))).toEqual([[1]]);
    expect(dense(right(evaluate('A' + '+A'.repeat(n - 1), { A: I })))).toEqual([[n]]);
    expect(dense(right(evaluate('-'.repeat(n) + 'A', { A: I })))).toEqual([[1]]);
  });
});

describe('evaluating', () => {
  it('equals dense arithmetic for random expressions', () => {
    type Env = Readonly<Record<string, Dense>>;
    interface Case {
      readonly text: string;
      readonly value: (b: Env) => Dense;
    }
    const n = 3;
    const leaf = fc.constantFrom('A', 'B', 'C').map((name): Case => ({ text: name, value: (b: Env) => b[name]! }));
    const map2 = (f: (x: number, y: number) => number) => (x: Dense, y: Dense) =>
      x.map((row, i) => row.map((v, j) => f(v, y[i]![j]!)));
    const plus = map2((x, y) => x + y);
    const minus = map2((x, y) => x - y);
    const { expr } = fc.letrec<{ expr: Case }>((tie) => ({
      expr: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .tuple(tie('expr'), tie('expr'))
          .map(([x, y]) => ({ text: `(${x.text}+${y.text})`, value: (b: Env) => plus(x.value(b), y.value(b)) })),
        fc
          .tuple(tie('expr'), tie('expr'))
          .map(([x, y]) => ({ text: `(${x.text}-${y.text})`, value: (b: Env) => minus(x.value(b), y.value(b)) })),
        fc
          .tuple(tie('expr'), tie('expr'))
          .map(([x, y]) => ({
            text: `${x.text}*${y.text}`,
            value: (b: Env) => denseMultiply(x.value(b), y.value(b), n, n),
          }))
          .map((c) => ({ ...c, text: `(${c.text})` })),
        tie('expr').map((x) => ({ text: `${x.text}'`, value: (b: Env) => denseTranspose(x.value(b), n) })),
        tie('expr').map((x) => ({ text: `(-${x.text})`, value: (b: Env) => x.value(b).map((r) => r.map((v) => -v)) })),
        tie('expr').map((x) => ({
          text: `(3*${x.text})`,
          value: (b: Env) => x.value(b).map((r) => r.map((v) => 3 * v)),
        })),
        tie('expr').map((x) => ({
          text: `${x.text}^2`,
          value: (b: Env) => denseMultiply(x.value(b), x.value(b), n, n),
        })),
      ),
    }));
    fc.assert(
      fc.property(expr, matrixOf(n, n), matrixOf(n, n), matrixOf(n, n), ({ text, value }, A, B, C) => {
        const expected = value({ A: dense(A), B: dense(B), C: dense(C) });
        // Values above 2^53 are no longer exact, and then the order of sums matters.
        fc.pre(expected.flat().every((x) => Math.abs(x) < 2 ** 40));
        const result = right(evaluate(text, { A, B, C }));
        expect(dense(result).map((r) => r.map((x) => x + 0))).toEqual(expected.map((r) => r.map((x) => x + 0)));
        expect(right(planExpr(right(parseExpr(text)), patternsOf({ A, B, C }))).pattern).toEqual(result.pattern);
      }),
    );
  });

  it('takes numbers from bindings, and computes with numbers', () => {
    const A = sparse(1, 1, [[0, 0, 2]]);
    expect(dense(right(evaluate("(2^3-s)'*A*-0.5", { A, s: 2 })))).toEqual([[-6]]);
  });

  it('multiplies powers from the left, without k limit', () => {
    const P = sparse(2, 2, [
      [0, 1, 1],
      [1, 0, 1],
    ]);
    expect(dense(right(evaluate('P^10001', { P })))).toEqual(dense(P));
    const orders: string[] = [];
    const text: Ring<string[]> = {
      allocate: (n) => Array<string>(n).fill('0'),
      copy: (out, o, a, i) => void (out[o] = a[i]!),
      add: () => {},
      sub: () => {},
      neg: () => {},
      scale: () => {},
      sum: () => {},
      dot: (out, o, a, ai, b, bi) => void orders.push((out[o] = `(${a[ai[0]!]}${b[bi[0]!]})`)),
    };
    const one = { pattern: identityPattern(1), values: ['a'] };
    right(evaluateExpr(right(parseExpr('A^4')), { A: one }, text));
    expect(orders).toEqual(['(aa)', '((aa)a)', '(((aa)a)a)']);
  });

  it.each([
    ['expr/unbound', 'A+toString', 3, "'toString'"],
    ['expr/shape', 'A+W', 2, '2 × 2 and 2 × 3'],
    ['expr/shape', 'A-W', 2, '2 × 2 and 2 × 3'],
    ['expr/shape', 'W*A', 2, '2 × 3 by 2 × 2'],
    ['expr/shape', 'A+1', 2, 'fill every entry'],
    ['expr/shape', '1-A', 2, 'fill every entry'],
    ['expr/shape', '2*3', 2, 'the number 6'],
    ['expr/power', 'W^2', 2, '2 × 3'],
    ['expr/power', 'A^0', 2, 'raised to 0'],
    ['expr/power', 'A^-1', 2, 'raised to -1'],
    ['expr/power', 'A^0.5', 2, 'raised to 0.5'],
    ['expr/power', 'A^99999999999', 2, 'more than 1000000'],
    ['expr/power', 'A^A', 2, 'exponent is a matrix'],
    ['expr/number', '1e300*1e300*A', 6, 'Infinity'],
    ['expr/number', 'nan*A', 1, 'NaN'],
  ])('%s in %s', (code, text, column, about) => {
    const bindings = { A: sparse(2, 2, [[0, 0, 1]]), W: sparse(2, 3, [[0, 0, 1]]), nan: NaN };
    const results = [evaluate(text, bindings), planExpr(right(parseExpr(text)), patternsOf(bindings))];
    for (const d of results.map((r) => left<unknown>(r))) {
      expect(d).toMatchObject({ code, loc: { column } });
      expect(d.message).toContain(about);
      expect(d.remedy).toBeTruthy();
    }
  });
});

describe('planning', () => {
  it('counts steps and flops by hand', () => {
    // Full 2 × 2 matrices: a product is 8 multiplications and 4 additions.
    const A = sparse(2, 2, [
      [0, 0, 1],
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 1],
    ]).pattern;
    const I = identityPattern(2);
    const plan = right(planExpr(right(parseExpr("2*A*A' + I - A")), { A, I }));
    expect(plan.steps.map((s) => [s.op, s.nnz, s.flops])).toEqual([
      ['scale', 4, 4],
      ['transpose', 4, 0],
      ['multiply', 4, 12],
      ['add', 4, 2],
      ['sub', 4, 4],
    ]);
    expect(plan.flops).toBe(22);
  });

  it('refuses more operations than it may, before it looks for their pattern', () => {
    const n = 40_000;
    const column = sparse(
      n,
      1,
      Array.from({ length: n }, (_, i) => [i, 0, 1]),
    ).pattern;
    /* More than a thousand million products, whose pattern would take six gigabytes. */
    const refused = left(planExpr(right(parseExpr("2*c + c*c'*c")), { c: column }, { mostFlops: 1e6 }));
    expect(refused).toMatchObject({ code: 'expr/too-large', loc: { column: 8 } });
    expect(refused.message).toContain('1.6e+9 operations');
    const small = right(parseExpr("c'*c + c'*c"));
    const { flops } = right(planExpr(small, { c: column }));
    expect(right(planExpr(small, { c: column }, { mostFlops: flops })).flops).toBe(flops);
    expect(left(planExpr(small, { c: column }, { mostFlops: flops - 1 })).code).toBe('expr/too-large');
  });

  it('plans powers whose pattern has filled up, and says of those that are too high what takes fewer products', () => {
    const L = gridLaplacian(6);
    const plan = right(planExpr(right(parseExpr('L^50')), { L: L.pattern }));
    expect(plan.steps.length).toBe(49);
    expect(plan.pattern.colIdx.length).toBe(36 * 36);
    const before = right(planExpr(right(parseExpr('L^49')), { L: L.pattern }));
    expect(plan.flops - before.flops).toBe(2 * 36 * L.pattern.colIdx.length - 36 * 36);
    const refused = left(planExpr(right(parseExpr('L + L^100000')), { L: L.pattern }, { mostFlops: 1e8 }));
    expect(refused).toMatchObject({ code: 'expr/too-large', loc: { column: 6 } });
    expect(refused.remedy).toContain('power of powers');
    expect(right(planExpr(right(parseExpr('((L^10)^10)^10')), { L: L.pattern }, { mostFlops: 1e8 })).steps.length).toBe(
      27,
    );
  });

  it('counts the operations of powers as their plans do, and no further than it is asked to', () => {
    const L = gridLaplacian(6).pattern;
    const cycle = sparse(
      7,
      7,
      Array.from({ length: 7 }, (_, i) => [i, (i + 3) % 7, 1] as const),
    ).pattern;
    for (const A of [L, cycle])
      for (const k of [1, 2, 3, 20, 50])
        expect(countPowerFlops(A, k)).toBe(right(planExpr(right(parseExpr(`A^${k}`)), { A })).flops);
    expect(countPowerFlops(L, 1e9)).toBe(countPowerFlops(L, 1e6) + (1e9 - 1e6) * (2 * 36 * L.colIdx.length - 36 * 36));
    /* Powers of a cycle never come to rest. */
    expect(countPowerFlops(cycle, 1e15, 1e5)).toBeGreaterThan(1e5);
  });

  it('agrees with the operations that a ring is asked for', () => {
    const L = gridLaplacian(6);
    const M = sparse(
      36,
      36,
      Array.from({ length: 36 }, (_, i) => [i, (i * 5) % 36, i + 1] as const),
    );
    let flops = 0;
    const count = (n: number) => void (flops += n);
    const counting: Ring<Float64Array> = {
      ...numberRing,
      add: (...args) => (count(1), numberRing.add(...args)),
      sub: (...args) => (count(1), numberRing.sub(...args)),
      neg: (...args) => (count(1), numberRing.neg(...args)),
      scale: (...args) => (count(1), numberRing.scale(...args)),
      dot: (...args) => (count(2 * args[6] - 1), numberRing.dot(...args)),
    };
    const tree = right(parseExpr("L*M*L'+3*M-L^3 - (-M)"));
    right(evaluateExpr(tree, { L, M }, counting));
    expect(right(planExpr(tree, { L: L.pattern, M: M.pattern })).flops).toBe(flops);
  });
});
