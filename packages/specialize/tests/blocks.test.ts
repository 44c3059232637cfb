import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { symbolicMath as m, type Num } from '@filigree/ir';
import { defaultOptions, specialize, trace, type Program } from '@filigree/specialize';
import { numbers, relativeError, right, runProgram } from './support.js';

const list = (x: unknown): Num[] => x as Num[];
const sum = (v: readonly Num[]): Num => v.reduce((s, x) => m.add(s, x));
const mean = (v: readonly Num[]): Num => m.div(sum(v), v.length);
const square = (x: Num): Num => m.mul(x, x);

/** What numeric code does to lists: one list from two. Every result is bounded where its operands are. */
const STEPS: Readonly<Record<string, (v: readonly Num[], w: readonly Num[]) => Num[]>> = {
  centred: (v) => {
    const c = mean(v);
    return v.map((x) => m.sub(x, c));
  },
  normalised: (v) => {
    const s = m.sqrt(m.add(sum(v.map(square)), 0.1));
    return v.map((x) => m.div(x, s));
  },
  scores: (v) => {
    const c = mean(v);
    const s = m.sqrt(m.add(sum(v.map((x) => square(m.sub(x, c)))), 0.1));
    return v.map((x) => m.div(m.sub(x, c), s));
  },
  softmax: (v) => {
    const e = v.map((x) => m.exp(x));
    const s = sum(e);
    return e.map((x) => m.div(x, s));
  },
  shifted: (v, w) => {
    const c = mean(w);
    return v.map((x) => m.add(x, m.div(c, 2)));
  },
  mapped: (v) => v.map((x) => m.sin(m.add(m.sqrt(m.add(square(x), 1)), m.exp(m.neg(square(x)))))),
  combined: (v, w) => v.map((x, i) => m.div(m.mul(x, w[i % w.length]), m.add(2, square(w[(i + 1) % w.length])))),
  neighbours: (v) => v.map((x, i) => m.sub(m.mul(x, v[(i + 1) % v.length]), m.div(v[(i + 5) % v.length], 2))),
  energies: (v, w) => {
    const c = mean(w);
    return [sum(v.map((x) => m.div(square(m.sub(x, c)), v.length))), m.div(sum(v), v.length + 1), c];
  },
  half: (v) => v.slice(0, Math.ceil(v.length / 2)),
  joined: (v, w) => [...v, ...w].slice(0, 48),
};

interface Code {
  readonly lengths: readonly number[];
  readonly steps: readonly (readonly [keyof typeof STEPS & string, number, number])[];
  readonly outputs: readonly number[];
  readonly tagged: readonly number[];
}

const arbitraryCode = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
  steps: fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(99), fc.nat(99)), {
    minLength: 1,
    maxLength: 9,
  }),
  outputs: fc.array(fc.nat(99), { minLength: 1, maxLength: 4 }),
  tagged: fc.array(fc.nat(99), { maxLength: 3 }),
});

/** Every list made so far, the latest first. */
const lists = (code: Code, x: readonly Num[]): Num[][] => {
  let at = 0;
  const made = code.lengths.map((n) => x.slice(at, (at += n))).reverse();
  for (const [name, v, w] of code.steps) made.unshift(STEPS[name](made[v % made.length], made[w % made.length]));
  return made;
};

const outputs = (code: Code, made: readonly Num[][]): Num[] => code.outputs.flatMap((k) => made[k % made.length]);

const inputsOf = ({ lengths, steps }: Code): Float64Array =>
  numbers(
    lengths.reduce((a, b) => a + b, 0),
    steps.length,
  );

describe('blocks that are found', () => {
  it('never depend on one another in a cycle, and compute what plain code computes', () => {
    fc.assert(
      fc.property(arbitraryCode, (code) => {
        const x = inputsOf(code);
        const program: Program = {
          inputs: { x: x.length },
          run: ({ x }) => ({ out: outputs(code, lists(code, list(x))) }),
        };
        const found = runProgram(program, { x }).outputs.out;
        expect(relativeError(found, outputs(code, lists(code, [...x])) as number[])).toBeLessThan(1e-9);
      }),
      { numRuns: 150 },
    );
  });

  it('close no cycle with tags that are in none', () => {
    const alone = { ...defaultOptions, decompose: { ...defaultOptions.decompose, detectBlocks: false } };
    fc.assert(
      fc.property(arbitraryCode, (code) => {
        const x = inputsOf(code);
        const program: Program = {
          inputs: { x: x.length },
          run: ({ x }, { block }) => {
            const made = lists(code, list(x));
            for (const k of code.tagged) block(made[k % made.length]);
            return { out: outputs(code, made) };
          },
        };
        fc.pre(E.isRight(specialize(alone)(right(trace().run(program)))));
        const found = runProgram(program, { x }).outputs.out;
        expect(relativeError(found, outputs(code, lists(code, [...x])) as number[])).toBeLessThan(1e-9);
      }),
      { numRuns: 100 },
    );
  });

  it('leave tags that depend on one another in a cycle to a diagnostic', () => {
    const program: Program = {
      inputs: { x: 3 },
      run: ({ x }, { block }) => {
        const [a, b, c] = list(x);
        const p = m.sqrt(m.add(square(a), square(b)));
        const q = m.sin(m.mul(p, c));
        const r = m.exp(m.add(q, b));
        block([p, r]);
        block([q, m.cos(c)]);
        return { out: [p, q, r, m.cos(c)] };
      },
    };
    const e = specialize()(right(trace().run(program)));
    expect(E.isLeft(e) && e.left[0].code).toBe('decompose/cycle');
  });

  it.each([17, 20, 22, 33, 64, 96])('scores, softmaxes of softmaxes and shifts of %i entries', (n) => {
    const run = (x: readonly Num[]): Num[] => {
      const c = STEPS.centred(x, x);
      const s = m.sqrt(sum(c.map(square)));
      const twice = STEPS.centred(STEPS.mapped(c, c), c);
      return [...c.map((v) => m.div(v, s)), ...c, ...STEPS.softmax(STEPS.softmax(x, x), x), ...twice];
    };
    const x = numbers(n, n);
    const { outputs } = runProgram({ inputs: { x: n }, run: ({ x }) => ({ out: run(list(x)) }) }, { x });
    expect(relativeError(outputs.out, run([...x]) as number[])).toBeLessThan(1e-12);
  });
});
