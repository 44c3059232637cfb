import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coreDialects,
  interpret,
  printModule,
  symbolicMath as m,
  verifyModule,
  type Num,
  type Op,
  type Region,
} from '@filigree/ir';
import {
  decompose,
  defaultOptions,
  group,
  harvest,
  order,
  overridesFor,
  place,
  specialize,
  trace,
  type Program,
  type SpecializeOptions,
} from '@filigree/specialize';
import { both, numbers, relativeError, right, runProgram } from './support.js';

const list = (x: unknown): Num[] => x as Num[];
const d = defaultOptions;

/** Per-element work with shared parts, functions, constants that vary, selects, and sums over elements. */
const elements = (n: number): { program: Program; plain: (x: readonly Num[]) => Num[][] } => {
  const plain = (x: readonly Num[]): Num[][] => {
    const energy: Num[] = [];
    const force: Num[] = new Array<Num>(n).fill(0);
    for (let e = 0; e + 2 < n; e++) {
      const [a, b, c] = [x[e], x[e + 1], x[e + 2]];
      const u = m.sub(b, a);
      const v = m.sub(c, b);
      const r = m.sqrt(m.add(m.add(m.mul(u, u), m.mul(v, v)), 1));
      const q = m.div(m.mul(u, v), r);
      energy.push(m.add(m.div(m.sin(q), 1 + (e % 7)), m.select(m.lt(u, v), m.mul(q, 2), m.abs(u))));
      [a, b, c].forEach((w, k) => {
        force[e + k] = m.add(force[e + k], m.div(m.mul(q, w), m.add(r, 0.5)));
      });
    }
    return [energy, force];
  };
  return {
    program: {
      inputs: { x: n },
      run: ({ x }, { block }) => {
        const [energy, force] = plain(list(x));
        return { energy: block(energy.slice(0, 4)).concat(energy.slice(4)), force };
      },
    },
    plain,
  };
};

describe('every stage can be switched off', () => {
  const variants: Record<string, Partial<SpecializeOptions>> = {
    'all stages': {},
    'no global decomposition': { decompose: { ...d.decompose, global: false } },
    'no tags': { decompose: { ...d.decompose, tags: false } },
    'no block detection': { decompose: { ...d.decompose, detectBlocks: false } },
    'no local decomposition': { decompose: { ...d.decompose, local: false } },
    'no blocks at all': { decompose: { ...d.decompose, detectBlocks: false, tags: false } },
    'everything shared is stored': {
      decompose: { ...d.decompose, minComplexity: 0, detectBlocks: false, tags: false },
    },
    'short sums cut': { decompose: { ...d.decompose, maxSumTerms: 2 } },
    'every sum rolled': { group: { ...defaultOptions.group, maxUnrolledTerms: 1, minUnrolledInstances: 1e9 } },
    'no simplification': { simplify: false },
    'sums kept': { simplify: { ...enabled(d.simplify), keepSums: true } },
    'no coherence': { place: { ...d.place, coherence: false } },
    'tables without pieces': { place: { ...d.place, pieces: false } },
    'wide tables': { place: { ...d.place, narrow: false } },
    'small tiles': { place: { ...d.place, tileBytes: 128 } },
    'tiles of equally many instances': { place: { ...d.place, tileInstances: 7 } },
    'tiles that go on with the next launch': { place: { ...d.place, fusedBytes: 16 } },
    'no tiles': { place: { ...d.place, tileBytes: 0 } },
    'teams of threads': { emit: { ...d.emit, teams: true } },
    'teams, and no tiles': { place: { ...d.place, tileBytes: 0 }, emit: { ...d.emit, teams: true } },
    'teams, and small tiles': {
      place: { ...d.place, tileBytes: 128, fusedBytes: 0 },
      emit: { ...d.emit, teams: true },
    },
    'teams, and sums rolled': {
      group: { ...defaultOptions.group, maxUnrolledTerms: 1, minUnrolledInstances: 1e9 },
      emit: { ...d.emit, teams: true },
    },
    'no lanes, one thread': { emit: { simd: false, parallel: false, teams: false } },
    'nothing at all': {
      decompose: { ...d.decompose, global: false, tags: false, detectBlocks: false },
      simplify: false,
      place: { coherence: false, pieces: false, narrow: false, tileBytes: 0, tileInstances: 0, fusedBytes: 0 },
      emit: { simd: false, parallel: false, teams: false },
    },
  };
  const n = 60;
  const x = numbers(n, 11);
  const { program, plain } = elements(n);
  const [energy, force] = plain([...x]) as number[][];
  for (const [name, options] of Object.entries(variants)) {
    it(`computes the same with ${name}`, () => {
      for (const identity of ['algebraic', 'exact'] as const) {
        const { outputs } = runProgram(program, { x }, options, identity);
        expect(relativeError(outputs.energy, energy)).toBeLessThan(1e-12);
        expect(relativeError(outputs.force, force)).toBeLessThan(1e-12);
      }
    });
  }

  it('leaves nothing to one thread where there are teams, and launches once what is small', () => {
    const traced = right(trace().run(program));
    const kernelsOf = (options: Partial<SpecializeOptions>) => right(specialize(options)(traced)).module.kernels;
    expect(kernelsOf({}).length).toBeGreaterThan(1);
    const [kernel, ...others] = kernelsOf(overridesFor({ team: {} }) as Partial<SpecializeOptions>);
    expect(others).toEqual([]);
    const loops = kernel.body.ops.filter((op) => op.regions.length > 0);
    expect(loops.map(({ attrs }) => attrs.parallel)).toEqual([true]);
    const inside = loops[0].regions[0].ops.filter((op) => op.regions.length > 0);
    expect(inside.length).toBeGreaterThan(1);
    for (const { attrs } of inside) expect(attrs.team).toBe(true);
  });

  it('computes in f32 when asked to', () => {
    const traced = right(trace().run(program));
    const { module } = right(specialize({ dtype: 'f32' })(traced));
    expect(verifyModule(module, coreDialects)).toEqual([]);
    expect(module.buffers.filter((b) => b.type === 'f64')).toEqual([]);
    const out = { x: Float32Array.from(x), energy: new Float32Array(energy.length), force: new Float32Array(n) };
    right(interpret(module, coreDialects, out));
    expect(relativeError(out.energy, energy)).toBeLessThan(1e-5);
    expect(relativeError(out.force, force)).toBeLessThan(1e-5);
  });
});

