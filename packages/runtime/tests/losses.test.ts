import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, kernel, range, vec } from '@filigree/lang/kernels';
import { fixed, float, int, type Loss } from '@filigree/quant';
import { program, type ProgramOptions } from '@filigree/runtime';
import { bitArray, bitStruct, dense, fields, i, layout, stored } from '@filigree/sparse/fields';
import { interpreter } from './interpreter.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

const n = 64;

const { given, x, y, sum } = fields('f32', i, ['given', 'x', 'y', 'sum']);
const { v } = fields('f32', i, { v: 2 });
const { k } = fields('i32', i, ['k']);
const scope = { active, range, vec };

const copy = kernel([given, x, y, v, k], { scope }, (given, x, y, v, k) => {
  for (const p of active(given)) {
    x[p] = given[p];
    y[p] = given[p];
    v[p] = vec(given[p], 1000 * given[p]);
    k[p] = p - 20;
    if (p < 10) x[p] = 0.5;
  }
});

const add = kernel([sum], { scope }, (sum) => {
  for (const p of range(10)) sum[p & 0] += 0.25;
});

const shape = layout(
  dense(i, n).place(
    given,
    bitStruct(32, stored(x, fixed(8, 1)), stored(y, float(4, 3)), stored(k, int(5, { signed: false }))),
    bitStruct(32, stored(v, float(5, 6, { shared: 'v' }))),
  ),
  dense(i, 1).place(stored(sum, fixed(8, 2))),
);

type Counts = Pick<Loss, 'stores' | 'saturated' | 'flushed' | 'nan' | 'maxRelError'>;

/** Counts by plain numbers: what is nearest to a value on a grid of steps, and the greatest and the least number that there are. */
const counted = (
  values: readonly number[],
  { stepAt, least, most, smallest = 0 }: Numbers,
  nearest = (value: number) => roundedTo(stepAt(value), value),
): Counts => {
  const found = { stores: values.length, saturated: 0, flushed: 0, nan: 0, maxRelError: 0 };
  for (const value of values) {
    if (Number.isNaN(value)) found.nan++;
    else if (value > most + stepAt(most) / 2 || value < least - stepAt(least) / 2) found.saturated++;
    else if (value !== 0) {
      const kept = Math.min(Math.max(nearest(value), least), most);
      if (Math.abs(kept) < smallest || kept === 0) found.flushed++;
      else found.maxRelError = Math.max(found.maxRelError, Math.abs(kept - value) / Math.abs(value));
    }
  }
  return found;
};

interface Numbers {
  readonly stepAt: (value: number) => number;
  readonly least: number;
  readonly most: number;
  readonly smallest?: number;
}

const roundedTo = (step: number, value: number): number =>
  Math.sign(value) * Math.floor(Math.abs(value) / step + 0.5) * step;

const digitsBelow = (value: number, digits: number): number => 2 ** (Math.floor(Math.log2(Math.abs(value))) - digits);

const eighths: Numbers = { stepAt: (value) => digitsBelow(value, 3), least: -480, most: 480, smallest: 2 ** -6 };
const steps: Numbers = { stepAt: () => 2 ** -7, least: -1, most: 1 - 2 ** -7 };

/** The step of two numbers that share an exponent: with it the larger has six digits after it was rounded. */
const stepOfBoth = (a: number): number => {
  const most = 1000 * Math.abs(a);
  const step = digitsBelow(most, 5);
  return Math.min(Math.max(roundedTo(step, most) >= 64 * step ? 2 * step : step, 2 ** -19), 2 ** 11);
};

