import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  coreDialects,
  interpret,
  opWith,
  verifyModule,
  walk,
  type Kernel,
  type Module,
  type Pass,
  type Region,
  type TypedArray,
} from '@filigree/ir';
import {
  alikeKernels,
  canonicalize,
  cse,
  dce,
  defaultPipeline,
  distribute,
  ifToSelect,
  integerRange,
  jamNests,
  licm,
  offload,
  partition,
  predicateLoops,
  privatize,
  privatizeScatters,
  promote,
  stageStrides,
  storeForwarding,
  superword,
  unevenLoops,
  unroll,
  vectorize,
  carryStores,
  joinRows,
  vectorizeNests,
  withNumbers,
  writeOut,
} from '@filigree/opt';
import { expressionOutputs, randomExpressions } from './random-expressions.js';
import { componentInputs, randomComponents } from './random-components.js';
import { randomReductions, reductionInputs } from './random-reductions.js';
import { floatInputs, randomFloats } from './random-floats.js';
import { indexInputs, randomIndices } from './random-indices.js';
import { nestInputs, randomNests } from './random-nests.js';
import { randomRecords, recordInputs } from './random-records.js';
import { randomScatters, scatterInputs } from './random-scatters.js';
import { chooser } from './chooser.js';
import { randomInputs, randomModule, type Choose } from './random-module.js';
import { randomWords, wordInputs } from './random-words.js';

const passes: readonly Pass<Module>[] = [
  canonicalize(),
  cse(),
  dce(),
  ifToSelect(),
  ifToSelect({ maxCost: 1000 }),
  storeForwarding(),
  unroll(),
  unroll({ factor: 3, maxTrips: 2 }),
  licm(),
  licm({ keepOffsets: true }),
  vectorize(),
  vectorize({ bytes: 32 }),
  vectorizeNests(),
  carryStores(),
  joinRows(),
  superword(),
  unevenLoops(),
  offload(),
  predicateLoops(),
  privatize(),
  integerRange(),
  jamNests(),
  partition(),
  promote(),
  writeOut(),
];

/** A random program: choices, from which `randomModule` builds a module, and a seed for its inputs. */
const program = fc.record({
  choices: fc.array(fc.nat(1 << 20), { minLength: 30, maxLength: 250 }),
  seed: fc.nat(1000),
});

/** The buffers after a run, or nothing where it traps. */
const run = (module: Module, buffers: Record<string, TypedArray>): Record<string, TypedArray> | undefined =>
  E.isRight(interpret(module, coreDialects, buffers)) ? buffers : undefined;

/** Elements that are not identical: -0 is not 0 here, and NaN is NaN. */
const differences = (
  expected: Record<string, TypedArray>,
  actual: Record<string, TypedArray> | undefined,
): readonly string[] =>
  actual === undefined
    ? ['trap']
    : Object.entries(expected).flatMap(([name, data]) =>
        Array.from(data as ArrayLike<number | bigint>, (x, i) =>
          Object.is(x, actual[name]![i]) ? '' : `@${name}[${i}]: ${x}, ${actual[name]![i]}`,
        ).filter((line) => line !== ''),
      );

const apply = (pass: Pass<Module>, module: Module): Module => {
  const result = pass.run(module);
  if (E.isLeft(result)) throw new Error(`${pass.name}: ${result.left.map((d) => d.message).join('; ')}`);
  return result.right;
};

/** The module after the passes, found well-formed after each. */
const optimized = (module: Module, order: readonly Pass<Module>[]): Module =>
  order.reduce((m, pass) => {
    const after = apply(pass, m);
    expect(verifyModule(after, coreDialects), pass.name).toEqual([]);
    return after;
  }, module);

/** Random programs give the same after the passes. None traps before, so none may after. */
const preserves = (orders: fc.Arbitrary<readonly Pass<Module>[]>, runs: number): void =>
  fc.assert(
    fc.property(program, orders, ({ choices, seed }, order) => {
      const before = randomModule(chooser(choices));
      expect(verifyModule(before, coreDialects)).toEqual([]);
      const expected = run(before, randomInputs(seed));
      expect(expected).toBeDefined();
      expect(differences(expected!, run(optimized(before, order), randomInputs(seed)))).toEqual([]);
    }),
    { numRuns: runs },
  );

const preservesExpressions = (order: readonly Pass<Module>[], runs: number): void =>
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 10, maxLength: 60 }), (choices) => {
      const before = randomExpressions(chooser(choices));
      const expected = run(before, expressionOutputs(before));
      expect(expected).toBeDefined();
      expect(differences(expected!, run(optimized(before, order), expressionOutputs(before)))).toEqual([]);
    }),
    { numRuns: runs },
  );