/** The default is options, not `false`. */
function enabled<T>(x: T | false): T {
  if (x === false) throw new Error('simplification is off by default');
  return x;
}

describe('leaf harvesting', () => {
  it('finds repeated leaves, uniform and varying constants (App. B)', () => {
    /* (l₀·l₁·2 + sin(l₃ + l₄))·l₅ with leaves b b 2 a 3.1 a and c c 2 d 2.7 d. */
    const program: Program = {
      inputs: { x: 4 },
      run: ({ x }) => {
        const [a, b, c, e] = list(x);
        const tree = (p: Num, q: Num, k: number): Num => m.mul(m.add(m.mul(m.mul(p, p), 2), m.sin(m.add(q, k))), q);
        return { out: [tree(b, a, 3.1), tree(c, e, 2.7)] };
      },
    };
    const traced = right(trace().run(program));
    const { harvested } = right(harvest().run(right(group().run(right(decompose().run(traced))))));
    expect(harvested.length).toBe(1);
    const { columns, constants } = harvested[0].body!;
    const first = traced.inputs[0].firstNode;
    const read = columns.map((c) => [...c.nodes].map((id) => 'abcd'[id - first]).join('')).sort();
    expect(read).toEqual(['ad', 'bc']);
    expect(constants.map((c) => [...c])).toEqual([[3.1, 2.7]]);
  });

  it('finds a leaf that two terms of a sum read, wherever the terms and the leaf within them stand', () => {
    const n = 12;
    const program: Program = {
      inputs: { x: 6 * n },
      run: ({ x }) => {
        const out = Array.from({ length: n }, (_, i) => {
          const others = list(x).slice(6 * i, 6 * i + 6);
          const [own] = others.splice(i % 6, 1);
          const [a, b, c, e, f] = others;
          const terms = [m.mul(a, b), m.mul(c, e)];
          terms.splice(i % 3, 0, m.mul(own, f));
          return terms.reduce((sum, t) => m.add(sum, t), own);
        });
        return { out };
      },
    };
    const traced = right(trace({ arithmetic: 'range-keeping' }).run(program));
    const { harvested } = right(harvest().run(right(group().run(right(decompose().run(traced))))));
    expect(harvested.map((g) => g.body!.columns.length)).toEqual([6]);
    const first = traced.inputs[0].firstNode;
    const own = Array.from({ length: n }, (_, i) => first + 6 * i + (i % 6));
    expect(harvested[0].body!.columns.map((c) => [...c.nodes])).toContainEqual(own);
  });
});