const made = async (options: Partial<ProgramOptions>, backend: ProgramOptions['backend']) => {
  const result = await program({ layout: shape, kernels: { copy, add }, backend, ...options })();
  if (E.isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};

const rowsOf = (losses: readonly Loss[], field: string): readonly Loss[] => losses.filter((l) => l.field === field);

describe.each([
  ['the interpreter', interpreter(), 1],
  ['wasm', wasm(), 1],
  ['wasm, two threads', wasm(), 2],
  ...(hasCompiler ? [['cpp', cpp(), 1] as const, ['cpp, two threads', cpp(), 2] as const] : []),
] as const)('on %s', (_, backend, threads) => {
  it.each([{ debug: true }, { losses: true }])('what is lost is counted, by field and line (%o)', async (how) => {
    const sim = await made({ ...how, threads }, backend);
    const ran = (values: readonly number[], before: readonly Loss[]): void => {
      sim.fields.given.fromArray(Float32Array.from(values), { from: [0], to: [n] });
      sim.run.copy();
      const losses = sim.losses();
      const read = values.map(Math.fround);
      const row = (field: string, nth = 0): Loss => rowsOf(losses, field)[nth];
      const is = (field: string, of: Counts): void => {
        const known = rowsOf(before, field)[0];
        const { maxRelError, ...counts } = of;
        for (const [name, count] of Object.entries(counts) as [keyof typeof counts, number][])
          expect([field, name, row(field)[name] - known[name]]).toEqual([field, name, count]);
        expect(row(field).maxRelError).toBeCloseTo(Math.max(maxRelError, known.maxRelError), 6);
      };
      is('x', counted(read, steps));
      is('y', counted(read, eighths));
      /* The second number is a thousand times the first, so its exponent is that of both. */
      const both: Numbers = { stepAt: () => 2 ** 11, least: -63 * 2 ** 11, most: 63 * 2 ** 11 };
      is(
        'v_0',
        counted(read, both, (value) => roundedTo(stepOfBoth(value), value)),
      );
      const larger = read.map((value) => Math.fround(1000 * value));
      is(
        'v_1',
        counted(larger, both, (value) => roundedTo(stepOfBoth(value / 1000), value)),
      );
      expect(row('x', 1)).toMatchObject({ stores: 10 + (rowsOf(before, 'x')[1]?.stores ?? 0), maxRelError: 0 });
      expect(row('k').overflowed - rowsOf(before, 'k')[0].overflowed).toBe(20 + (n - 20 - 32));
    };
    const before = sim.losses();
    expect(before.every(({ stores }) => stores === 0)).toBe(true);
    ran(
      Array.from({ length: n }, (_, p) =>
        p === 0
          ? NaN
          : p === 1
            ? Infinity
            : p === 2
              ? -Infinity
              : p === 3
                ? 0
                : (p % 2 ? 1.3 : -1.3) * 2 ** ((p % 40) - 24),
      ),
      before,
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.float(), fc.float({ min: -2, max: 2 }), fc.float({ min: -500, max: 500 })), {
          minLength: n,
          maxLength: n,
        }),
        (values) =>
          ran(
            /* Tiny numbers, and those near the ends of f32 times a thousand, are other tests' business. */
            values.map((value) => (Math.abs(value) < 1e-30 || Math.abs(value) > 1e30 ? 0 : value)),
            sim.losses(),
          ),
      ),
      { numRuns: 20 },
    );
    sim.run.add();
    const losses = sim.losses();
    expect(rowsOf(losses, 'sum')).toMatchObject([{ kernel: 'add', stores: 10, saturated: 0, overflowed: 1 }]);
    expect(rowsOf(losses, 'sum')[0].loc!.file).toMatch(/losses\.test\.ts$/);
    const lineOf = (field: string, nth = 0): number => rowsOf(losses, field)[nth].loc!.line;
    expect(
      [lineOf('y'), lineOf('v_0'), lineOf('v_1'), lineOf('k'), lineOf('x', 1)].map((l) => l - lineOf('x')),
    ).toEqual([1, 2, 2, 3, 4]);
    sim.dispose();
    expect(sim.losses()).toEqual(losses);
  });

  it('without being asked nothing is counted, and what is computed is the same', async () => {
    const [plain, counting] = [await made({ threads }, backend), await made({ threads, losses: true }, backend)];
    for (const sim of [plain, counting]) {
      sim.fields.given.fromArray(
        Float32Array.from({ length: n }, (_, p) => Math.sin(p) * 2 ** (p % 12)),
        { from: [0], to: [n] },
      );
      sim.run.copy();
      sim.run.add();
    }
    expect(plain.losses()).toEqual([]);
    expect(Buffer.from(counting.save())).toEqual(Buffer.from(plain.save()));
    plain.dispose();
    counting.dispose();
  });
});

it('are told in the order of the source', async () => {
  const swap = kernel([x, y, k], { scope }, (x, y, k) => {
    const small = (p: number): void => {
      x[p] = 0.25;
    };
    for (const p of active(x)) {
      k[p] = p;
      if (p > 3) y[p] = 2;
      small(p);
    }
  });
  const sim = await made({ kernels: { swap }, losses: true }, wasm());
  expect(sim.losses().map(({ field }) => field)).toEqual(['x', 'k', 'y']);
  sim.dispose();
});

it('elements of bit arrays are counted one by one', async () => {
  const { count } = fields('i32', i, ['count']);
  const fill = kernel([count], { scope }, (count) => {
    for (const p of active(count)) count[p] = p & 7;
  });
  const sim = await made(
    {
      layout: layout(bitArray(i, n, 32).place(stored(count, int(2, { signed: false })))),
      kernels: { fill },
      losses: true,
    },
    wasm(),
  );
  sim.run.fill();
  expect(sim.losses()).toMatchObject([{ field: 'count', stores: n, overflowed: n / 2 }]);
  sim.dispose();
});
