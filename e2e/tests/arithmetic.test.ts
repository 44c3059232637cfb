import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  ARITHMETICS,
  coreDialects,
  DiagnosticError,
  interpret,
  symbolicMath as m,
  verifyModule,
  type Arithmetic,
  type Num,
} from '@filigree/ir';
import { defaultOptions, specialize, trace, type Program } from '@filigree/specialize';
import { compile } from 'filigree';
import { orThrow } from '@filigree/ir';
import { bounded, F32, F64, plain32, plain64, type Bounded, type Precision } from './bounded.js';
import { isUnary, randomPrograms, runRandom, type Arithmetics, type RandomProgram } from './traced-programs.js';

type DType = 'f32' | 'f64';

const symbols: Arithmetics<Num> = {
  number: (value) => value,
  apply: (name, a, b) => (isUnary(name) ? m[name as 'neg'](a) : m[name as 'add'](a, b)),
  select: (name, a, b, x, y) => m.select(m[name](a, b), x, y),
};

const traced = (programs: readonly RandomProgram[]): Program => ({
  inputs: Object.fromEntries(programs.map((p, k) => [`x${k}`, p.length])),
  run: (inputs) =>
    Object.fromEntries(programs.map((p, k) => [`y${k}`, runRandom(p, symbols, inputs[`x${k}`] as Num[]) as Num[]])),
});

/** What a program gives on the interpreter; nothing if it was refused for being NaN whatever the input. */
const interpreted = (
  program: RandomProgram,
  x: readonly number[],
  dtype: DType,
  arithmetic: Arithmetic | undefined,
): ArrayLike<number> | undefined => {
  const t = trace(arithmetic ? { arithmetic } : {}).run(traced([program]));
  if (E.isLeft(t) && t.left.every((d) => d.code === 'trace/not-a-number')) return undefined;
  const { module } = orThrow(specialize({ ...defaultOptions, dtype })(orThrow(t)));
  expect(verifyModule(module, coreDialects)).toEqual([]);
  const Values = dtype === 'f32' ? Float32Array : Float64Array;
  const buffers = Object.fromEntries(
    module.buffers.flatMap((b) =>
      b.role === 'input' ? [[b.name, Values.from(x)]] : b.role === 'output' ? [[b.name, new Values(b.length)]] : [],
    ),
  );
  orThrow(interpret(module, coreDialects, buffers));
  return buffers.y0;
};

/** What a compiled program gives. */
const ran = async (
  programs: readonly RandomProgram[],
  xs: readonly (readonly number[])[],
  dtype: DType,
  arithmetic: Arithmetic | undefined,
  backend: 'cpp' | 'wasm',
): Promise<readonly ArrayLike<number>[] | undefined> => {
  try {
    const compiled = await compile(traced(programs), {
      rewrite: false,
      backend,
      dtype,
      cache: false,
      ...(arithmetic ? { arithmetic } : {}),
    });
    try {
      xs.forEach((x, k) => compiled.set(`x${k}`, x));
      compiled.run();
      return xs.map((_, k) => compiled.outputs[`y${k}`].slice());
    } finally {
      compiled.dispose();
    }
  } catch (e) {
    if (e instanceof DiagnosticError && e.diagnostics.every((d) => d.code === 'trace/not-a-number')) return undefined;
    throw e;
  }
};

/* Whatever makes range, cancellation and signs matter, in f32 and in f64. */
const special = fc.constantFrom(
  0,
  -0,
  1,
  -1,
  0.5,
  -3,
  1e30,
  -1e30,
  1e-30,
  1e13,
  Infinity,
  -Infinity,
  NaN,
  1e300,
  -1e-300,
  5e-324,
  1e-40,
  2 ** 24 + 2,
  1 + 2 ** -52,
);
const anyNumber = fc.oneof(
  { weight: 2, arbitrary: special },
  { weight: 2, arbitrary: fc.double({ min: -4, max: 4, noNaN: true }) },
  { weight: 1, arbitrary: fc.double() },
);
/* So that sums cancel. */
const wild = fc
  .array(anyNumber, { minLength: 40, maxLength: 40 })
  .chain((x) => fc.tuple(fc.constant(x), fc.integer({ min: 0, max: 20 })))
  .map(([x, pairs]) =>
    x.map((v, i) => (i < 2 * pairs && i % 2 === 1 ? -x[i - 1] * (i % 3 === 0 ? 1 + 2 ** -20 : 1) : v)),
  );
/* Far from the ends of the range, but at all sizes. */
const finite = fc.array(
  fc.oneof(
    fc.double({ min: -2, max: 2, noNaN: true }),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.constantFrom(0, -0, 1, 1e10, -1e10, 1e-12, 1e13, 1e-13),
  ),
  { minLength: 40, maxLength: 40 },
);
const tame = fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 40, maxLength: 40 });
const numbers = fc.oneof(special, fc.double({ min: -4, max: 4, noNaN: true }));
const dtypes = fc.constantFrom<DType>('f32', 'f64');