describe('the form of a unit', () => {
  it.each([63, 64, 65, 127, 128, 129, 300])(
    'holds %i operations, each the first operand of the one before',
    (depth) => {
      const program: Program = {
        inputs: { x: 3 },
        run: ({ x }) => {
          const [a, b, c] = list(x);
          return {
            y: [Array.from({ length: depth }).reduce<Num>((w, _, k) => (k % 2 ? m.add(w, b) : m.mul(w, c)), a)],
          };
        },
      };
      const whole = right(decompose({ ...d.decompose, local: false }).run(right(trace().run(program))));
      const { harvested } = right(harvest().run(right(group().run(whole))));
      expect(harvested.map((g) => [g.units.length, g.body!.columns.length])).toEqual([[1, 3]]);
    },
  );
});

describe('the place of intermediates', () => {
  it('is side by side where one instance after the other loads each once, however often it refers to it', () => {
    const n = 100;
    const program: Program = {
      inputs: { a: n, b: n },
      run: ({ a, b }, { block }) => {
        const [x, y] = [list(a), list(b)];
        return {
          out: x.map((_, i) => {
            const [p, q] = block([m.sin(m.mul(x[i], y[i])), m.exp(m.add(x[i], y[i]))]);
            return m.div(m.add(m.mul(m.mul(p, p), q), m.sqrt(q)), m.add(m.mul(m.mul(q, q), p), m.cos(p)));
          }),
        };
      },
    };
    const grouped = right(
      group().run(
        right(decompose({ ...defaultOptions.decompose, detectBlocks: false }).run(right(trace().run(program)))),
      ),
    );
    const harvested = right(harvest().run(grouped));
    expect([...harvested.loadsOfLevel]).toEqual([2 * n, 0]);
    const { launches } = right(place().run(right(order().run(harvested))));
    expect(launches.map(({ groups }) => groups.length)).toEqual([1, 1]);
    expect(launches[1].groups[0].encoded.addresses).toEqual([
      { is: 'affine', base: n, stride: 1 },
      { is: 'affine', base: 0, stride: 1 },
      { is: 'affine', base: 0, stride: 1 },
    ]);
  });
});

describe('edge cases', () => {
  const close = (program: Program, inputs: Record<string, number[]>, expected: Record<string, number[]>): void => {
    const { outputs } = runProgram(program, inputs);
    for (const [name, values] of Object.entries(expected)) {
      expect(outputs[name].length).toBe(values.length);
      values.forEach((v, i) => expect(outputs[name][i]).toBeCloseTo(v, 12));
    }
  };

  it('takes programs without outputs, inputs, or both', () => {
    close({ inputs: {}, run: () => ({ out: [1, 2.5, 1] }) }, {}, { out: [1, 2.5, 1] });
    close({ inputs: { x: 2 }, run: () => ({ out: [] }) }, { x: [1, 2] }, { out: [] });
    close({ inputs: { x: 0 }, run: () => ({}) }, { x: [] }, {});
  });

  it('computes a value once that several outputs hold, and one that is both output and operand', () => {
    const program: Program = {
      inputs: { x: 2 },
      run: ({ x }) => {
        const [a, b] = list(x);
        const p = m.sin(m.mul(a, b));
        return { first: [p, m.add(p, a)], second: [m.cos(p), p] };
      },
    };
    const p = Math.sin(0.6);
    close(program, { x: [0.2, 3] }, { first: [p, p + 0.2], second: [Math.cos(p), p] });
    const { specialized } = runProgram(program, { x: [0.2, 3] });
    expect(JSON.stringify(specialized.module.kernels).split('"math.sin"').length - 1).toBe(1);
  });

  it('handles a value used as truth and truth used as a number', () => {
    const program: Program = {
      inputs: { x: 3 },
      run: ({ x }) => {
        const [a, b, c] = list(x);
        return { out: [m.select(m.or(m.lt(a, b), m.eq(b, c)), c, m.neg(c)), m.add(m.lt(a, b) as Num, 2)] };
      },
    };
    close(program, { x: [1, 2, 3] }, { out: [3, 3] });
    close(program, { x: [2, 1, 3] }, { out: [-3, 2] });
  });

  it('equals plain numbers on random programs of many alike elements, in algebraic identity too', () => {
    const step = fc.tuple(fc.constantFrom('add', 'sub', 'mul', 'max', 'hypot', 'div'), fc.nat(1000), fc.nat(1000));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), fc.integer({ min: 2, max: 40 }), (steps, copies) => {
        const run = (x: readonly Num[], k: number): Num[] => {
          const values: Num[] = [...x, 2, 0.25 + k];
          for (const [op, a, b] of steps)
            values.push(
              m[op as 'add'](values[values.length - 1 - (a % Math.min(values.length, 6))], values[b % values.length]),
            );
          return values.slice(x.length + 2);
        };
        /* Neighbours share an input, so that elements share work. */
        const all = (x: readonly Num[]): Num[] =>
          Array.from({ length: copies }, (_, c) => run(x.slice(2 * c, 2 * c + 3), c % 3)).flat();
        const x = numbers(2 * copies + 1, steps.length + copies);
        const expected = all([...x]) as number[];
        fc.pre(expected.every((v) => Number.isFinite(v) && Math.abs(v) < 1e4 && (v === 0 || Math.abs(v) > 1e-3)));
        const { outputs } = runProgram({ inputs: { x: x.length }, run: ({ x: s }) => ({ out: all(list(s)) }) }, { x });
        expected.forEach((v, i) => expect(Math.abs(outputs.out[i] - v)).toBeLessThan(1e-7 * (1 + Math.abs(v))));
      }),
      { numRuns: 120 },
    );
  });
});

