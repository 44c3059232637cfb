import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printModule, symbolicMath as m, type Num, type Watch } from '@filigree/ir';
import {
  decompose,
  defaultOptions,
  group,
  specialize,
  trace,
  type Grouping,
  type SpecializeOptions,
} from '@filigree/specialize';
import { recipe, type Recipe } from './recipes.js';
import { numbers, relativeError, right, runProgram } from './support.js';

const FEW = 100;

type Vector = readonly Num[];

const agrees = (
  n: number,
  run: (x: Vector) => Record<string, Num[]>,
  tolerance = 1e-9,
  identity: 'algebraic' | 'exact' = 'algebraic',
  group: Partial<SpecializeOptions['group']> = {},
) => {
  const x = numbers(n, n);
  const computed = (options: Partial<SpecializeOptions>) => {
    const made = runProgram({ inputs: { x: n }, run: ({ x }) => run(x as Num[]) }, { x }, options, identity);
    for (const [name, values] of Object.entries(run([...x])))
      expect(relativeError(made.outputs[name], values as number[]), name).toBeLessThan(tolerance);
    return made.specialized;
  };
  /* A team waits for itself between the levels of a step; the interpreter sees where it does not. */
  if (n <= FEW) computed({ emit: { ...defaultOptions.emit, teams: true } });
  return computed({ group: { ...defaultOptions.group, ...group } });
};

/** Every value of a recurrence. */
const scan = (x: Vector, f: (before: Num, v: Num, i: number) => Num): Num[] => {
  let s = x[0];
  return x.map((v, i) => (s = i === 0 ? v : f(s, v, i)));
};

const total = (x: Vector): Num => x.reduce((a, b) => m.add(a, b));

it('are told apart from level to level, of which there are more than hashes of 32 bits tell apart', () => {
  const n = 200_000;
  const operations = [
    m.add,
    m.mul,
    (s: Num, v: Num): Num => m.sub(v, s),
    (s: Num, v: Num): Num => m.div(s, v),
  ] as const;
  const traced = trace().run({
    inputs: { x: n },
    run: ({ x }) => {
      let seed = 1;
      return {
        y: scan(x as Num[], (s, v) => {
          seed = (seed * 48271) % 2147483647;
          return operations[seed % 4](s, v);
        }),
      };
    },
  });
  const d = right(decompose().run(right(traced)));
  const inOrder = right(group().run(d)).groups.map(({ units, level, repeated }) =>
    units.every((u, i) => (repeated ? i === 0 || d.level[u] > d.level[units[i - 1]] : d.level[u] === level)),
  );
  expect(inOrder).toEqual(inOrder.map(() => true));
});

