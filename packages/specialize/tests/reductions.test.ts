import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printModule, symbolicMath as m, type Num } from '@filigree/ir';
import type { Program } from '@filigree/specialize';
import { recipe, type Recipe } from './recipes.js';
import { numbers, relativeError, runProgram } from './support.js';

type Vector = readonly Num[];
const join = { add: m.add, mul: m.mul, max: m.max, min: m.min };
type Join = keyof typeof join;

/** Three ways to write down one sum: from the left, from the right, and pairwise. */
const folds = {
  left: (op: Join, x: Vector): Num => x.reduce((a, b) => join[op](a, b)),
  right: (op: Join, x: Vector): Num => x.reduceRight((a, b) => join[op](b, a)),
  pairs: (op: Join, x: Vector): Num => {
    let rest = [...x];
    while (rest.length > 1)
      rest = Array.from({ length: Math.ceil(rest.length / 2) }, (_, i) =>
        2 * i + 1 < rest.length ? join[op](rest[2 * i], rest[2 * i + 1]) : rest[2 * i],
      );
    return rest[0];
  },
};
type Fold = keyof typeof folds;

/** The program of one input, and its outputs by plain evaluation. */
const both = (n: number, run: (x: Vector) => Record<string, Num[]>): { program: Program; plain: typeof run } => ({
  program: { inputs: { x: n }, run: ({ x }) => run(x as Num[]) },
  plain: run,
});

const agrees = (n: number, run: (x: Vector) => Record<string, Num[]>, tolerance = 1e-12) => {
  const { program, plain } = both(n, run);
  const x = numbers(n, n);
  /* The level at which sums may be added in any order. */
  const { outputs, specialized } = runProgram(program, { x }, {}, 'range-keeping');
  for (const [name, values] of Object.entries(plain([...x])))
    expect(relativeError(outputs[name], values as number[]), name).toBeLessThan(tolerance);
  return specialized;
};

/** ½·(√(a² + b²)/(1 + c²) − 1)² and the like: what an element adds to an energy. */
const energy = (a: Num, b: Num, c: Num): Num => {
  const l = m.div(m.sqrt(m.add(m.mul(a, a), m.mul(b, b))), m.add(1, m.mul(c, c)));
  const r = m.sub(l, 1);
  return m.mul(0.5, m.mul(r, r));
};
const ring = (x: Vector, f: (a: Num, b: Num, c: Num) => Num): Num[] =>
  x.map((a, i) => f(a, x[(i + 1) % x.length], x[(i + 7) % x.length]));

describe('sums over elements', () => {
  it.each(Object.keys(folds) as Fold[])('take one kernel, however many elements there are, folded %s', (fold) => {
    const sizes = [300, 3000].map((n) => {
      const { kernels, launches, module } = agrees(n, (x) => ({ e: [folds[fold]('add', ring(x, energy))] }));
      return { kernels, launches, ops: JSON.stringify(module.kernels).length };
    });
    expect(sizes[0]).toMatchObject({ kernels: 1, launches: 1 });
    expect(sizes[1]).toMatchObject({ kernels: 1, launches: 1 });
    expect(sizes[1].ops).toBeLessThan(3 * sizes[0].ops);
  });

  it('share the work of elements with their gradient', () => {
    const { kernels } = agrees(600, (x) => {
      const gradient: Num[] = x.map(() => 0);
      const terms = x.map((a, i) => {
        const j = (i + 1) % x.length;
        const l = m.sqrt(m.add(m.mul(a, a), m.mul(x[j], x[j])));
        const w = m.div(m.sub(l, 1), l);
        gradient[i] = m.add(gradient[i], m.mul(w, a));
        gradient[j] = m.add(gradient[j], m.mul(w, x[j]));
        return m.mul(m.mul(0.5, m.sub(l, 1)), m.sub(l, 1));
      });
      return { e: [folds.left('add', terms)], gradient };
    });
    expect(kernels).toBeLessThanOrEqual(10);
  });

  it('may be sums of sums, feed elements of other sums, and be several', () => {
    const { kernels } = agrees(2000, (x) => {
      const mean = m.div(folds.left('add', x), x.length);
      const deviations = x.map((v) => m.sub(v, mean));
      const s = m.sqrt(
        m.div(
          folds.left(
            'add',
            deviations.map((v) => m.mul(v, v)),
          ),
          x.length,
        ),
      );
      const skew = folds.left(
        'add',
        deviations.map((v) => {
          const z = m.div(v, s);
          return m.mul(m.mul(z, z), m.sin(z));
        }),
      );
      const weighted = folds.left(
        'add',
        x.map((v, i) => m.mul(1 + (i % 11), m.exp(m.neg(m.mul(v, v))))),
      );
      return { out: [mean, s, skew], weighted: [weighted] };
    });
    expect(kernels).toBeLessThanOrEqual(10);
  });

  it('run over regions, each the sum of some thousand elements', () => {
    const { kernels, launches } = agrees(6000, (x) => {
      const e = ring(x, energy);
      return {
        regions: Array.from({ length: 6 }, (_, r) => folds.left('add', e.slice(1000 * r, 1000 * (r + 1) - 7 * r))),
      };
    });
    expect(kernels).toBe(1);
    expect(launches).toBe(1);
  });

  it('have elements of several kinds, and elements that share differently', () => {
    const { kernels } = agrees(1500, (x) => {
      const terms = ring(x, (a, b, c) => {
        const u = m.sin(m.mul(a, b));
        return m.mul(u, c === a ? u : m.cos(m.mul(b, c)));
      }).map((t, i) => (i % 3 === 0 ? m.sqrt(m.add(1, m.mul(t, t))) : i % 3 === 1 ? m.neg(t) : m.max(t, x[i])));
      return { e: [folds.left('add', terms)] };
    });
    expect(kernels).toBeLessThanOrEqual(2);
  });

  it('are added in the order of the program where that counts', () => {
    const n = 3000;
    const run = (x: Vector): Record<string, Num[]> => ({
      s: [folds.left('add', x)],
      e: [folds.left('add', ring(x, energy))],
    });
    const x = Float64Array.from(numbers(n, 5), (v, i) => (v - 1) * 10 ** (i % 9));
    const { outputs } = runProgram(both(n, run).program, { x }, {}, 'exact');
    const expected = run([...x]);
    expect(outputs.s[0]).toBe(expected.s[0]);
    expect(outputs.e[0]).toBe(expected.e[0]);
  });

  it('do not depend on whether the number of terms fits parts and lanes', () => {
    for (const n of [1023, 1024, 1025, 1536, 2047, 2049])
      agrees(n, (x) => ({
        e: [folds.left('add', x)],
        most: [
          folds.left(
            'max',
            ring(x, (a, b) => m.sub(a, b)),
          ),
        ],
      }));
  });
});

