import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printModule, symbolicMath as m, type Num } from '@filigree/ir';
import type { Program } from '@filigree/specialize';
import { numbers, runProgram } from './support.js';

/** What a sum adds up, in order: its own numbers, and stretches of one kind of terms. */
type Part = { readonly of: 'constant' | 'product' | 'square' | 'difference'; readonly count: number };

const N = 4001;

const sumOf = (parts: readonly Part[], x: readonly Num[], start: number): Num => {
  let [sum, at]: [Num, number] = [0, start];
  for (const { of, count } of parts)
    for (let k = 0; k < count; k++) {
      const [a, b] = [x[at % N], x[(7 * at + 3) % N]];
      const term =
        of === 'constant' ? 0.5 + at : of === 'product' ? m.mul(a, b) : of === 'square' ? m.mul(a, a) : m.sub(a, b);
      sum = m.add(sum, term);
      at++;
    }
  return sum;
};

const check = (sums: readonly (readonly Part[])[]) => {
  const run = (x: readonly Num[]): Num[] => sums.map((parts, i) => sumOf(parts, x, 90 * i));
  const program: Program = { inputs: { x: N }, run: ({ x }) => ({ out: run(x as Num[]) }) };
  const x = numbers(N, 5);
  const { outputs, specialized } = runProgram(program, { x }, {}, 'exact');
  /* To the last bit: the order of a sum is what it says. */
  expect([...outputs['out']!]).toEqual(run([...x]));
  return specialized;
};

describe('long sums whose order counts', () => {
  it('of which each begins with a number, and ends with one, are loops without a question for each term', () => {
    const { module } = check(
      Array.from({ length: 40 }, (_, i) => [
        { of: 'constant', count: 1 },
        { of: 'product', count: 40 + (i % 3) },
        { of: 'constant', count: 1 },
      ]),
    );
    const text = printModule(module);
    expect(text).not.toContain('scf.if');
    expect(text).not.toContain('arith.select');
  });

  it('ask for it where the kinds of terms alternate', () => {
    const parts = (n: number): Part[] =>
      Array.from({ length: n }, (_, k): Part => ({ of: k % 2 ? 'difference' : 'product', count: 1 }));
    const { module } = check(Array.from({ length: 40 }, (_, i) => parts(40 + i)));
    expect(printModule(module)).toMatch(/scf\.if|arith\.select/);
  });

  it('are four side by side: the sums wait for additions, not for one another', () => {
    const { module } = check(Array.from({ length: 43 }, (_, i) => [{ of: 'product', count: 60 + ((5 * i) % 7) }]));
    const carried = [...printModule(module).matchAll(/^ *((?:%\w+, )*%\w+) = scf\.for/gm)].map(
      (g) => g[1]!.split(',').length,
    );
    expect(Math.max(...carried)).toBe(4);
  });

  it('stand beside sums of their length, so that few terms are left of four', () => {
    const { module } = check(Array.from({ length: 64 }, (_, i) => [{ of: 'product', count: 10 + ((37 * i) % 80) }]));
    const table = module.buffers.find(({ name }) => name === 'index32')!.data as Int32Array;
    const terms = Array.from({ length: 64 }, (_, i) => 10 + ((37 * i) % 80)).reduce((a, b) => a + b);
    const starts = table.subarray(table.findIndex((start, k) => start === 0 && table[k + 64] === terms));
    const lengths = Array.from({ length: 64 }, (_, i) => starts[i + 1]! - starts[i]!);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect([lengths[0], lengths[63]]).toEqual([88, 10]);
  });

  it('equal plain evaluation to the last bit, whatever their lengths and kinds', () => {
    const part = fc.record<Part>({
      of: fc.constantFrom('constant', 'product', 'square', 'difference'),
      count: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 8, max: 40 })),
    });
    const sums = fc.oneof(
      /* Runs of the same kinds, of several lengths, some missing. */
      fc
        .tuple(fc.array(part, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 19 }))
        .map(([parts, n]) =>
          Array.from({ length: n }, (_, i) =>
            parts.map((p, k) => ({ ...p, count: Math.max(0, p.count - ((i * (k + 3)) % 5)) })),
          ),
        ),
      fc.array(fc.array(part, { maxLength: 5 }), { minLength: 1, maxLength: 19 }),
    );
    fc.assert(
      fc.property(sums, (all) => void check(all)),
      { numRuns: 60 },
    );
  });

  it.each([5, 7])('that most are like are written out, with a table of rows alone: %i taps both ways', (size) => {
    const n = 30;
    const side = n - size + 1;
    const filtered = (x: readonly Num[], w: readonly Num[]): Num[] =>
      Array.from({ length: side * side }, (_, p) => {
        let sum: Num = 0;
        for (let a = 0; a < size; a++)
          for (let b = 0; b < size; b++)
            sum = m.add(sum, m.mul(w[a * size + b]!, x[(Math.floor(p / side) + a) * n + (p % side) + b]!));
        return sum;
      });
    const given = { x: numbers(n * n, 3), w: numbers(size * size, 4) };
    const program: Program = {
      inputs: { x: n * n, w: size * size },
      run: ({ x, w }) => ({ out: filtered(x as Num[], w as Num[]) }),
    };
    const { outputs, specialized } = runProgram(program, given, {}, 'exact');
    expect([...outputs['out']!]).toEqual(filtered([...given.x], [...given.w]));
    expect(specialized.indexBytes).toBeLessThan(16 * n);
  });
});