describe('recurrences', () => {
  it.each<[string, (s: Num, v: Num, i: number) => Num]>([
    ['a prefix sum', (s, v) => m.add(s, v)],
    ['a prefix maximum', (s, v) => m.max(s, v)],
    ['a linear recurrence', (s, v) => m.add(m.mul(0.75, s), v)],
    ['a filter with coefficients of its own', (s, v, i) => m.add(m.div(s, 2 + (i % 5)), v)],
    ['a recurrence that is not linear', (s, v) => m.div(m.add(m.sqrt(m.add(1, m.mul(s, s))), v), 2)],
  ])('%s is a loop, however long it is', (_, f) => {
    const sizes = [100, 3000].map((n) => agrees(n, (x) => ({ y: scan(x, f) })));
    expect(sizes[1].kernels).toBeLessThanOrEqual(5);
    expect(sizes[1].kernels).toBe(sizes[0].kernels);
    expect(JSON.stringify(sizes[1].module.kernels).length).toBeLessThan(20_000);
  });

  it('on the rows of a grid need no tables, also on teams', () => {
    const side = 40;
    const heat = ({ x }: Record<string, Num[]>): Record<string, Num[]> => {
      let u: readonly Num[] = x;
      for (let step = 0; step < 12; step++) {
        const now = u;
        u = now.map((own, k) => {
          if ([Math.floor(k / side), k % side].some((i) => i === 0 || i === side - 1)) return own;
          const around = [now[k - 1], now[k + 1], now[k - side], now[k + side]].reduce((a, b) => m.add(a, b));
          return m.add(own, m.mul(0.1, m.sub(around, m.mul(4, own))));
        });
      }
      return { y: [...u] };
    };
    const x = numbers(side ** 2, 5);
    const program = { inputs: { x: side ** 2 }, run: (given: unknown) => heat(given as never) };
    for (const teams of [false, true]) {
      const emit = { ...defaultOptions.emit, teams };
      const { outputs, specialized } = runProgram(program, { x }, { emit }, 'exact');
      expect([...outputs.y]).toEqual(heat({ x: [...x] }).y);
      expect(specialized.indexBytes).toBeLessThan(4 * side ** 2);
    }
  });

  it('of several values, of which only the last are asked for', () => {
    const lorenz = (steps: number) =>
      agrees(3, (x) => {
        let [a, b, c] = x;
        for (let i = 0; i < steps; i++) {
          const [u, v, w] = [
            m.mul(10, m.sub(b, a)),
            m.sub(m.mul(a, m.sub(28, c)), b),
            m.sub(m.mul(a, b), m.mul(8 / 3, c)),
          ];
          [a, b, c] = [m.add(a, m.mul(0.001, u)), m.add(b, m.mul(0.001, v)), m.add(c, m.mul(0.001, w))];
        }
        return { end: [a, b, c] };
      });
    const sizes = [100, 2000].map(lorenz);
    expect(sizes[1].kernels).toBeLessThanOrEqual(12);
    expect(sizes[1].kernels).toBe(sizes[0].kernels);
  });

  it('on a grid, step by step', () => {
    const { kernels } = agrees(40, (x) => {
      let u = [...x];
      for (let t = 0; t < 60; t++)
        u = u.map((v, i) => m.mul(0.25, m.add(m.add(u[(i + 39) % 40], m.mul(2, v)), m.sin(u[(i + 1) % 40]))));
      return { u };
    });
    expect(kernels).toBeLessThanOrEqual(8);
  });

  it('with sums over all values in every step', () => {
    const { kernels } = agrees(1200, (x) => {
      let u = [...x];
      for (let t = 0; t < 20; t++) {
        const s = m.sqrt(total(u.map((v) => m.mul(v, v))));
        u = u.map((v, i) => m.div(m.add(v, m.mul(0.5, u[(i + 1) % u.length])), s));
      }
      return { u };
    });
    expect(kernels).toBeLessThanOrEqual(16);
  });

  it('of small matrices are powers, whose code does not grow with the exponent', () => {
    const power = (k: number) =>
      agrees(9, (x) => {
        let p = [...x];
        for (let n = 1; n < k; n++)
          p = p.map((_, e) =>
            total([0, 1, 2].map((q) => m.mul(m.mul(0.4, p[3 * Math.floor(e / 3) + q]), x[3 * q + (e % 3)]))),
          );
        return { p };
      });
    for (const k of [2, 5, 12, 16]) expect(power(k).kernels, `power ${k}`).toBeLessThanOrEqual(3);
    const sizes = [64, 700].map((k) => JSON.stringify(power(k).module.kernels).length);
    expect(sizes[1]).toBeLessThan(1.1 * sizes[0]);
  });

  it('that run side by side', () => {
    const { kernels } = agrees(300, (x) => ({
      rows: Array.from({ length: 10 }, (_, r) =>
        scan(x.slice(30 * r, 30 * r + 30), (s, v) => m.add(m.mul(s, 0.5), v)),
      ).flat(),
    }));
    expect(kernels).toBeLessThanOrEqual(5);
  });

  it('over rows of which a step has now these and now those: a triangular matrix of a random band', () => {
    const solve = (rows: number) => {
      const reads = Array.from({ length: rows }, (_, i) =>
        [...new Set([1, 2, 3].map((k) => i - 1 - ((i * i * 31 + k * 17 + i * k * k) % 23)))].filter(
          (j, k) => j >= 0 && (i + k) % 3 > 0,
        ),
      );
      return agrees(rows, (x) => {
        const y: Num[] = [];
        for (const [i, of] of reads.entries())
          y.push(
            m.div(
              of.reduce<Num>((sum, j, k) => m.sub(sum, m.mul(x[(i + k) % rows], y[j])), x[i]),
              m.add(4, x[(3 * i) % rows]),
            ),
          );
        return { y };
      });
    };
    const sizes = [600, 2400].map(solve);
    expect(sizes[1].kernels).toBeLessThanOrEqual(12);
    expect(sizes[1].launches).toBeLessThanOrEqual(4);
  });

  it('of random steps equal plain evaluation', () => {
    fc.assert(
      fc.property(
        fc.array(recipe(4, 6), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 20, max: 200 }),
        fc.boolean(),
        fc.constantFrom<'algebraic' | 'exact'>('algebraic', 'exact'),
        (steps: readonly Recipe[], n, all, identity) => {
          const calm = (v: Num): Num => m.div(v, m.add(1, m.mul(0.5, m.abs(v))));
          const run = (x: Vector): Record<string, Num[]> => {
            let state: Num[] = steps.map((_, k) => x[k]);
            const seen = x.map((v) => {
              state = steps.map((f, k) => calm(f([state[k], state[(k + 1) % state.length], v, 0.5 + k])));
              return state[0];
            });
            return all ? { seen, state } : { state };
          };
          agrees(n, run, 1e-6, identity);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('chains', () => {
  it('of 400,000 operations are cut into units of bounded length, which are a loop', () => {
    const alternating = agrees(2, ([a, b]) => {
      let s = a;
      for (let i = 0; i < 200_000; i++) s = m.add(m.mul(s, m.mul(0.25, a)), b);
      return { s: [s] };
    });
    expect(alternating.kernels).toBeLessThanOrEqual(8);
    const steep = agrees(2, ([a]) => {
      let s = a;
      for (let i = 0; i < 400_000; i++) s = m.sin(s);
      return { s: [s] };
    });
    expect(steep.kernels).toBeLessThanOrEqual(4);
  });

  it('may differ from step to step and then have an end', () => {
    agrees(50, (x) => ({
      y: scan(x, (s, v, i) => (i < 20 ? m.add(s, v) : i < 35 ? m.mul(s, m.div(v, 2)) : m.sub(v, s))),
    }));
  });
});

/** x of A·x = b, by elimination without pivots in a matrix of a random structure whose fill-in is its own. */
const eliminated = (n: number, seed: number, values: Vector): Num[] => {
  let state = seed;
  const below = (k: number): number => (state = (state * 48271) % 2147483647) % k;
  let next = 0;
  const input = (): Num => values[next++ % values.length];
  const rows = Array.from({ length: n }, (_, i) => new Map<number, Num>([[i, m.add(input(), 10)]]));
  const link = (i: number, j: number): void => {
    if (i === j || rows[i].has(j)) return;
    rows[i].set(j, input());
    rows[j].set(i, input());
  };
  for (let i = 1; i < n; i++) link(i, i - 1);
  for (let i = 9; i < n; i++) if (below(5) < 3) link(i, i - 1 - below(8));
  const x = rows.map(() => input());
  for (let k = 0; k < n; k++)
    for (let i = k + 1; i < n; i++) {
      const entry = rows[i].get(k);
      if (entry === undefined) continue;
      const factor = m.div(entry, rows[k].get(k)!);
      for (const [j, v] of rows[k]) if (j > k) rows[i].set(j, m.sub(rows[i].get(j) ?? 0, m.mul(factor, v)));
      x[i] = m.sub(x[i], m.mul(factor, x[k]));
    }
  for (let i = n - 1; i >= 0; i--) {
    for (const [j, v] of rows[i]) if (j > i) x[i] = m.sub(x[i], m.mul(v, x[j]));
    x[i] = m.div(x[i], rows[i].get(i)!);
  }
  return x;
};

it.each([
  ['exact', 64],
  ['algebraic', 192],
] as const)('eliminations of sparse matrices take few kernels, %s', (identity, few) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
      const { kernels } = agrees(110, (x) => ({ y: eliminated(110, seed, x) }), 1e-12, identity);
      expect(kernels).toBeLessThan(few);
    }),
    { numRuns: 6 },
  );
});

/** The discrete Fourier transform of n numbers, a power of two, level by level. */
const transformed = (n: number, x: Vector): { re: Num[]; im: Num[] } => {
  const bits = Math.log2(n);
  const turned = (i: number): number => Array.from({ length: bits }, (_, k) => ((i >> k) & 1) << (bits - 1 - k)).reduce((a, b) => a | b); // prettier-ignore
  const re = Array.from({ length: n }, (_, i) => x[turned(i)]);
  const im = Array.from({ length: n }, (_, i) => x[n + turned(i)]);
  for (let s = 1; s < n; s *= 2)
    for (let o = 0; o < n; o += 2 * s)
      for (let k = 0; k < s; k++) {
        const [c, d] = [Math.cos((Math.PI * k) / s), -Math.sin((Math.PI * k) / s)];
        const [p, q] = [o + k, o + k + s];
        const a = m.sub(m.mul(re[q], c), m.mul(im[q], d));
        const b = m.add(m.mul(re[q], d), m.mul(im[q], c));
        [re[p], re[q]] = [m.add(re[p], a), m.sub(re[p], a)];
        [im[p], im[q]] = [m.add(im[p], b), m.sub(im[p], b)];
      }
  return { re, im };
};

it.each([
  [64, 'exact'],
  [256, 'exact'],
  [64, 'algebraic'],
  [256, 'algebraic'],
  [1024, 'algebraic'],
] as const)('Fourier transforms of %i numbers take a few kernels a level, %s', (n, identity) => {
  const { kernels } = agrees(2 * n, (x) => ({ ...transformed(n, x) }), 1e-12, identity);
  expect(kernels).toBeLessThan(10 * Math.log2(n));
});

it.each(['exact', 'algebraic'] as const)(
  'a recurrence that begins and ends in another way asks nothing in its steps, and has no tables (%s)',
  (identity) => {
    const filtered = (x: Vector): Record<string, Num[]> => {
      let [z, w]: [Num, Num] = [0, 0];
      return {
        y: x.map((v) => {
          const out = m.add(m.mul(0.25, v), z);
          z = m.add(m.sub(m.mul(0.5, v), m.mul(0.125, out)), w);
          w = m.sub(m.mul(0.75, v), m.mul(0.0625, out));
          return out;
        }),
      };
    };
    const { module, indexBytes } = agrees(500, filtered, 1e-12, identity);
    const text = printModule(module);
    expect(text).not.toMatch(/scf\.if|arith\.select/);
    expect(indexBytes).toBeLessThan(64);
    expect(text.match(/scf\.for/g)!.length).toBe(1);
  },
);

it('eliminations keep a kernel a step where as many are asked for', () => {
  const solve = (x: Vector) => ({ y: eliminated(110, 5, x) });
  const kept = agrees(110, solve, 1e-12, 'exact', { mostGroups: Infinity });
  expect(kept.kernels).toBeGreaterThan(4 * agrees(110, solve, 1e-12, 'exact').kernels);
});

/** Operations on two of the last 400 values each. */
const unlike = (n: number, values: Vector): Num[] => {
  let state = 7;
  const below = (k: number): number => (state = (state * 48271) % 2147483647) % k;
  const all = [...values];
  const recent = (): Num => all[all.length - 1 - below(Math.min(400, all.length))];
  for (let i = 0; i < n; i++) all.push([m.add, m.sub, m.min, m.max][below(4)](recent(), recent()));
  return all.slice(-40);
};

it('what has no parts alike is loops at once: that storing more leaves too many is asked once', () => {
  const n = 20_000;
  expect(agrees(100, (x) => ({ y: unlike(n, x) }), 1e-12, 'exact').kernels).toBeLessThan(20);
  const traced = right(
    trace({ arithmetic: 'exact' }).run({ inputs: { x: 100 }, run: ({ x }) => ({ y: unlike(n, x as Num[]) }) }),
  );
  const cuts: number[] = [];
  const watch: Watch = { after: ({ pass, output }) => pass.name === 'group' && cuts.push(groupsOf(output)) };
  right(specialize()(traced, watch));
  const [first, stored, ...loops] = cuts;
  expect(Math.min(first, stored)).toBeGreaterThan(192);
  expect(loops.length).toBeLessThanOrEqual(2);
});

const groupsOf = (grouped: unknown): number => (grouped as Grouping).groups.length;
