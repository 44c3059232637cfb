import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ARITHMETICS, coreDialects, interpret, orThrow, type Diagnostics, type Num } from '@filigree/ir';
import { symbolic } from '@filigree/lang';
import { specialize, trace, traceFor, type Program } from '@filigree/specialize';
import { ABLATIONS, ablate, mergeOptions } from 'filigree';
import { maxRelError } from '../src/index.js';

/* Random programs as source text: loops over elements of several kinds, which read, call, loop, branch and add up. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'u',
      'v',
      'w[0]',
      'w[1]',
      'x[a]',
      'x[b]',
      'y[e]',
      'scale',
      'one[e % 3]',
      '0.5',
      '2',
      'e % 4',
      'size[e]',
    ),
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression'))
      .map(([a, op, b]) => `bounded((${a}) ${op} (${b}))`),
    tie('expression').map((a) => `Math.sin(${a})`),
    tie('expression').map((a) => `squared(${a})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `dot([${a}, ${b}], w)`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([a, b, c]) => `((${a}) < (${b}) ? (${c}) : -u)`),
  ),
}));

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    ...[
      (e: string) => `sums[a] += ${e};`,
      (e: string) => `sums[b % 7] -= ${e};`,
      (e: string) => `sums[a] = ${e} + sums[a];`,
      (e: string) => `sums[a] += ${e}; sums[b] += sums[a];`,
      (e: string) => `total += ${e};`,
      (e: string) => `total += ${e}; prefixes[e] = total;`,
      (e: string) => `kept[e] = ${e};`,
      (e: string) => `kept[b] = ${e};`,
      (e: string) => `last = bounded(last + ${e});`,
      (e: string) => `u = ${e};`,
      (e: string) => `w = [v, ${e}];`,
      (e: string) => `const once = ${e}; sums[a] += once; sums[b] -= once; kept[e] = once;`,
    ].map((of) => expression.map((e) => `{ ${of(e)} }`)),
    fc
      .tuple(fc.integer({ min: 2, max: 9 }), tie('statement'), tie('statement'))
      .map(([n, s, t]) => `if (e % ${n} === 0) { ${s} } else { ${t} }`),
    fc
      .tuple(fc.constantFrom('2', '3', '1 + (e % 2)', '(a % 3)', '40'), tie('statement'))
      .map(([n, s]) => `for (let k = 0; k < ${n}; k++) { v = bounded(v + x[(a + k) % x.length]); ${s} }`),
  ),
}));

const loop = fc
  .tuple(fc.constantFrom('count', 'count', 'count', '70', '5'), fc.array(statement, { minLength: 1, maxLength: 4 }))
  .map(
    ([n, statements]) => `for (let e = 0; e < ${n}; e++) {
      const a = at[e], b = at[e + 1];
      let u = x[a] - x[b], v = y[e] + other[a], w = [u, v];
      ${statements.join('\n      ')}
    }`,
  );

const programs = fc
  .tuple(fc.array(loop, { minLength: 1, maxLength: 3 }), fc.constantFrom('', 'for (let step = 0; step < 3; step++)'))
  .map(
    ([loops, around]) => `function program(x, y, at, count, size) {
    const sums = new Array(x.length).fill(0), kept = new Array(count).fill(0.25), prefixes = new Array(count).fill(0);
    let other = [...y];
    const one = [1, 2, x[0]];
    let total = 0, last = x[1];
    const scale = y[0] * y[1];
    const bounded = (z) => z / (1 + Math.abs(z));
    const squared = (z) => z ** 2 / (1 + z ** 2);
    function dot(p, q) {
      let s = 0;
      for (let i = 0; i < p.length; i++) s += p[i] * q[i];
      return bounded(s);
    }
    ${around} {
    ${loops.join('\n    other = [...kept];\n    ')}
    }
    return { sums, kept, prefixes, ends: [total, last, total * last] };
  }`,
  );

const COUNT = 90;
const INPUTS = 31;
const values = (n: number, by: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(by * (i + 1)) + 1.25);
const x = values(INPUTS, 1.7);
const y = values(COUNT, 0.9);
const size = values(COUNT, 0.3);

type Traced = (
  x: Num[],
  y: Num[],
  at: readonly number[],
  count: number,
  size: readonly number[],
) => Record<string, Num[]>;

const RUNS = 60;

/* All but those that evaluate again what is used again: without storing, a loop that goes on from what it made grows as a tree. */
const SWITCHES = Object.keys(ABLATIONS).filter((name) => name !== 'global' && name !== 'local');

const codesOf = (e: E.Either<Diagnostics, unknown>): readonly string[] =>
  E.isLeft(e) ? e.left.map((d) => d.code) : [];

const kinds = (switches: readonly string[], arithmetic: (typeof ARITHMETICS)[number]) => ({ switches, arithmetic });
const choices = fc.oneof(
  fc.constantFrom(...ARITHMETICS).map((a) => kinds([], a)),
  fc.tuple(fc.constantFrom(...SWITCHES), fc.constantFrom(...ARITHMETICS)).map(([s, a]) => kinds([s], a)),
);

it('random programs that repeat compute what plain evaluation does, under every switch', { timeout: 180_000 }, () => {
  let ofElements = 0;
  fc.assert(
    fc.property(
      programs,
      fc.array(fc.nat(INPUTS - 1), { minLength: COUNT + 1, maxLength: COUNT + 1 }),
      choices,
      (text, at, how) => {
        const plain = new Function(`'use strict'; return (${text}\n)`)() as Traced;
        const expected = plain(x, y, at, COUNT, size) as Record<string, number[]>;
        const options = mergeOptions(ablate(how.switches), { repetition: true });
        const program: Program = {
          inputs: { x: x.length, y: y.length },
          run: (given) => (symbolic(plain) as Traced)(given.x as Num[], given.y as Num[], at, COUNT, size),
        };
        const traced = orThrow(trace({ ...traceFor(options), arithmetic: how.arithmetic }).run(program));
        if (traced.elements.length > 0) ofElements++;
        const specialized = specialize(options)(traced);
        if (E.isLeft(specialized)) {
          /* What is too large as it is, is so without repetition too. */
          const asNodes = orThrow(
            trace({ ...traceFor(options), repetition: false, arithmetic: how.arithmetic }).run(program),
          );
          expect(codesOf(specialize(options)(asNodes))).toEqual(codesOf(specialized));
          return;
        }
        const { module } = specialized.right;
        const buffers: Record<string, Float64Array> = {};
        for (const b of module.buffers) {
          if (b.role === 'input') buffers[b.name] = Float64Array.from(b.name === 'x' ? x : y);
          if (b.role === 'output') buffers[b.name] = new Float64Array(b.length);
        }
        orThrow(interpret(module, coreDialects, buffers));
        for (const [name, of] of Object.entries(expected))
          if (how.arithmetic === 'exact') expect([...buffers[name]]).toEqual(of);
          else expect(maxRelError(buffers[name], of)).toBeLessThan(1e-9);
      },
    ),
    { numRuns: RUNS },
  );
  expect(ofElements).toBeGreaterThan(RUNS / 5);
});
