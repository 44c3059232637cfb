import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { accumulate, active, atomicAdd, kernel, range, vec } from '@filigree/lang/kernels';
import { fixed, int } from '@filigree/quant';
import { program, type ProgramOptions } from '@filigree/runtime';
import { bitArray, bitStruct, dense, fields, i, ij, j, layout, stored } from '@filigree/sparse/fields';
import { interpreter } from './interpreter.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

const [n, places] = [48, 4];

const { term } = fields('f32', i, ['term']);
const { wide } = fields('f64', i, ['wide']);
const { at } = fields('i32', i, ['at']);
const { kind } = fields('i32', i, ['kind']);
const { low, middle, top, alone, long, own, old, clipped } = fields('f32', i, [
  'low',
  'middle',
  'top',
  'alone',
  'long',
  'own',
  'old',
  'clipped',
]);
const { pair } = fields('f32', i, { pair: 2 });
const { far } = fields('f64', i, ['far']);
const { cells } = fields('f32', ij, ['cells']);

/** How fields are stored, in numbers. */
const formats = {
  low: { bits: 9, range: 1, signed: true },
  middle: { bits: 10, range: 3, signed: true },
  top: { bits: 13, range: 0.1, signed: false },
  alone: { bits: 16, range: 4.1, signed: true },
  long: { bits: 30, range: 2, signed: true },
  own: { bits: 12, range: 1, signed: true },
  far: { bits: 40, range: 0.7, signed: true },
} as const;

type Numbers = (typeof formats)[keyof typeof formats] | { bits: 4; range: 1; signed: true };

const formatOf = (name: keyof typeof formats) => {
  const { bits, range: r, signed } = formats[name];
  return fixed(bits, r, { signed });
};

const shape = layout(
  dense(i, n).place(term, wide, at, bitStruct(16, stored(own, formatOf('own')))),
  dense(i, places).place(
    bitStruct(32, stored(low, formatOf('low')), stored(middle, formatOf('middle')), stored(top, formatOf('top'))),
    stored(alone, formatOf('alone')),
    bitStruct(64, stored(kind, int(30)), stored(long, formatOf('long'))),
    stored(far, formatOf('far')),
    bitStruct(32, stored(pair, fixed(12, 1))),
    old,
    bitStruct(32, stored(clipped, fixed(9, 1))),
  ),
);

const scope = { accumulate, active, atomicAdd, range, vec, n };

const kernels = {
  add: kernel([term, wide, at, low, middle, top, alone, long, far], { scope }, (t, w, at, a, b, c, d, e, f) => {
    for (const p of range(n)) {
      a[at[p]] += t[p];
      b[at[p]] -= t[p];
      c[at[p]] += t[p];
      d[at[p]] += t[p];
      e[at[p]] += t[p];
      f[at[p]] += w[p];
    }
  }),
  each: kernel([term, own], { scope }, (t, x) => {
    for (const p of active(x)) x[p] += t[p];
  }),
  /* Outside of parallel loops. */
  once: kernel([term, low, old, pair, clipped], { scope }, (t, x, old, v, y) => {
    x[0] += t[0];
    old[0] = atomicAdd(x, 0, t[1]);
    x[0] -= t[2];
    old[1] = x[0];
    accumulate(v, 1, vec(t[0], t[1]));
    for (let k = 0; k < 2; k++) v[1][k] += t[k];
    y[0] = y[0] + 1.5;
  }),
};

/** Steps nearest to a number, halves away from zero, as fractions of integers. */
const stepsOf = (x: number, { bits, range: r, signed }: Numbers, f32 = true): bigint => {
  if (!Number.isFinite(x)) return 0n;
  const step = (f32 ? Math.fround(r) : r) / 2 ** (bits - (signed ? 1 : 0));
  const [size, one] = [Math.abs(x), step].map((y) => BigInt(y * 2 ** 200));
  const steps = (2n * size + one) / (2n * one);
  return x < 0 ? -steps : steps;
};

/** The number that so many steps are, modulo all codes. */
const numberOf = (steps: bigint, of: Numbers, f32 = true): number => {
  const { bits, range: r, signed } = of;
  const code = Number((signed ? BigInt.asIntN : BigInt.asUintN)(bits, steps));
  const value = code * ((f32 ? Math.fround(r) : r) / 2 ** (bits - (signed ? 1 : 0)));
  return (f32 ? Math.fround(value) : value) + 0;
};

const numbers = (x: unknown): readonly number[] => Array.from(x as ArrayLike<number>, (y) => y + 0);