/** Loops that have none within them. */
const innermost = function* (region: Region): Generator<Op> {
  for (const op of region.ops) {
    const inner = op.regions.flatMap((r) => [...innermost(r)]);
    yield* inner.length === 0 && op.name === 'scf.for' ? [op] : inner;
  }
};

const isTemporary =
  (name: string) =>
  (op: Op): boolean =>
    op.name === name && op.attrs['buffer'] === '@temp';

describe('instances that fill vector lanes', () => {
  /** Numbers of every row but its last, each by itself; `steps` say how much is computed of one. */
  const program = (rows: number, columns: number, steps: number): Program => ({
    inputs: { x: rows * columns },
    run: ({ x }) => ({
      y: list(x)
        .filter((_, i) => i % columns < columns - 1)
        .map((v) => Array.from({ length: steps }).reduce<Num>((w) => m.add(m.mul(w, w), v), v)),
    }),
  });
  const piecesOf = (steps: number, simd: boolean): number | undefined => {
    const options = { ...d, emit: { ...d.emit, simd } };
    const traced = right(trace().run(program(16, 100, steps)));
    const harvested = right(harvest().run(right(group().run(right(decompose().run(traced))))));
    const { launches } = right(place(options).run(right(order().run(harvested))));
    return launches[0].groups[0].encoded.pieces?.first.length;
  };

  it('are not cut into pieces for a few bytes of tables, since the ends of pieces fill none', () => {
    expect(piecesOf(1, true)).toBe(16);
    expect(piecesOf(24, true)).toBeUndefined();
    expect(piecesOf(24, false)).toBe(16);
  });

  it('read before them what all of them read of a buffer that they write, so that they can be put on lanes', () => {
    const n = 64;
    const at = [7, 5].map((k) => Int32Array.from({ length: n }, (_, e) => (k * e) % (n + 2)));
    const { outputs, plain, specialized } = both({ x: n + 2, k: 1 }, ({ x, k }, each) => {
      const half = m.mul(0.5, k[0]);
      const sums: Num[] = new Array<Num>(n + 2).fill(0);
      each(n, { x, sums, at }, ({ x, sums, at: [a, b] }) => {
        const d = m.sub(x[a], x[b]);
        const q = Array.from({ length: 24 }).reduce<Num>(
          (w) => m.add(m.mul(w, half), d),
          m.sqrt(m.add(m.mul(d, d), 1)),
        );
        sums[a] = m.add(sums[a], q);
        sums[b] = m.sub(sums[b], m.mul(q, d));
      });
      return { sums };
    });
    expect(relativeError(outputs.sums, plain.sums)).toBeLessThan(1e-13);
    const loops = specialized.module.kernels.flatMap(({ body }) => [...innermost(body)]);
    const onLanes = loops.filter(({ attrs }) => attrs['simd'] === true);
    expect(onLanes.some((loop) => loop.regions[0]!.ops.some(isTemporary('mem.store')))).toBe(true);
    for (const { regions } of onLanes) {
      const { ops, params } = regions[0]!;
      const within = new Set(
        [...params, ...ops.flatMap((op) => (op.name === 'arith.constant' ? [] : op.results))].map(({ id }) => id),
      );
      expect(ops.filter(isTemporary('mem.load')).every((op) => within.has(op.operands[0]!.id))).toBe(true);
    }
  });
});

