import { plainOps, symbolic, type NumericOps } from '@filigree/lang';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromText, resolve, Tape, type TapeSym } from './tape.js';

/* Random programs as source text: straight code with loops, arrays and compound assignments over the inputs x, y, z. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('x', 'y', 'z', 'u', 'v[0]', 'v[1]', 'v[i]', 'w.p', '1', '0.5', '3', '(-2)', 'Math.PI'),
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%', '- -', '*-'), tie('expression'))
      .map(([a, op, b]) => `${a}${op} (${b})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '**'), tie('expression'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    fc
      .tuple(
        fc.constantFrom('-', '+', '!', 'Math.abs', 'Math.sqrt', 'Math.sin', 'Math.floor', 'f', 'Number'),
        tie('expression'),
      )
      .map(([op, a]) => `${op}(${a})`),
    fc
      .tuple(fc.constantFrom('Math.min', 'Math.max', 'Math.atan2', 'g'), tie('expression'), tie('expression'))
      .map(([f, a, b]) => `${f}(${a}, ${b})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('<', '<=', '>', '>=', '==', '!='),
        tie('expression'),
        tie('expression'),
        tie('expression'),
      )
      .map(([a, op, b, c, d]) => `((${a}) ${op} (${b}) ? ${c} : ${d})`),
    fc
      .tuple(fc.constantFrom('x', 'y'), fc.constantFrom('===', '!=='), fc.constantFrom('z', '1'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
      .map(([a, op, b]) => `((${a}) ${op} (${b}))`),
  ),
}));

const statement = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('u', 'v[0]', 'v[1]', 'v[i]', 'v[1 - i]', 'w.p', 'm[i][1 - i]', 'at()[i]'),
      fc.constantFrom('=', '+=', '-=', '*=', '/='),
      expression,
    )
    .map(([t, op, e]) => `${t} ${op} ${e};`),
  fc.constantFrom(
    'u++;',
    '--v[i];',
    'w.p++;',
    'u = v[i]++;',
    'v[0] = u--;',
    '[v[0], v[1]] = [v[1], v[0]];',
    '({ p: u } = w);',
  ),
  fc.tuple(expression, expression).map(([a, b]) => `for (let j = 0; j < 2 + i; j++) { u = ${a}; v[j % 2] = ${b} }`),
);

const program = fc.array(statement, { minLength: 1, maxLength: 5 }).map(
  (statements) => `function program(x, y, z) {
  let u = x, v = [y, z], w = { p: z }, m = [[x, 1], [y, 2]], calls = 0;
  const at = () => { calls++; return v; };
  const f = (a) => a * 2 - x;
  function g(a, b = y) { return a < b ? a : b; }
  for (let i = 0; i < 2; i++) {
    ${statements.join('\n    ')}
  }
  return [u, v, w, m, calls];
}`,
);

const numbers = fc.tuple(
  ...Array.from({ length: 3 }, () =>
    fc.oneof(fc.double({ min: -10, max: 10, noNaN: true }), fc.constantFrom(0, 1, -1, 2)),
  ),
);

it('random programs compute the same plain, rewritten, and traced', () => {
  fc.assert(
    fc.property(program, numbers, fc.boolean(), (text, inputs, withPredicates) => {
      const original = fromText(text) as unknown as (...xs: number[]) => unknown;
      const expected = original(...inputs);
      expect(symbolic(original, { ops: plainOps })(...inputs)).toStrictEqual(expected);

      const tape = new Tape();
      const traced = symbolic(original, { ops: tape.ops(withPredicates) as NumericOps<TapeSym> });
      const result = traced(...inputs.map(() => tape.variable()));
      expect(asNumbers(resolve(result, tape.play(inputs)))).toStrictEqual(asNumbers(expected));
    }),
    { numRuns: 400 },
  );
});

/* JavaScript's true and 1 are one value in an expression. */
const asNumbers = (x: unknown): unknown =>
  typeof x === 'boolean'
    ? Number(x)
    : Array.isArray(x)
      ? x.map(asNumbers)
      : typeof x === 'object' && x !== null
        ? Object.entries(x).map(([k, v]) => [k, asNumbers(v)])
        : x;