const takeInputs = (p: RandomProgram, x: readonly number[], dtype: DType): readonly number[] =>
  Array.from({ length: p.length }, (_, i) => (dtype === 'f32' ? Math.fround(x[i]) : x[i]));

const expectSame = (actual: ArrayLike<number>, expected: readonly number[]): void => {
  expect(actual.length).toBe(expected.length);
  expect(
    expected.flatMap((v, i) => (Object.is(actual[i], v) ? [] : [`${i}: ${show(actual[i])}, not ${show(v)}`])),
  ).toEqual([]);
};

const show = (x: number): string => (Object.is(x, -0) ? '-0' : String(x));

/** Within its bounds, where a value has bounds. */
const expectWithin = (actual: ArrayLike<number>, expected: readonly Bounded[]): void => {
  expect(actual.length).toBe(expected.length);
  const wrong = expected.flatMap(({ value, error, known }, i) => {
    const right =
      error === 0 || !Number.isFinite(value) ? Object.is(actual[i], value) : Math.abs(actual[i] - value) <= 2 * error;
    return right || !known ? [] : [`${i}: ${show(actual[i])}, not ${show(value)} ± ${2 * error}`];
  });
  expect(wrong).toEqual([]);
};

/** Over the reals programs are held to bounds of much coarser rounding: rewriting may round more often, and elsewhere. */
const COARSE: Precision = { ...F64, unit: 2 ** -26, largest: 1e6, least: 1e-6 };

const holds: Readonly<
  Record<
    Arithmetic,
    (p: RandomProgram, x: readonly number[], dtype: DType, actual: ArrayLike<number> | undefined) => void
  >
> = {
  exact: (p, x, dtype, actual) => {
    const expected = runRandom(p, dtype === 'f32' ? plain32 : plain64, x);
    if (actual) expectSame(actual, expected);
    else expect(expected.some(Number.isNaN)).toBe(true);
  },
  'range-keeping': (p, x, dtype, actual) => {
    const on = bounded(dtype === 'f32' ? F32 : F64);
    if (actual) expectWithin(actual, runRandom(p, on, x.map(on.number)));
    else expect(runRandom(p, plain64, x).some(Number.isNaN)).toBe(true);
  },
  algebraic: (p, x, dtype, actual) => {
    let tame = true;
    const on = bounded(COARSE);
    const guarded: Arithmetics<Bounded> = {
      ...on,
      apply: (name, a, b) => {
        const r = on.apply(name, a, b);
        if (!(Number.isFinite(r.value) && Math.abs(r.value) < 1e5 && (r.value === 0 || Math.abs(r.value) > 1e-5)))
          tame = false;
        return r;
      },
    };
    const expected = runRandom(p, guarded, x.map(on.number));
    if (!tame || dtype === 'f32') return;
    expect(actual).toBeDefined();
    /* Over the reals there is one zero. */
    expectWithin(
      Array.from(actual!, (v) => v + 0),
      expected.map((b) => ({ ...b, value: b.value + 0 })),
    );
  },
};

const inputsOf: Readonly<Record<Arithmetic, fc.Arbitrary<readonly number[]>>> = {
  exact: wild,
  'range-keeping': fc.oneof(wild, finite, finite),
  algebraic: tame,
};

describe.each(ARITHMETICS)('random traced programs, %s', (arithmetic) => {
  it('agree with plain numbers on the interpreter', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(randomPrograms(true, numbers), inputsOf[arithmetic], dtypes, (p, values, dtype) => {
        const x = takeInputs(p, values, dtype);
        holds[arithmetic](p, x, dtype, interpreted(p, x, dtype, arithmetic));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['wasm', 'cpp'] as const)('agree with plain numbers on %s', { timeout: 300_000 }, async (backend) => {
    if (!(await usable(backend))) return;
    await fc.assert(
      fc.asyncProperty(
        /* Several in one, for the compiler's sake. */
        fc.array(fc.tuple(randomPrograms(backend === 'wasm', numbers), inputsOf[arithmetic]), {
          minLength: 1,
          maxLength: 6,
        }),
        dtypes,
        async (several, dtype) => {
          const programs = several.map(([p]) => p);
          const xs = several.map(([p, values]) => takeInputs(p, values, dtype));
          const actual = await ran(programs, xs, dtype, arithmetic, backend);
          fc.pre(actual !== undefined);
          programs.forEach((p, k) => holds[arithmetic](p, xs[k], dtype, actual[k]));
        },
      ),
      { numRuns: backend === 'cpp' ? 12 : 60 },
    );
  });
});

const usable = async (backend: 'cpp' | 'wasm'): Promise<boolean> => {
  const { usable, reason } = await { cpp, wasm }[backend]().probe();
  if (!usable && process.env.CI === 'true') throw new Error(reason);
  return usable;
};

describe('the level that is shipped', () => {
  it('is the strictest', () => {
    fc.assert(
      fc.property(randomPrograms(true, numbers), wild, dtypes, (p, values, dtype) => {
        const x = takeInputs(p, values, dtype);
        holds.exact(p, x, dtype, interpreted(p, x, dtype, undefined));
      }),
      { numRuns: 60 },
    );
  });
});