describe('products', () => {
  const n = 1000;
  /* Neither too large nor too small on the way. */
  const near1 = Float64Array.from(numbers(n, 3), (v) => (v - 1) / 8 + (v > 1 ? 1 : -1));
  const sizeOf = ({ module }: { readonly module: { readonly kernels: unknown } }): number =>
    JSON.stringify(module.kernels).length;

  it.each(Object.keys(folds) as Fold[])('of many factors are one loop, folded %s, in the order that counts', (fold) => {
    const run = (x: Vector): Record<string, Num[]> => ({
      of: [folds[fold]('mul', x)],
      ofSums: [
        folds[fold](
          'mul',
          x.map((v, i) => m.add(1, m.mul(v, x[(i + 5) % n]))),
        ),
      ],
    });
    for (const arithmetic of ['exact', 'range-keeping', 'algebraic'] as const) {
      const { outputs, specialized } = runProgram(both(n, run).program, { x: near1 }, {}, arithmetic);
      const expected = run([...near1]);
      const inOrder = arithmetic !== 'algebraic' && fold !== 'pairs';
      for (const name of ['of', 'ofSums']) {
        if (inOrder) expect(outputs[name][0]).toBe(expected[name][0]);
        expect(relativeError(outputs[name], expected[name] as number[])).toBeLessThan(1e-11);
      }
      if (fold !== 'pairs' || arithmetic === 'algebraic') expect(sizeOf(specialized)).toBeLessThan(20_000);
    }
  });

  it('of one factor again and again are powers where the order does not count', () => {
    const run = ([x, y]: Vector): Record<string, Num[]> => ({
      p: [Array.from({ length: 300 }).reduce<Num>((p) => m.mul(p, x), y)],
    });
    const { outputs, specialized } = runProgram(both(2, run).program, { x: [1.01, 3] }, {}, 'algebraic');
    expect(relativeError(outputs.p, [3 * 1.01 ** 300])).toBeLessThan(1e-12);
    expect(JSON.stringify(specialized.module.kernels).match(/"arith.mul"/g)!.length).toBeLessThan(20);
  });

  it('of which each part is read again are neither evaluated by each reader nor in one long kernel', () => {
    const factor = (v: Num): Num => m.add(1, m.mul(0.01, m.mul(v, v)));
    /* Prefixes times suffixes, as the derivative of a product has them. */
    const others = (x: Vector): Record<string, Num[]> => {
      const [before, after] = [new Array<Num>(n), new Array<Num>(n)];
      for (let i = 0, p: Num = 1; i < n; i++) [before[i], p] = [p, m.mul(p, factor(x[i]))];
      for (let i = n - 1, p: Num = 1; i >= 0; i--) [after[i], p] = [p, m.mul(p, factor(x[i]))];
      return { others: before.map((p, i) => m.mul(m.mul(p, after[i]), x[i])) };
    };
    /* What passes through layers that each absorb some. */
    const passed = (x: Vector): Record<string, Num[]> => {
      let [through, sum]: Num[] = [1, 0];
      for (const v of x) {
        const a = m.mul(0.001, m.mul(v, v));
        sum = m.add(sum, m.mul(m.mul(through, a), v));
        through = m.mul(through, m.sub(1, a));
      }
      return { sum: [sum], through: [through] };
    };
    for (const run of [others, passed])
      for (const arithmetic of ['exact', 'algebraic'] as const) {
        const { outputs, specialized } = runProgram(both(n, run).program, { x: near1 }, {}, arithmetic);
        for (const [name, values] of Object.entries(run([...near1]))) {
          if (arithmetic === 'exact') expect([...outputs[name]]).toEqual(values);
          else expect(relativeError(outputs[name], values as number[])).toBeLessThan(1e-11);
        }
        expect(sizeOf(specialized), `${run.name}, ${arithmetic}`).toBeLessThan(100_000);
      }
  });
});