describe('passes keep the meaning of programs, to the last bit', () => {
  for (const [i, pass] of passes.entries()) it(`${pass.name} (${i})`, () => preserves(fc.constant([pass]), 150));

  it('in any order', () => preserves(fc.array(fc.constantFrom(...passes), { minLength: 2, maxLength: 6 }), 250));

  it('the default pipeline', () => preserves(fc.constant(defaultPipeline().passes), 150));
});

/** A kernel with some of its integer constants replaced by others. */
const otherwise = (kernel: Kernel, choose: Choose): Kernel => {
  const regionOf = ({ params, ops }: Region): Region => ({
    params,
    ops: ops.map((op) => {
      const { value } = op.attrs;
      const other =
        op.name === 'arith.constant' && ['i32', 'i64'].includes(op.results[0]!.type as string) && choose(3) === 0;
      const attrs = other && typeof value === 'number' ? { ...op.attrs, value: value + choose(5) - 2 } : op.attrs;
      return opWith(op, { attrs, regions: op.regions.map(regionOf) });
    }),
  });
  return { ...kernel, name: `${kernel.name}_other`, body: regionOf(kernel.body) };
};

it('of kernels that differ in numbers alone, one stands for all, whatever passes make of it', () => {
  let together = 0;
  /* With another number a loop may have no end. */
  const runs = (module: Module, seed: number, maxSteps: number): Record<string, TypedArray> | undefined => {
    const buffers = randomInputs(seed);
    return E.isRight(interpret(module, coreDialects, buffers, { maxSteps })) ? buffers : undefined;
  };
  fc.assert(
    fc.property(program, ({ choices, seed }) => {
      const module = randomModule(chooser(choices));
      const given = module.kernels.flatMap((k) => [k, otherwise(k, chooser(choices.slice(3)))]);
      for (const { members, kernel, numbers } of alikeKernels(given)) {
        if (members.length > 1 && numbers[0]!.length > 0) together++;
        const made = optimized({ ...module, kernels: [kernel] }, defaultPipeline().passes);
        members.forEach((m, k) => {
          const expected = runs({ ...module, kernels: [given[m]!] }, seed, 20_000);
          if (!expected) return;
          const own = { ...module, kernels: [withNumbers(made.kernels[0]!, given[m]!.name, numbers[k]!)] };
          expect(verifyModule(own, coreDialects)).toEqual([]);
          expect(differences(expected, runs(own, seed, 100_000))).toEqual([]);
        });
      }
    }),
    { numRuns: 60 },
  );
  expect(together).toBeGreaterThan(5);
});

describe('loops over records come out the same', () => {
  for (const chunk of [2, 3, 4])
    it(`in chunks of ${chunk}`, () => {
      let changed = 0;
      fc.assert(
        fc.property(fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }), (choices) => {
          const before = randomRecords(chooser(choices));
          const after = optimized(before, [stageStrides({ chunk })]);
          if (after !== before) changed++;
          const expected = run(before, recordInputs(choices[0]!));
          expect(expected).toBeDefined();
          expect(differences(expected!, run(after, recordInputs(choices[0]!)))).toEqual([]);
        }),
        { numRuns: 400 },
      );
      /* One in twenty is worth while. */
      expect(changed).toBeGreaterThan(0);
    });
});

const scatterChoices = fc.array(fc.nat(1 << 20), { minLength: 60, maxLength: 160 });

const scatters = (open?: boolean): readonly Module[] =>
  fc.sample(scatterChoices, { numRuns: 300, seed: 1 }).map((choices) => randomScatters(chooser(choices), open));

const changedAmong = (all: readonly Module[], pass: (before: Module) => Module): number =>
  all.filter((before) => pass(before) !== before).length;

describe('loops that add to elements of others come out the same', () => {
  for (const chunk of [2, 3, 8])
    it(`in chunks of ${chunk}`, () => {
      fc.assert(
        fc.property(scatterChoices, (choices) => {
          const before = randomScatters(chooser(choices));
          const after = optimized(before, [distribute({ chunk })]);
          const expected = run(before, scatterInputs(choices[0]!));
          expect(expected).toBeDefined();
          expect(differences(expected!, run(after, scatterInputs(choices[0]!)))).toEqual([]);
        }),
        { numRuns: 300 },
      );
    });

  it('of which some change, however few of them are tried', () => {
    for (const chunk of [2, 3, 8])
      expect(changedAmong(scatters(), (before) => optimized(before, [distribute({ chunk })]))).toBeGreaterThan(10);
  });
});