const made = async (options: Partial<ProgramOptions>, backend: ProgramOptions['backend']) => {
  const result = await program({ layout: shape, kernels: kernels as ProgramOptions['kernels'], backend, ...options })();
  if (E.isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};

/** Terms within the range, far beyond it, and none. */
const terms = fc.array(
  fc.oneof(
    fc.float({ min: -2, max: 2, noNaN: true }),
    fc.float({ min: -5000, max: 5000, noNaN: true }),
    fc.tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom(64, 256, 512)).map(([k, by]) => (2 * k + 1) / by),
    fc.constantFrom(NaN, Infinity, -Infinity, -0, 1, -1),
  ),
  { minLength: n, maxLength: n },
);

describe.each([
  ['the interpreter', interpreter(), 1],
  ['wasm', wasm(), 1],
  ['wasm, two threads', wasm(), 2],
  ...(hasCompiler ? [['cpp', cpp(), 1] as const, ['cpp, two threads', cpp(), 2] as const] : []),
] as const)('sums in fixed point on %s', (name, backend, threads) => {
  it('count whole steps of each term and wrap, in any order, whoever else writes the word', async () => {
    const sim = await made({ threads }, backend);
    const all = Object.keys(formats) as readonly (keyof typeof formats)[];
    const sums = new Map(all.map((f) => [f, Array.from({ length: f === 'own' ? n : places }, () => 0n)]));
    const plus = (f: keyof typeof formats, k: number, x: number): void => {
      sums.get(f)![k] += stepsOf(x, formats[f], f !== 'far');
    };
    fc.assert(
      fc.property(terms, fc.array(fc.nat(places - 1), { minLength: n, maxLength: n }), (given, to) => {
        const t = given.map(Math.fround);
        sim.fields.term.fromArray(Float32Array.from(t), { from: [0], to: [n] });
        sim.fields.wide.fromArray(Float64Array.from(given), { from: [0], to: [n] });
        sim.fields.at.fromArray(Int32Array.from(to), { from: [0], to: [n] });
        sim.run.add();
        sim.run.each();
        t.forEach((x, p) => {
          for (const f of ['low', 'top', 'alone', 'long'] as const) plus(f, to[p], x);
          plus('middle', to[p], -x);
          plus('far', to[p], given[p]);
          plus('own', p, x);
        });
        for (const f of all) {
          const length = f === 'own' ? n : places;
          const got = numbers(sim.fields[f].toArray({ from: [0], to: [length] }));
          expect([f, got]).toEqual([f, sums.get(f)!.map((s) => numberOf(s, formats[f], f !== 'far'))]);
        }
        expect(numbers(sim.fields.kind.toArray({ from: [0], to: [places] }))).toEqual([0, 0, 0, 0]);
      }),
      { numRuns: name === 'the interpreter' ? 10 : 40 },
    );
    sim.dispose();
  });

  it('do so outside of parallel loops; what is stored stays at the end of the range', async () => {
    const sim = await made({ threads }, backend);
    const [a, b, c] = [0.75, 0.501, 3.25].map(Math.fround);
    [a, b, c].forEach((x, p) => sim.fields.term.set([p], x as never));
    sim.run.once();
    const after = [[a], [a, b], [a, b, -c]].map((all) =>
      numberOf(
        all.reduce((sum, x) => sum + stepsOf(x, formats.low), 0n),
        formats.low,
      ),
    );
    expect([sim.fields.old.get([0]), sim.fields.old.get([1])]).toEqual([after[0], after[2]]);
    expect(sim.fields.low.get([0])).toBe(after[2]);
    expect([sim.fields.pair_0.get([1]), sim.fields.pair_1.get([1])]).toEqual(
      [a, b].map((x) => numberOf(2n * stepsOf(x, formats.own), formats.own)),
    );
    expect(sim.fields.clipped.get([0])).toBe(1 - 2 ** -8);
    sim.dispose();
  });

  it('in bit arrays too', async () => {
    const format = { bits: 4, range: 1, signed: true } as const;
    const scatter = kernel([cells, term, at], { scope }, (x, t, at) => {
      for (const p of range(n)) x[at[p]][p & 15] += t[p];
    });
    const sim = await made(
      {
        layout: layout(
          dense(i, n).place(term, at),
          dense(i, places).fork(bitArray(j, 16, 32).place(stored(cells, fixed(4, 1)))),
        ),
        kernels: { scatter },
        threads,
      },
      backend,
    );
    const sums = Array.from({ length: 16 * places }, () => 0n);
    for (let p = 0; p < n; p++) {
      const [x, to] = [Math.fround(Math.sin(p) * 3), p % 3];
      sim.fields.term.set([p], x as never);
      sim.fields.at.set([p], to as never);
      sums[16 * to + (p & 15)] += stepsOf(x, format);
    }
    sim.run.scatter();
    const got = sums.map((_, k) => Number(sim.fields.cells.get([Math.floor(k / 16), k % 16])) + 0);
    expect(got).toEqual(sums.map((s) => numberOf(s, format)));
    sim.dispose();
  });
});