describe('maxima and minima', () => {
  it.each(Object.keys(folds) as Fold[])('of many entries are loops, folded %s', (fold) => {
    const { kernels, module } = agrees(3000, (x) => ({
      most: [folds[fold]('max', x)],
      least: [folds[fold]('min', ring(x, energy))],
    }));
    expect(kernels).toBe(2);
    expect(JSON.stringify(module.kernels).length).toBeLessThan(60_000);
  });

  it('that are subtracted from many are stored, and not evaluated by each of them', () => {
    const n = 24;
    const rows = 6;
    const run = (x: Vector): Record<string, Num[]> => ({
      y: Array.from({ length: rows }, (_, r) => x.slice(r * n, (r + 1) * n)).flatMap((row) => {
        const most = row.reduce((a, b) => m.max(a, b));
        return row.map((v) => m.exp(m.sub(v, most)));
      }),
    });
    const { module } = agrees(n * rows, run);
    const maxima = (printModule(module).match(/arith\.max/g) ?? []).length;
    expect(maxima).toBeLessThan(n);
    const temporaries = module.buffers.find(({ role }) => role === 'temp')?.length ?? 0;
    expect(temporaries).toBeGreaterThanOrEqual(rows);
  });

  it('are terms of sums, and have sums as terms', () => {
    const { kernels } = agrees(4000, (x) => {
      const rows = Array.from({ length: 400 }, (_, r) => x.slice(10 * r, 10 * r + 10));
      return {
        s: [
          folds.left(
            'add',
            rows.map((r) => folds.left('max', r)),
          ),
        ],
        t: [
          folds.left(
            'max',
            rows.map((r) => folds.left('add', r)),
          ),
        ],
      };
    });
    expect(kernels).toBe(2);
  });

  it('hold infinities and signed zeros as Math.max does', () => {
    const n = 700;
    const x = Float64Array.from({ length: n }, (_, i) => (i === 333 ? -0 : i === 500 ? -Infinity : -1 - i));
    const program = both(n, (v) => ({ most: [folds.left('max', v)], least: [folds.left('min', v)] })).program;
    const { outputs } = runProgram(program, { x }, {}, 'exact');
    expect(outputs.most[0]).toBe(-0);
    expect(outputs.least[0]).toBe(-Infinity);
  });
});

describe('sums of random elements', () => {
  it('equal plain evaluation, in few kernels', () => {
    fc.assert(
      fc.property(
        fc.array(recipe(4), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 150, max: 1400 }),
        fc.constantFrom<Fold>('left', 'right', 'pairs'),
        fc.constantFrom<Join>('add', 'max', 'min'),
        fc.constantFrom<'algebraic' | 'exact'>('algebraic', 'exact'),
        (kinds: readonly Recipe[], n, fold, op, identity) => {
          const run = (x: Vector): Record<string, Num[]> => {
            const terms = x.map((v, i) =>
              kinds[i % kinds.length]([v, x[(i + 1) % n], x[(i * 5 + 2) % n], 1 + (i % 4)]),
            );
            const total = folds[fold](op, terms);
            return {
              total: [total],
              after: [
                folds.left(
                  'add',
                  x.slice(0, 100).map((v) => m.mul(v, total)),
                ),
              ],
            };
          };
          const { program, plain } = both(n, run);
          const x = numbers(n, n + 1);
          const { outputs, specialized } = runProgram(program, { x }, {}, identity);
          const expected = plain([...x]);
          const size = terms(kinds, x).reduce((s, t) => s + Math.abs(t), 1e-300);
          expect(Math.abs(outputs.total[0] - (expected.total[0] as number)) / size).toBeLessThan(1e-12);
          expect(Math.abs(outputs.after[0] - (expected.after[0] as number)) / size / 150).toBeLessThan(1e-12);
          expect(specialized.kernels).toBeLessThanOrEqual(24);
        },
      ),
      { numRuns: 30 },
    );
  });
});

const terms = (kinds: readonly Recipe[], x: ArrayLike<number>): number[] =>
  Array.from(x, (v, i) =>
    Number(kinds[i % kinds.length]([v, x[(i + 1) % x.length], x[(i * 5 + 2) % x.length], 1 + (i % 4)])),
  );