describe('loops that add to elements of others come out the same, but for rounding,', () => {
  const near = (expected: Record<string, TypedArray>, actual: Record<string, TypedArray> | undefined): boolean =>
    actual !== undefined &&
    Object.entries(expected).every(([name, data]) =>
      Array.from(data as ArrayLike<number | bigint>, Number).every((x, n) => {
        const y = Number(actual[name]![n]);
        return Object.is(x, y) || Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x)) || !Number.isFinite(x);
      }),
    );

  for (const open of [false, true])
    it(`where ${open ? 'arguments' : 'numbers'} tell how often they run, by threads of which each has memory of its own`, () => {
      fc.assert(
        fc.property(
          scatterChoices,
          fc.integer({ min: 2, max: 5 }),
          fc.integer({ min: -2, max: 40 }),
          (choices, threads, n) => {
            const before = randomScatters(chooser(choices), open);
            const after = optimized(before, [privatizeScatters({ threads, least: 0 })]);
            const run = (module: Module): Record<string, TypedArray> | undefined => {
              const buffers = scatterInputs(choices[0]!);
              const done = interpret(module, coreDialects, buffers, { kernel: 'k', args: open ? [n] : [] });
              return E.isRight(done) ? buffers : undefined;
            };
            const expected = run(before);
            expect(expected).toBeDefined();
            expect(near(expected!, run(after))).toBe(true);
          },
        ),
        { numRuns: 400 },
      );
    });

  it('of which some change, however few of them are tried', () => {
    for (const open of [false, true])
      expect(
        changedAmong(scatters(open), (before) => optimized(before, [privatizeScatters({ threads: 3, least: 0 })])),
      ).toBeGreaterThan(40);
  });
});

describe('reductions come out the same', () => {
  const reductionChoices = fc.array(fc.nat(1 << 20), { minLength: 30, maxLength: 200 });
  const check = (order: readonly Pass<Module>[], runs: number, teams = false): void =>
    fc.assert(
      fc.property(reductionChoices, fc.integer({ min: -2, max: 40 }), (choices, n) => {
        const before = randomReductions(chooser(choices), teams);
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const run = (module: Module): Record<string, TypedArray> | undefined => {
          const buffers = reductionInputs(choices[0]!);
          return E.isRight(interpret(module, coreDialects, buffers, { kernel: 'k', args: [n] })) ? buffers : undefined;
        };
        const expected = run(before);
        expect(expected).toBeDefined();
        expect(differences(expected!, run(optimized(before, order)))).toEqual([]);
      }),
      { numRuns: runs },
    );

  it('as they are', () => check([privatize()], 120));
  it('in few chunks', () => check([privatize({ chunks: 2 })], 60));
  it('among the other passes', () =>
    check([...defaultPipeline().passes, privatize(), ...defaultPipeline().passes], 60));
  it('by teams', () => check([privatize({ team: 4 })], 200, true));

  it('as trees of teams', () => {
    check([privatize({ team: 4, atomicBytes: 4 })], 200, true);
    check([...defaultPipeline({ team: 4, atomicBytes: 4 }).passes], 100, true);
  });

  it('of which there are some, also where loops of teams stand in serial ones, however few are tried', () => {
    const hasTree = ({ buffers }: Module): boolean => buffers.some((b) => b.role === 'temp' && b.name !== 'n');
    const isNested = ({ kernels }: Module): boolean => {
      let nested = false;
      for (const { body } of kernels)
        walk(body, (op) => {
          if (op.attrs['parallel'] !== true) return;
          walk(op.regions[0]!, (loop) => {
            const isSerial = loop.name === 'scf.for' && loop.attrs['team'] === undefined;
            if (isSerial) walk(loop.regions[0]!, (inner) => (nested ||= inner.attrs['team'] === true));
          });
        });
      return nested;
    };
    const trees = fc
      .sample(reductionChoices, { numRuns: 200, seed: 1 })
      .map((choices) => optimized(randomReductions(chooser(choices), true), [privatize({ team: 4, atomicBytes: 4 })]))
      .filter(hasTree);
    expect(trees.length).toBeGreaterThan(3);
    expect(trees.filter(isNested).length).toBeGreaterThan(2);
  });
});

