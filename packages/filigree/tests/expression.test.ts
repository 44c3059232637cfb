import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExpression } from 'filigree';
import { codeOf, dense, denseOf, sparseOf, workingBackends, type Dense } from './support.js';

const a: Dense = [
  [1, 0, 2],
  [0, 3, 0],
  [4, 0, 0],
];
const b: Dense = [
  [0, 1, 0],
  [2, 0, 0],
  [0, 0, 5],
];
const { add, multiply, scale, transpose } = dense;

it('refuses powers of which there are more operations than an expression graph holds nodes before it traces them', async () => {
  const full = Array.from({ length: 30 }, (_, i) => Array.from({ length: 30 }, (_, j) => 1 / (i + j + 1)));
  expect(await codeOf(compileExpression('A + A^100000', { A: sparseOf(full) }))).toBe('expr/too-large');
});

describe.each(workingBackends)('compileExpression on %s', (backend) => {
  it.each<readonly [string, Dense]>([
    ["A'*A+A", add(multiply(transpose(a), a), a)],
    ["A*B*A'-B", add(multiply(multiply(a, b), transpose(a)), scale(-1, b))],
    ['A^3', multiply(multiply(a, a), a)],
    ['s*(A+B)', scale(2.5, add(a, b))],
    ["A'", transpose(a)],
    ['A', a],
    ['-A', scale(-1, a)],
    ['A-A', scale(0, a)],
    ["A''", a],
    ["((A'))'*(B)", multiply(a, b)],
    [' A\n + -B ', add(a, scale(-1, b))],
    ['A^1', a],
    ['A^(3-1)', multiply(a, a)],
    ['2*A*s', scale(5, a)],
  ])('%s', async (text, expected) => {
    const p = await compileExpression(text, { A: sparseOf(a), B: sparseOf(b), s: 2.5 }, { backend });
    p.run();
    expect(denseOf(p.matrix('result')).map((row) => row.map((x) => x + 0))).toEqual(
      expected.map((row) => row.map((x) => x + 0)),
    );
    p.dispose();
  });

  it('takes new values for the same pattern', async () => {
    const A = sparseOf(a);
    const p = await compileExpression('A*A', { A }, { backend });
    p.setMatrix('A', { pattern: A.pattern, values: A.values.map((x) => -2 * x) });
    p.run();
    expect(denseOf(p.matrix('result'))).toEqual(scale(4, multiply(a, a)));
    p.dispose();
  });

  it('takes matrices without entries and without rows', async () => {
    for (const empty of [
      [
        [0, 0],
        [0, 0],
      ],
      [],
    ]) {
      const p = await compileExpression("A'*A+A", { A: sparseOf(empty, empty.length) }, { backend });
      p.run();
      expect(denseOf(p.matrix('result'))).toEqual(empty);
      p.dispose();
    }
  });
});

it('agrees with dense algebra on random patterns', async () => {
  const entry = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -4, max: 4 }));
  const square = fc.integer({ min: 1, max: 6 }).chain((n) => {
    const matrix = fc.array(fc.array(entry, { minLength: n, maxLength: n }), { minLength: n, maxLength: n });
    return fc.record({ x: matrix, y: matrix });
  });
  await fc.assert(
    fc.asyncProperty(square, async ({ x, y }) => {
      const p = await compileExpression("(X+2*Y)'*X-Y*X'", { X: sparseOf(x), Y: sparseOf(y) }, { backend: 'wasm' });
      p.run();
      const expected = add(multiply(transpose(add(x, scale(2, y))), x), scale(-1, multiply(y, transpose(x))));
      expect(denseOf(p.matrix('result')).map((row) => row.map((v) => v + 0))).toEqual(
        expected.map((row) => row.map((v) => v + 0)),
      );
      p.dispose();
    }),
    { numRuns: 25 },
  );
});

describe('compileExpression refuses', () => {
  const A = sparseOf(a);
  const wide = sparseOf([[1, 2, 3, 4]]);
  const broken = { pattern: { ...A.pattern, colIdx: Int32Array.from([0, 9, 1, 0]) }, values: A.values };
  it.each<readonly [string, string, Parameters<typeof compileExpression>[1]]>([
    ['expr/parse', 'A*', { A }],
    ['expr/unbound', 'A*B', { A }],
    ['expr/shape', 'A*W', { A, W: wide }],
    ['expr/shape', 'A+1', { A }],
    ['expr/power', 'W^2', { W: wide }],
    ['expr/power', 'A^0', { A }],
    ['expr/power', 'A^-1', { A }],
    ['expr/power', 'A^A', { A }],
    ['expr/parse', '', { A }],
    ['expr/number', 's*A', { A, s: NaN }],
    ['program/pattern', 'A', { A: 'a.mtx' as never }],
    ['csr/column-range', 'A', { A: broken }],
    ['program/name', 'result*result', { result: A }],
    ['program/length', 'A', { A: { pattern: A.pattern, values: [1] } }],
    ['program/length', 'A', { A: { pattern: A.pattern } as never }],
    ['program/form', 'A', undefined as never],
    ['program/form', undefined as never, { A }],
  ])('%s: %s', async (code, text, bindings) => {
    expect(await codeOf(compileExpression(text, bindings, { backend: 'wasm' }))).toBe(code);
  });
});