describe('one instance', () => {
  it('is no loop, which compilers would put on lanes', () => {
    const program: Program = {
      inputs: { x: 12 },
      run: ({ x }) => ({ y: [list(x).reduce((a, b) => m.min(m.add(a, m.abs(b)), m.mul(a, b)))] }),
    };
    const { outputs, specialized } = runProgram(program, { x: numbers(12, 3) });
    expect(specialized.kernels).toBe(1);
    expect(printModule(specialized.module)).not.toContain('scf.for');
    const expected = numbers(12, 3).reduce((a, b) => Math.min(a + Math.abs(b), a * b));
    expect(relativeError(outputs.y, [expected])).toBeLessThan(1e-12);
  });
});

describe('levels of which each has other expressions', () => {
  /* Each number follows from one of the 50 before it and any other. */
  const given = 10;
  const compiled = (count: number) => {
    const random = numbers(3 * count, 7).map((r) => r - 0.5);
    const steps = Array.from({ length: count }, (_, k) => {
      const [first, end] = [Math.max(0, k - 50), k + given];
      return {
        op: (['add', 'sub', 'mul', 'max'] as const)[Math.floor(4 * random[3 * k])],
        a: first + Math.floor((end - first) * random[3 * k + 1]),
        b: Math.floor(end * random[3 * k + 2]),
      };
    });
    const program: Program = {
      inputs: { x: given },
      run: ({ x }) => {
        const v = [...list(x)];
        for (const { op, a, b } of steps) v.push(m[op](v[a], v[b]));
        return { y: v.slice(-50) };
      },
    };
    const x = numbers(given, 5);
    const { outputs, specialized } = runProgram(program, { x });
    const v = [...x];
    for (const { op, a, b } of steps)
      v.push({ add: v[a] + v[b], sub: v[a] - v[b], mul: v[a] * v[b], max: Math.max(v[a], v[b]) }[op]);
    expect([...outputs.y]).toEqual(v.slice(-50));
    return specialized;
  };

  it('have those that one step has alone behind a condition, and no lanes for a few', () => {
    const specialized = compiled(2000);
    const repeated = specialized.module.kernels.flatMap(({ body }) =>
      body.ops.filter((op) => op.name === 'scf.for').map((op) => op.regions[0].ops),
    );
    const all = repeated.flat();
    expect(all.filter((op) => op.name === 'scf.if').length).toBeGreaterThan(20);
    expect(all.filter((op) => op.name === 'scf.for' && op.attrs.simd === true)).toEqual([]);
  });

  it('have a loop for each operation, where they are very many', () => {
    expect(compiled(12_000).kernels).toBeLessThan(64);
  });
});

describe('the work of a launch', () => {
  /** Heavy instances that read one number and write one. */
  const program = (n: number): Program => ({
    inputs: { x: n },
    run: ({ x }) => ({
      y: list(x).map((v) => Array.from({ length: 20 }).reduce<Num>((w) => m.sin(m.add(m.mul(w, w), v)), v)),
    }),
  });

  it('is cut into tiles that threads can divide, though it moves few bytes', () => {
    const n = 20_000;
    const { specialized } = runProgram(program(n), { x: numbers(n, 1) });
    const [loop] = specialized.module.kernels[0].body.ops.filter((op) => op.name === 'scf.for');
    expect(loop.attrs.parallel).toBe(true);
    const starts = specialized.module.buffers.find((b) => b.name === 'index32')!.data!;
    expect(starts.length).toBeGreaterThan(8);
    /* What divides it is told how much there is: the bounds are in tables. */
    const inner = loop.regions[0].ops.filter((op) => op.name === 'scf.for');
    expect(inner.map((op) => op.attrs.trips)).toEqual([Math.ceil(n / (starts.length - 1))]);
  });
});