describe('indices come out the same', () => {
  const check = (order: readonly Pass<Module>[], runs: number): void =>
    fc.assert(
      fc.property(fc.array(fc.nat(1 << 20), { minLength: 40, maxLength: 250 }), (choices) => {
        const before = randomIndices(chooser(choices));
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = run(before, indexInputs(choices[0]!));
        expect(expected).toBeDefined();
        expect(differences(expected!, run(optimized(before, order), indexInputs(choices[0]!)))).toEqual([]);
      }),
      { numRuns: runs },
    );

  it('simplified once', () => check([integerRange()], 150));
  it('simplified after others', () => check([canonicalize(), licm(), integerRange(), canonicalize()], 100));
  it('with the edges of loops apart', () => check([partition(), integerRange(), canonicalize(), dce()], 100));
  it('simplified again', () => check([integerRange(), canonicalize(), integerRange(), cse(), dce()], 60));
});

describe('indices made of floats come out the same', () => {
  const check = (order: readonly Pass<Module>[], runs: number): void =>
    fc.assert(
      fc.property(fc.array(fc.nat(1 << 20), { minLength: 60, maxLength: 300 }), (choices) => {
        const before = randomFloats(chooser(choices));
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = run(before, floatInputs(choices[0]!));
        expect(expected).toBeDefined();
        expect(differences(expected!, run(optimized(before, order), floatInputs(choices[0]!)))).toEqual([]);
      }),
      { numRuns: runs },
    );

  it('simplified once', () => check([integerRange()], 400));
  it('simplified after others, and again', () => check([canonicalize(), licm(), integerRange(), canonicalize(), integerRange(), cse(), dce()], 200)); // prettier-ignore
});

describe('components come out the same', () => {
  const check = (order: readonly Pass<Module>[], runs: number): void =>
    fc.assert(
      fc.property(fc.array(fc.nat(1 << 20), { minLength: 60, maxLength: 400 }), (choices) => {
        const before = randomComponents(chooser(choices));
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const [expected, actual] = [before, optimized(before, order)].map((m) =>
          run(m, componentInputs(before, choices[0]!)),
        );
        expect(expected).toBeDefined();
        expect(differences(expected!, actual)).toEqual([]);
      }),
      { numRuns: runs },
    );

  it('as vectors of a register', () => check([superword()], 200));
  it('as vectors of a wide one', () => check([superword({ bytes: 32 })], 150));
  it('simplified before', () => check([canonicalize(), cse(), storeForwarding(), superword()], 100));
  it('simplified before and after', () =>
    check([...defaultPipeline().passes, superword(), canonicalize(), cse(), dce()], 80));
});

describe('numbers of a few bits come out the same', () => {
  const check = (order: readonly Pass<Module>[], runs: number): void => {
    let [tried, packed] = [0, 0];
    fc.assert(
      fc.property(fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 120 }), fc.nat(1000), (choices, seed) => {
        tried++;
        const before = randomWords(chooser(choices));
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = run(before, wordInputs(seed));
        expect(expected).toBeDefined();
        const after = optimized(before, order);
        if (JSON.stringify(after.kernels).includes('"lanes":')) packed++;
        expect(differences(expected!, run(after, wordInputs(seed)))).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(packed).toBeGreaterThan(tried / 4);
  };

  it('on lanes of a register', () => check([cse(), superword()], 200));
  it('simplified before and after', () => check([canonicalize(), cse(), superword(), canonicalize(), dce()], 150));
});

describe('nests come out the same on vector lanes', () => {
  const check = (order: readonly Pass<Module>[], runs: number): void => {
    let tried = 0;
    let widened = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(1 << 20), { minLength: 40, maxLength: 250 }), (choices) => {
        tried++;
        const before = randomNests(chooser(choices));
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = run(before, nestInputs(choices[0]!));
        expect(expected).toBeDefined();
        const after = optimized(before, order);
        if (JSON.stringify(after.kernels).includes('"lanes":')) widened++;
        expect(differences(expected!, run(after, nestInputs(choices[0]!)))).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(widened).toBeGreaterThan(tried / 20);
  };

  it('as they are', () => check([vectorizeNests(), jamNests()], 200));
  it('on two lanes', () => check([vectorizeNests({ bytes: 16 })], 100));
  it('among the other passes', () =>
    check([...defaultPipeline().passes, vectorizeNests(), ...defaultPipeline().passes], 100));
});

describe('passes keep the meaning of expressions at the edges of their types', () => {
  it('canonicalize', () => preservesExpressions([canonicalize()], 300));
  it('integer-range', () => preservesExpressions([integerRange()], 150));
  it('vectorize', () => preservesExpressions([vectorize({ bytes: 32 })], 60));
  it('all that rewrites expressions', () =>
    preservesExpressions([canonicalize(), cse(), vectorize(), canonicalize(), dce()], 60));
});
