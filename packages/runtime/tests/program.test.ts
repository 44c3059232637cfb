import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError, fail, pass, type Diagnostic, type Module, type Pipeline } from '@filigree/ir';
import {
  active,
  append,
  array,
  assumeInRange,
  cache,
  deactivate,
  hostGrid,
  i32,
  idiv,
  kernel,
  length,
  ndrange,
  random,
  serially,
  range,
  seedRandom,
  u32,
  vec,
  vector,
  type Grid1,
  type Grid2,
  type KernelDef,
  type Vec,
  type VecGrid1,
} from '@filigree/lang/kernels';
import { program, type Fields, type Kernels, type Program, type ProgramOptions } from '@filigree/runtime';
import { fieldPipeline } from '@filigree/runtime/pipeline';
import { dense, field, hash, i, ij, j, layout, storageOf, vectorField, type FieldDecl } from '@filigree/sparse/fields';
import { interpreter } from './interpreter.js';

const make = async <const K extends Kernels, F extends Fields = Readonly<Record<string, FieldDecl>>>(
  options: ProgramOptions<K, F>,
): Promise<Program<K, F>> => {
  const made = await program(options)();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

const refused = async (options: ProgramOptions): Promise<readonly Diagnostic[]> => {
  const made = await program(options)();
  if (E.isRight(made)) throw new Error('nothing was refused');
  return made.left;
};

const refusal = (act: () => unknown): Diagnostic => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
  throw new Error('nothing was refused');
};

const u = field('u', 'f32');
const v = field('v', 'f32');
const x = vectorField('x', 'f32', 2);
const n = field('n', 'i32');
const tree = layout(
  dense(ij, 2).pointer().dense(ij, 8).place(u, v),
  dense(i, 64).place(x),
  dense(i, 4).dynamic([1], 3).place(n),
);

const c = field('c', 'i32');
const row = layout(dense(i, 4).place(c));

const diffuse = kernel([u, v, 'f32'], (u: Grid2, v: Grid2, dt: number) => {
  for (const i of range(1, 15))
    for (const j of range(1, 15))
      v[i][j] = u[i][j] + dt * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j]);
});

const total = kernel([v], (v: Grid2) => {
  let sum = 0.0;
  for (const i of range(16)) for (const j of range(16)) sum += v[i][j];
  return sum;
});

const scaled = kernel([array('f64', 100), 'f64'], (a: number[], by: number) => {
  for (const k of range(a.length)) a[k] = a[k] * by;
});

const dot = kernel([array('i32', 50), array('i32', 50)], (a: number[], b: number[]) => {
  let sum = 0;
  for (const k of range(a.length)) sum += a[k] * b[k];
  return sum;
});

const scatter = kernel([x, 'u8'], (x: VecGrid1<2>, times: number) => {
  for (const p of range(64)) x[p] = vec(random(), random()).mul(times);
});

const every = [cpp(), wasm(), interpreter()];

for (const backend of every) {
  const { usable } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`a program on ${backend.name}`, () => {
    it('runs kernels on its fields, and gives what they return', async () => {
      const sim = await make({ backend, layout: tree, kernels: { diffuse, total } });
      sim.fields.u.set([8, 8], 1);
      sim.run.diffuse(0.125);
      expect(sim.fields.v.get([8, 8])).toBe(0.5);
      expect(sim.fields.v.get([7, 8])).toBe(0.125);
      expect(sim.run.total()).toBeCloseTo(1, 6);
      expect(await sim.launch.total()).toBeCloseTo(1, 6);
      expect(sim.run.diffuse(0)).toBeUndefined();
      expect(sim.warnings).toEqual([]);
      sim.dispose();
    });

    it('takes arrays in, and gives back those that it writes', async () => {
      const sim = await make({ backend, layout: tree, kernels: { scaled, dot } });
      const a = Float64Array.of(1, 2, 3);
      sim.run.scaled(a, 2);
      sim.run.scaled(a.subarray(1), 10);
      expect([...a]).toEqual([2, 40, 60]);
      const [b, c] = [Int32Array.of(1, 2, 3), Int32Array.of(4, 5, 6)];
      expect([sim.run.dot(b, c), sim.run.dot(b.subarray(0, 0), c)]).toEqual([32, 0]);
      expect([...b, ...c]).toEqual([1, 2, 3, 4, 5, 6]);
      await sim.launch.scaled(a, 0.5);
      expect([...a]).toEqual([1, 20, 30]);
      sim.dispose();
    });

    it('draws random numbers that follow from the seed', async () => {
      const sim = await make({ backend, layout: tree, kernels: { scatter }, fields: { x }, seed: 7 });
      const draw = (): readonly number[] => {
        sim.run.scatter(1);
        return [...sim.fields.x.toArray()].map(Number);
      };
      const [first, second] = [draw(), draw()];
      expect(new Set([...first, ...second]).size).toBeGreaterThan(250);
      expect(Math.min(...first, ...second)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...first, ...second)).toBeLessThan(1);
      /* On the host numbers have more bits. */
      const onHost = (launch: number): readonly number[] => {
        const grid = hostGrid([64], () => vec(0, 0));
        seedRandom(7, launch);
        (scatter.fn as (...args: unknown[]) => void)(grid, 1);
        return [...(grid as unknown as Iterable<Iterable<number>>)].flatMap((v) => [...v]);
      };
      const cut = (values: readonly number[]): readonly number[] =>
        values.map((v) => Math.floor(v * 2 ** 24) / 2 ** 24);
      expect([first, second]).toEqual([cut(onHost(0)), cut(onHost(1))]);
      sim.seed(7);
      expect(draw()).toEqual(first);
      const saved = sim.save();
      const third = draw();
      sim.seed(8);
      expect(draw()).not.toEqual(first);
      sim.load(saved);
      expect([...sim.fields.x.toArray()]).toEqual(first);
      expect(draw()).toEqual(third);
      expect(third).toEqual(second);
      sim.dispose();
    });

    it('says what a kernel ran out of, and goes on', async () => {
      const small = layout(
        dense(i, 64).pointer({ cells: 5 }).dense(i, 4).place(u),
        dense(i, 4).dynamic([1], 3).place(n),
      );
      const fill = kernel([u, 'i32'], (u: Grid1, count: number) => {
        for (const k of range(count)) u[4 * k] = 1;
      });
      const push = kernel([n, 'i32'], (n: Grid2, value: number) => {
        for (const k of range(4)) append(n[k], value + length(n[k]));
      });
      const sim = await make({ backend, layout: small, kernels: { fill, push } });
      sim.run.fill(5);
      expect(refusal(() => sim.run.fill(6))).toMatchObject({
        code: 'launch/exhausted',
        message: expect.stringMatching(
          /all 5 cells of dense\(i: 64\)\.pointer\(\).*kernel 'fill', where field 'u' is written/,
        ),
        remedy: expect.stringContaining('budget'),
        loc: { file: expect.stringMatching(/program\.test\.ts$/) },
        frame: expect.stringMatching(/> \d+ \|.*u\[4 \* k\] = 1;/),
      });
      expect(sim.fields.u.get(16)).toBe(1);
      sim.fields.u.deactivate(0);
      sim.run.fill(5);
      for (const value of [10, 20, 30]) sim.run.push(value);
      expect([...sim.fields.n.toArray()].slice(0, 3)).toEqual([10, 21, 32]);
      expect(refusal(() => sim.run.push(40))).toMatchObject({
        code: 'launch/list-full',
        message: expect.stringMatching(/dynamic\(j: 3\) is full.*appended/),
      });
      await expect(sim.launch.push(40)).rejects.toThrow(/launch\/list-full/);
      expect(sim.fields.n.length(2)).toBe(3);
      sim.dispose();
    });
  });
}

for (const backend of [cpp(), wasm()]) {
  const { usable } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`a program with threads on ${backend.name}`, () => {
    const far = layout(hash(ij, 64, { cells: 200 }).dense(ij, 4).pointer({ cells: 640 }).dense(ij, 4).place(u));
    const fill = kernel([u, 'i32'], (u: Grid2, shift: number) => {
      for (const [a, b] of ndrange(256, 4)) u[7 * (a % 16) - shift][11 * idiv(a, 16) + shift + b] += 1;
    });
    const thin = kernel([u, 'i32'], (u: Grid2, keep: number) => {
      for (const [i, j] of active(u)) if (u[i][j] !== 0 && (i + j) % keep !== 0) deactivate(u, i, j);
    });
    const count = kernel([u], (u: Grid2) => {
      let sum = 0.0;
      for (const [i, j] of active(u)) sum += u[i][j];
      return sum;
    });

    it('finds sums that do not fit, in debug mode, also in parallel', async () => {
      const many = kernel([n, 'i32'], (n: Grid2, x: number) => {
        for (const k of range(4)) append(n[k], 2 ** 30);
        for (const [i, j] of active(n)) n[i][j] += x;
      });
      const sim = await make({ backend, layout: tree, kernels: { many }, debug: true, threads: 2 });
      sim.run.many(2 ** 30 - 1);
      expect(sim.fields.n.get([3, 0])).toBe(2 ** 31 - 1);
      expect(refusal(() => sim.run.many(2 ** 30))).toMatchObject({
        code: 'launch/overflow',
        message: expect.stringMatching(/^\d+ \+ 1073741824 does not fit i32, in kernel 'many', .* field 'n'$/),
      });
      sim.dispose();
    });

    it('activates and gives back cells without losing any', async () => {
      const sim = await make({ backend, layout: far, kernels: { fill, thin, count }, threads: 2 });
      for (let round = 0; round < 80; round++) {
        sim.run.fill(round);
        expect(sim.run.count()).toBe(1024);
        if (round % 20 === 0) {
          const all = [...sim.fields.u.entries()].filter(([, x]) => x !== 0);
          expect(all.reduce((sum, [, x]) => sum + x, 0)).toBe(1024);
          for (const [[a, b], x] of all.slice(0, 50)) expect(sim.fields.u.get([a, b])).toBe(x);
        }
        if (round % 3 === 0) sim.fields.u.clear();
        else sim.run.thin(1000003);
        sim.fields.u.clear();
        expect(sim.run.count()).toBe(0);
      }
      sim.dispose();
    });
  });
}

describe('a program', () => {
  const backend = interpreter();

  it('shows in debug mode where an index leaves a field, and otherwise drops what is written there', async () => {
    const shift = kernel([u, 'i32'], { at: { file: 'sim.ts', line: 10, column: 5 } }, (u: Grid2, by: number) => {
      for (const k of range(8)) {
        u[k][0] = 1;
        u[k + by][3] = 2;
      }
    });
    const debug = await make({ backend, layout: tree, kernels: { shift }, debug: true });
    debug.run.shift(8);
    expect(refusal(() => debug.run.shift(9))).toMatchObject({
      code: 'launch/out-of-bounds',
      message: "index [16, 3] is outside field 'u', in kernel 'shift', where field 'u' is written",
      loc: { file: 'sim.ts', line: 13 },
      frame: expect.stringMatching(/> 13 \|\s+u\[k \+ by\]\[3\] = 2/),
      remedy: expect.stringContaining('i from 0 to 15, j from 0 to 15'),
    });
    debug.run.shift(0);
    const release = await make({ backend, layout: tree, kernels: { shift } });
    release.run.shift(1000);
    expect([...release.fields.u.entries()].filter(([, x]) => x !== 0).map(([at]) => at)).toEqual(
      Array.from({ length: 8 }, (_, k) => [k, 0]),
    );
  });

  describe('shows in debug mode where integers do not fit', () => {
    const [n, wide, narrow] = [field('n', 'i32'), field('wide', 'i64'), field('narrow', 'u8')];
    const numbers = layout(dense(i, 4).place(n, wide, narrow));
    const at = { file: 'sim.ts', line: 20, column: 5 };
    const run = async (def: KernelDef, debug: boolean, ...args: readonly number[]) => {
      const sim = await make({ backend, layout: numbers, kernels: { def }, debug });
      sim.fields.n.set([1], 2 ** 31 - 1);
      sim.fields.wide.set([1], 2n ** 62n);
      (sim.run.def as (...args: readonly number[]) => unknown)(...args);
      return sim;
    };
    const one = (name: string, fn: (n: Grid1, wide: Grid1, narrow: Grid1, x: number) => void) =>
      kernel([n, wide, narrow, 'i32'], { name, at }, fn);

    it.each<readonly [string, KernelDef, number, string]>([
      [
        'a sum',
        one('sum', (n, _wide, _narrow, x) => {
          n[0] = n[1] + x;
        }),
        1,
        "2147483647 + 1 does not fit i32, in kernel 'def', on the way into field 'n'",
      ],
      [
        'an accumulation',
        one('accumulate', (n, _wide, _narrow, x) => {
          for (const k of range(2)) n[k] += x;
        }),
        7,
        "2147483647 + 7 does not fit i32, in kernel 'def', on the way into field 'n'",
      ],
      [
        'a difference',
        one('difference', (n, _wide, _narrow, x) => {
          const a = -n[1] - x;
          n[0] = a > 0 ? 1 : 2;
        }),
        2,
        "-2147483647 - 2 does not fit i32, in kernel 'def'",
      ],
      [
        'a negative',
        one('negative', (n, _wide, _narrow, x) => {
          n[0] = -(-n[1] - x);
        }),
        1,
        "-(-2147483648) does not fit i32, in kernel 'def', on the way into field 'n'",
      ],
      [
        'a product',
        one('product', (n, _wide, _narrow, x) => {
          n[0] = n[1] * x;
        }),
        -2,
        "2147483647 * (-2) does not fit i32, in kernel 'def', on the way into field 'n'",
      ],
      [
        'a product of i64',
        one('wide', (_n, wide, _narrow, x) => {
          wide[0] = wide[1] * x;
        }),
        2,
        "4611686018427387904 * 2 does not fit i64, in kernel 'def', on the way into field 'wide'",
      ],
      [
        'a sum of i64',
        one('wideSum', (_n, wide, _narrow, x) => {
          wide[0] = wide[1] + wide[x];
        }),
        1,
        "4611686018427387904 + 4611686018427387904 does not fit i64, in kernel 'def', on the way into field 'wide'",
      ],
    ])('%s', async (_what, def, x, message) => {
      await run(def, true, 0);
      await run(def, false, x);
      const problem = await run(def, true, x).then(
        () => undefined,
        (e: unknown) => (e as DiagnosticError).diagnostics[0],
      );
      expect(problem).toMatchObject({ code: 'launch/overflow', message, loc: { file: 'sim.ts', line: 21 } });
    });

    it('but not where they are to wrap', async () => {
      const wrap = one('wrap', (n, _wide, narrow, x) => {
        for (const _k of range(1)) narrow[0] += 200;
        narrow[0] += 200;
        n[0] = i32(u32(x) * u32(2654435769)) ^ Math.imul(x, -559038737) ^ (x << 20);
        n[2] = Math.imul(65537, 65537);
        n[3] = ((i32(x) << 5) - i32(x) + 2 ** 31 - 1) | 0;
        let hash = 7;
        for (const k of serially(range(9))) hash = (31 * hash + k + i32(x)) >> 1;
        n[1] = hash;
        random();
      });
      const sim = await run(wrap, true, 123456789);
      expect(sim.fields.narrow.get([0])).toBe(400 & 255);
      expect(sim.fields.n.get([0])).toBe(
        Math.imul(123456789, 2654435769) ^ Math.imul(123456789, -559038737) ^ (123456789 << 20),
      );
      expect(sim.fields.n.get([2])).toBe(Math.imul(65537, 65537));
      expect(sim.fields.n.get([3])).toBe(((123456789 << 5) - 123456789 + 2 ** 31 - 1) | 0);
      let hash = 7;
      for (let k = 0; k < 9; k++) hash = (31 * hash + k + 123456789) >> 1;
      expect(sim.fields.n.get([1])).toBe(hash);
    });

    it('and where only some uses take the bits', async () => {
      const both = one('both', (n, _wide, _narrow, x) => {
        const sum = n[1] + x;
        n[0] = sum | 0;
        n[2] = sum;
      });
      await expect(run(both, true, 1)).rejects.toThrow('2147483647 + 1 does not fit i32');
    });
  });

  it('shows in debug mode where a promise is broken', async () => {
    const read = kernel([u, 'i32'], { at: { file: 'sim.ts', line: 10, column: 5 } }, (u: Grid2, by: number) => {
      for (const [i, j] of active(u)) {
        cache(u);
        u[assumeInRange(i + by, i, -1, 2)][j] += 1;
      }
    });
    const debug = await make({ backend, layout: tree, kernels: { read }, debug: true });
    debug.fields.u.set([3, 4], 1);
    debug.run.read(1);
    expect(refusal(() => debug.run.read(2))).toMatchObject({
      code: 'launch/promise',
      message: expect.stringMatching(/^\d+ is not from \d+ \+ -1 to below \d+ \+ 2, in kernel 'read'$/),
      loc: { file: 'sim.ts', line: 13 },
    });
  });

  it('ends a loop whose step is not positive, and shows it in debug mode', async () => {
    const steps = kernel([u, 'i32'], { at: { file: 'sim.ts', line: 10, column: 5 } }, (u: Grid2, by: number) => {
      for (const i of range(2)) {
        for (const j of range(0, 4, by)) {
          if (j > 2) break;
          u[i][j] += 1;
        }
      }
    });
    const [plain, debug] = [
      await make({ backend, layout: tree, kernels: { steps } }),
      await make({ backend, layout: tree, kernels: { steps }, debug: true }),
    ];
    for (const sim of [plain, debug]) {
      sim.run.steps(2);
      expect([0, 1, 2, 3].map((j) => sim.fields.u.get([1, j]))).toEqual([1, 0, 1, 0]);
    }
    for (const by of [0, -3]) {
      plain.run.steps(by);
      expect(refusal(() => debug.run.steps(by))).toMatchObject({
        code: 'launch/step',
        loc: { file: 'sim.ts', line: 12 },
      });
    }
    expect(plain.fields.u.get([0, 0])).toBe(1);
  });

  it('shows in debug mode where a kernel stops, and before that which kernel it was', async () => {
    const at = { file: 'sim.ts', line: 10, column: 5 };
    const stops = {
      quotient: kernel([c, 'i32'], { at }, (c: Grid1, by: number) => {
        for (const k of range(4)) c[k] = idiv(7, by);
      }),
      rest: kernel([c, 'i32'], { at }, (c: Grid1, by: number) => {
        for (const k of range(4)) c[k] = k % by;
      }),
      step: kernel([c, 'i32'], { at }, (c: Grid1, by: number) => {
        for (const k of range(0, 4, by)) c[k] = 1;
      }),
    };
    const [plain, debug] = [
      await make({ backend, layout: row, kernels: stops }),
      await make({ backend, layout: row, kernels: stops, debug: true }),
    ];
    for (const name of ['quotient', 'rest', 'step'] as const) {
      plain.run[name](2);
      debug.run[name](2);
      if (backend.name !== 'interpreter')
        expect(refusal(() => plain.run[name](0))).toMatchObject({
          code: 'run/trap',
          message: expect.stringContaining(`kernel '${name}'`),
          remedy: expect.stringContaining('debug: true'),
        });
      const expected = {
        code: name === 'step' ? 'launch/step' : 'launch/division',
        message: expect.stringContaining(`kernel '${name}'`),
        loc: { file: 'sim.ts', line: 11 },
      };
      expect(refusal(() => debug.run[name](0))).toMatchObject(expected);
      await expect(debug.launch[name](0)).rejects.toMatchObject({ diagnostics: [expected] });
    }
  });

  it('shows in debug mode where an index is outside a vector or an array', async () => {
    const table = [1, 2, 3];
    const at = { file: 'sim.ts', line: 10, column: 5 };
    const reads = {
      list: kernel([c, 'i32'], { at }, (c: Grid1, k: number) => {
        const items = [1, 2, 3];
        c[0] = items[k];
      }),
      written: kernel([c, 'i32'], { at }, (c: Grid1, k: number) => {
        const items = [1, 2, 3];
        items[k] = 5;
        c[0] = items[0] + items[1] + items[2];
      }),
      vector: kernel([c, 'i32'], { at }, (c: Grid1, k: number) => {
        const v = vec(1, 2, 3);
        c[0] = i32(v[k]);
      }),
      constants: kernel([c, 'i32'], { at, scope: { table } }, (c: Grid1, k: number) => {
        c[0] = 0;
        c[0] += table[k];
      }),
    };
    const sim = await make({ backend, layout: row, kernels: reads, debug: true });
    for (const name of ['list', 'written', 'vector', 'constants'] as const) {
      sim.run[name](2);
      for (const k of [3, -1])
        expect(refusal(() => sim.run[name](k))).toMatchObject({
          code: 'launch/out-of-bounds',
          message: `index ${k} is outside an array of 3, in kernel '${name}'`,
          remedy: 'keep it from 0 to 2',
          loc: { file: 'sim.ts', line: expect.any(Number) },
        });
    }
  });

  it('shows in debug mode what is read beyond the end of an array or of a list; otherwise there is nothing', async () => {
    const at = { file: 'sim.ts', line: 20, column: 5 };
    const items = field('items', 'i32');
    const lists = layout(dense(i, 4).dynamic(j, 8).place(items));
    const kernels = {
      known: kernel([array('i32', 16)], { at }, (a: Int32Array) => {
        let s = 0;
        for (const k of range(10)) s += a[k];
        return s;
      }),
      given: kernel([array('f64', 16), 'i32'], { at, float: 'f64' }, (a: Float64Array, k: number) => a[k]),
      written: kernel([array('i32', 16), 'i32'], { at }, (a: Int32Array, k: number) => {
        a[k] += 1;
        return a[5];
      }),
      add: kernel([items, 'i32'], { at }, (items: Grid2, x: number) => {
        append(items[1], x);
      }),
      read: kernel([items, 'i32'], { at }, (items: Grid2, k: number) => items[1][k]),
    };
    const sim = await make({ backend, layout: lists, kernels });
    expect(sim.run.known(new Int32Array(16).fill(1))).toBe(10);
    expect(sim.run.known(Int32Array.of(1, 2, 3))).toBe(6);
    expect(sim.run.given(Float64Array.of(7, 8), 1)).toBe(8);
    for (const k of [-1, 2, 15, 16, 1e6]) expect(sim.run.given(Float64Array.of(7, 8), k)).toBeNaN();
    expect(sim.run.written(Int32Array.of(1, 2), 5)).toBe(0);
    sim.run.add(5);
    expect([0, 1, 7, 8, -1].map((k) => sim.run.read(k))).toEqual([5, 0, 0, 0, 0]);

    const debug = await make({ backend, layout: lists, kernels, debug: true });
    debug.run.add(5);
    expect([debug.run.read(0), debug.run.given(Float64Array.of(7, 8), 1)]).toEqual([5, 8]);
    const beyond = (launch: () => unknown, message: string) =>
      expect(refusal(launch)).toMatchObject({
        code: 'launch/out-of-bounds',
        message: expect.stringContaining(message),
        loc: { file: 'sim.ts', line: expect.any(Number) },
      });
    beyond(() => debug.run.known(Int32Array.of(1, 2, 3)), 'index 3 is outside an array of 3');
    for (const k of [-1, 2, 15, 16, 1e6])
      beyond(() => debug.run.given(Float64Array.of(7, 8), k), `index ${k} is outside an array of 2`);
    beyond(() => debug.run.written(Int32Array.of(1, 2), 5), 'index 5 is outside an array of 2');
    beyond(() => debug.run.read(1), 'index [1, 1] is beyond the end of its list of 1');
    beyond(() => debug.run.read(8), "index [1, 8] is outside field 'items'");
  });

  it('knows what is outside of fields and behind the end of lists, where it is asked', async () => {
    const n = 6;
    const [w, edge] = [field('w', 'f64'), field('edge', 'f64')];
    const p = vectorField('p', 'f64', 2);
    const list = field('list', 'f64');
    const edges = (w: Grid2, edge: Grid2): void => {
      const first = (row: Grid1 | undefined): number => (row === undefined ? 0.25 : row[0]);
      for (const [i, j] of ndrange(n, n)) {
        const up = w[i - 1]?.[j];
        const row = w[i + 1];
        edge[i][j] = (up ?? w[i][j]) + 10 * (row?.[j] ?? 0.5) + 100 * (w[i][j - 2] ?? -5) + (w[i]?.[j + 1] ?? 1000);
        if (up === undefined && i === 0) edge[i][j] += 1e4;
        const [below, above] = [w[i + 1], w[i - 2]];
        if (below) edge[i][j] += 2 * below[j];
        edge[i][j] += (w[i + 3] ? 3 : 5) + (w[i - 1] && w[i - 1][j] > 0 ? 7 : 11);
        edge[i][j] += 17 * first(w[i - 1]) + (first(w[i + 1]) === 0.25 ? 19 : 0);
        if (!above) continue;
        edge[i][j] += 13 * above[j];
      }
    };
    const ends = kernel([p, list], { float: 'f64' }, (p: VecGrid1<2>, list: Grid2) => {
      for (const c of range(4)) for (const k of range(c)) append(list[c], 10 * c + k);
      let sum = 0;
      for (const c of range(4)) sum += (list[c][1] ?? 1000) + (p[c - 1]?.y ?? 1e4) + (p[c + 1] ?? vec(1e5, 0)).x;
      return sum;
    });
    const sim = await make({
      backend,
      layout: layout(dense(ij, n).place(w, edge), dense(i, 4).place(p), dense(i, 4).dynamic(j, 4).place(list)),
      kernels: { edges: kernel([w, edge], { scope: { n }, float: 'f64' }, edges), ends },
      fields: { w, edge, p },
      debug: true,
    });
    const value = (a: number, b: number): number => Math.sin(7 * a + b);
    const [host, expected] = [hostGrid([n, n], value), hostGrid([n, n], () => 0)] as [Grid2, Grid2];
    for (const [a, b] of ndrange(n, n)) sim.fields.w.set([a, b], value(a, b));
    for (const c of range(4)) sim.fields.p.set([c], [c, 2]);
    sim.run.edges();
    edges(host, expected);
    for (const [a, b] of ndrange(n, n)) expect(sim.fields.edge.get([a, b])).toBeCloseTo(expected[a][b], 9);
    expect(sim.run.ends()).toBe(2 * 1000 + 21 + 31 + 1e4 + 3 * 2 + (1 + 2 + 3) + 1e5);
  });

  it('shows what passes and backends say at the line of its author', async () => {
    const set = kernel([u], (u: Grid2) => {
      for (const k of range(8)) u[0][k] = k;
    });
    const refusing = pass('refusing', (module: Module) =>
      fail('test/refused', 'no', { loc: module.kernels[0].body.ops.find(({ loc }) => loc)!.loc }),
    );
    const made = await program({ backend, layout: tree, kernels: { set }, pipeline: () => refusing })();
    expect(E.isLeft(made) && made.left).toMatchObject([
      {
        code: 'test/refused',
        loc: { file: expect.stringMatching(/program\.test\.ts$/) },
        frame: expect.stringContaining('for (const k of range(8)) u[0][k] = k;'),
      },
    ]);
  });

  it('warns of iterations that write one element', async () => {
    const race = kernel([u], (u: Grid2) => {
      for (const k of range(8)) u[0][0] = k;
    });
    const sim = await make({ backend, layout: tree, kernels: { race } });
    const here = { file: expect.stringMatching(/program\.test\.ts$/) };
    expect(sim.warnings).toMatchObject([
      { severity: 'warning', code: 'lang/race', loc: here, remedy: expect.any(String) },
    ]);
    const serial = kernel([u], (u: Grid2) => {
      for (const k of serially(range(8))) u[0][k] = k;
    });
    const alone = await make({ backend, layout: tree, kernels: { serial }, threads: 2 });
    expect(alone.warnings.filter(({ code }) => code === 'threads/serial')).toMatchObject(
      backend.name === 'interpreter' ? [] : [{ loc: here, frame: expect.stringContaining('serially(range(8))') }],
    );
  });

  it('runs lists of kernels, which take their arguments by name', async () => {
    const one = kernel([u, 'f32'], (u: Grid2, dt: number) => {
      u[0][0] += dt;
    });
    const two = kernel([u, 'i32', 'f32'], (u: Grid2, k: number, dt: number) => {
      u[0][k] += dt;
      return u[0][0];
    });
    const sim = await make({ backend, layout: tree, kernels: { step: [one, two, one], one } });
    expect(sim.run.step(0.5, 3)).toBe(0.5);
    expect([sim.fields.u.get([0, 0]), sim.fields.u.get([0, 3])]).toEqual([1, 0.5]);
    expect(await sim.launch.step(1, 3)).toBe(2);
    sim.run.one(1);
    expect(sim.fields.u.get([0, 0])).toBe(4);
    expect(sim.instance.module.kernels).toHaveLength(2);
    expect(refusal(() => sim.run.step(1)).remedy).toBe('write run.step(dt, k)');
    const other = kernel([u, 'f64'], (u: Grid2, dt: number) => {
      u[0][0] += dt;
    });
    expect((await refused({ backend, layout: tree, kernels: { step: [one, other] } }))[0].code).toBe(
      'program/parameter',
    );
    expect((await refused({ backend, layout: tree, kernels: { step: [] } }))[0].code).toBe('program/kernel');
    expect((await refused({ backend, layout: tree, kernels: undefined as never }))[0].code).toBe('program/kernel');
    expect((await refused({ backend, layout: dense(ij, 4).place(u) as never, kernels: {} }))[0].code).toBe(
      'program/layout',
    );
    expect((await refused({ backend, layout: tree, kernels: { 'a step': one } }))[0].code).toBe('lang/name');
  });

  it('takes the defaults of parameters that a launch leaves out', async () => {
    const wide = 2 ** 40;
    const sum = kernel(
      ['f32', 'f64', 'i8', 'i64', 'i1', vector('f32', 2)],
      { scope: { wide } },
      (a: number, b = Infinity, c = -2, d = wide, e = true, v = vec(3, 4)) =>
        (e ? a : -a) + Math.min(b, 100) + c + (d === wide ? 0.5 : 0) + v.x * v.y,
    );
    const tail = kernel(['f32', 'f64'], (a = 1, b: number) => a - b);
    const sim = await make({ backend, layout: tree, kernels: { sum, tail, both: [tail, sum] } });
    const { fn } = sum;
    expect(sim.run.sum(1)).toBe(fn(1));
    expect(sim.run.sum(1, undefined, 3, 5)).toBe(fn(1, undefined, 3, 5));
    expect(sim.run.sum(1, 2, 3, wide, false, [1, 2])).toBe(fn(1, 2, 3, wide, false, vec(1, 2)));
    expect(sim.run.tail(undefined, 3)).toBe(-2);
    expectTypeOf(sim.run.sum).parameters.toEqualTypeOf<
      [a: number, b?: number, c?: number, d?: number | bigint, e?: boolean, v?: Vec<2> | readonly number[]]
    >();
    expect(refusal(() => (sim.run.sum as () => number)())).toMatchObject({
      code: 'launch/arguments',
      message: expect.stringContaining('(a: f32, b?: f64, '),
    });
    expect(refusal(() => (sim.run.tail as (a: number) => number)(3)).code).toBe('launch/arguments');
    const cases = [
      kernel(['f32', 'f32'], (a: number, b = a) => b),
      kernel(['f32'], { scope: { vec } }, ((a = vec(1, 2)) => a) as unknown as () => number),
      kernel(['i8'], (a = 1000) => a),
      kernel(['i32'], (a = 0.5) => a),
      kernel(['i1'], ((a = 1) => a) as unknown as () => number),
      kernel([array('f32', 3)], (a = [1, 2]) => a[0]),
    ];
    for (const one of cases)
      expect((await refused({ backend, layout: tree, kernels: { one } }))[0].code).toBe('lang/default');
  });

  it('refuses arguments that a kernel cannot take', async () => {
    const all = kernel(['f32', 'i8', 'u32', 'i64', 'i1'], (a: number, b: number, c: number, d: number, e: boolean) => {
      let s = a + b + c + d;
      if (e) s += 0.5;
      return s;
    });
    const sim = await make({ backend, layout: tree, kernels: { all, dot } });
    const run = sim.run.all as (...args: unknown[]) => number;
    expect(run(1, -2, 3, 4n, true)).toBe(6.5);
    expect(refusal(() => run(1, 2, 3, 4))).toMatchObject({
      code: 'launch/arguments',
      message: "kernel 'all' takes 5 arguments (a: f32, b: i8, c: u32, d: i64, e: i1), got 4",
    });
    const good = [1, 2, 3, 4, true];
    for (const [place, bad] of [
      [0, '1'],
      [0, null],
      [0, 1n],
      [1, NaN],
      [1, 128],
      [1, 0.5],
      [1, '1'],
      [2, -1],
      [2, Infinity],
      [3, 2 ** 53],
      [3, 2n ** 63n],
      [4, 1],
      [4, undefined],
    ] as const)
      expect(refusal(() => run(...good.map((g, k) => (k === place ? bad : g))))).toMatchObject({
        code: 'launch/argument',
        message: expect.stringContaining(`'${'abcde'[place]}' of kernel 'all' is`),
        remedy: expect.stringMatching(/^give /),
      });
    expect(refusal(() => run(...good.map((g, k) => (k === 3 ? 2 ** 60 : g)))).remedy).toBe(
      'give a safe whole number or a bigint (i64)',
    );
    const arrays = sim.run.dot as (...args: unknown[]) => number;
    const a = new Int32Array(3);
    expect(refusal(() => arrays(a, '123')).code).toBe('launch/array');
    expect(refusal(() => arrays(a, [1, 2.5, 3]))).toMatchObject({
      code: 'launch/argument',
      message: expect.stringMatching(/^argument '\w+\[1\]' of kernel 'dot' is 2\.5$/),
    });
    expect(refusal(() => arrays(a, new Float32Array(3)))).toMatchObject({
      message: expect.stringContaining('a Float32Array'),
      remedy: 'give a Int32Array, or a list of numbers',
    });
    const gone = new Int32Array(3);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    expect(refusal(() => arrays(a, gone)).code).toBe('launch/array');
    expect(arrays(new Int32Array(0), new Int32Array(0))).toBe(0);
    expect(refusal(() => arrays(a, new Int32Array(51)))).toMatchObject({
      code: 'launch/array-length',
      remedy: "give fewer, or declare array('i32', 51)",
    });
    await expect(sim.launch.dot(a, new Int32Array(51))).rejects.toThrow('launch/array-length');
    expect(refusal(() => sim.seed(-1)).code).toBe('program/seed');
    expect((await refused({ backend, layout: tree, kernels: { dot }, seed: 0.5 }))[0].code).toBe('program/seed');
  });

  it('takes lists of numbers for arrays, and leaves in them what the kernel wrote', async () => {
    const mixed = kernel(
      [array('f32', 8), array('i64', 8), array('i1', 8), array('u8', 8)],
      (x: Float32Array, big: number[], flags: boolean[], seen: Uint8Array) => {
        for (const n of range(x.length)) {
          x[n] = x[n] / 3 + seen[n];
          big[n] += 1;
          flags[n] = !flags[n];
        }
      },
    );
    const sim = await make({ backend, layout: tree, kernels: { mixed } });
    const [x, big, flags, seen] = [
      [1, 2],
      [5, 2n ** 60n],
      [true, false],
      [7, 255],
    ] as const;
    const [to, wide, truths] = [[...x], [...big], [...flags]];
    sim.run.mixed(to, wide, truths, [...seen]);
    expect(to).toEqual(x.map((v, n) => Math.fround(Math.fround(v / 3) + seen[n]!)));
    expect(wide).toEqual([6, 2n ** 60n + 1n]);
    expect(truths).toEqual([false, true]);
    const whole = [1, 2];
    expect(refusal(() => sim.run.mixed(whole, [1], truths, whole)).code).toBe('launch/aliasing');
    await sim.launch.mixed(to, [1], [true], [0]);
    expect(truths).toEqual([false, true]);
  });

  it('refuses arrays that share memory where one of them is written', async () => {
    const add = kernel([array('f32', 8), array('f32', 8)], (to: Float32Array, from: Float32Array) => {
      for (const n of range(to.length)) to[n] += from[n];
    });
    const product = kernel([array('f32', 8), array('f32', 8)], (a: Float32Array, b: Float32Array) => {
      let sum = 0;
      for (const n of range(a.length)) sum += a[n] * b[n];
      return sum;
    });
    const sim = await make({ backend, layout: tree, kernels: { add, product } });
    const a = Float32Array.of(1, 2, 3, 4);
    expect(refusal(() => sim.run.add(a, a))).toMatchObject({
      code: 'launch/aliasing',
      message: expect.stringMatching(/'to' and 'from'.*'to' is written/),
      remedy: expect.any(String),
    });
    expect(refusal(() => sim.run.add(a.subarray(0, 3), a.subarray(2))).code).toBe('launch/aliasing');
    sim.run.add(a.subarray(0, 2), a.subarray(2));
    expect([...a]).toEqual([4, 6, 3, 4]);
    expect(sim.run.product(a, a)).toBe(77);
  });

  it('keeps the order of its launches, and hands out no memory meanwhile', async () => {
    const add = kernel([u, 'f32', 'f32'], (u: Grid2, factor: number, term: number) => {
      u[0][0] = u[0][0] * factor + term;
    });
    const sim = await make({ backend, layout: tree, kernels: { add } });
    const done = [sim.launch.add(1, 1), sim.launch.add(2, 1), sim.launch.add(10, 0)];
    for (const act of [() => sim.fields.u.get([0, 0]), () => sim.run.add(1, 1), () => sim.save()])
      expect(refusal(act)).toMatchObject({ code: 'program/busy', remedy: expect.any(String) });
    await Promise.all(done);
    expect(sim.fields.u.get([0, 0])).toBe(30);
  });

  it('is used no more once it is disposed of', async () => {
    const sim = await make({ backend, layout: tree, kernels: { total } });
    const late = sim.launch.total();
    const { u } = sim.fields;
    sim.dispose();
    sim.dispose();
    for (const act of [() => u.get([0, 0]), () => sim.run.total(), () => sim.save(), () => sim.load(new Uint8Array(0))])
      expect(refusal(act)).toMatchObject({ code: 'program/disposed', remedy: expect.any(String) });
    await expect(late).rejects.toThrow('program/disposed');
    await expect(sim.launch.total()).rejects.toThrow('program/disposed');
  });

  it('is compiled without passes that are to be left out, and knows which there are', async () => {
    const sim = await make({ backend, layout: tree, kernels: { dot }, omit: ['licm', 'cse'] });
    expect(sim.run.dot(Int32Array.of(1, 2), Int32Array.of(3, 4))).toBe(11);
    expect((await refused({ backend, layout: tree, kernels: { dot }, omit: ['magic'] }))[0]).toMatchObject({
      code: 'pipeline/unknown-pass',
      remedy: expect.stringContaining('licm'),
    });
    const own = await make({
      backend,
      layout: tree,
      kernels: { dot },
      pipeline: (s) => fieldPipeline(s, { omit: true }),
    });
    expect(own.run.dot(Int32Array.of(1, 2), Int32Array.of(3, 4))).toBe(11);
  });

  it('puts nests on lanes for processors alone: threads of teams are lanes themselves', () => {
    const names = (options?: Parameters<typeof fieldPipeline>[1]): readonly string[] =>
      fieldPipeline(storageOf(tree), options)
        .passes.flatMap((p) => ('passes' in p ? (p as Pipeline<Module>).passes : [p]))
        .map((p) => p.name);
    expect(names()).toEqual(expect.arrayContaining(['tile', 'hold-rows', 'vectorize-nests', 'jam-nests']));
    const onTeams = names({ grain: { tasks: 1 << 16, least: 1, most: 256, hands: 1 } });
    for (const name of ['tile', 'hold-rows', 'vectorize-nests', 'jam-nests']) expect(onTeams).not.toContain(name);
  });

  it('has every field of its layout by its name, vectors and their components', async () => {
    const apart = vectorField('apart', 'f32', 2);
    const clash = [field('clash', 'f32'), vectorField('clash', 'f32', 2)] as const;
    const sim = await make({
      backend,
      layout: layout(dense(i, 8).place(x, ...clash), dense(i, 8).place(apart.components[1])),
      kernels: {},
    });
    /* Half of a vector is none, and a field of numbers keeps its name. */
    expect(Object.keys(sim.fields).sort()).toEqual(['apart_1', 'clash', 'clash_0', 'clash_1', 'x', 'x_0', 'x_1']);
    (sim.fields.x as unknown as { set: (at: number, value: readonly number[]) => void }).set(3, [1, 2]);
    expect([sim.fields.x.get(3), sim.fields.x_1.get(3), sim.fields.clash.get(3)]).toEqual([[1, 2], 2, 0]);
  });

  it('stores arrays where its fields hold vectors, all of one before any is written', async () => {
    const swap = kernel([x], (x: VecGrid1<2>) => {
      for (const p of range(8)) {
        /* Types ask for vectors; JavaScript does not. */
        x[p] = [p, 2 * p] as never;
        x[p] = [x[p].y + 1, x[p].x] as never;
      }
    });
    const sim = await make({ backend, layout: tree, kernels: { swap } });
    sim.run.swap();
    expect(sim.field(x).get(3)).toEqual([7, 3]);
  });

  it('has no fields but its own', async () => {
    const sim = await make({ backend, layout: tree, kernels: { total }, fields: { position: x, v } });
    sim.fields.position.set(3, [1, 2]);
    expect(sim.field(x).get(3)).toEqual([1, 2]);
    expect(Object.keys(sim.fields)).toEqual(['position', 'v']);
    expect(refusal(() => sim.field(field('u', 'f32'))).code).toBe('field/foreign');
    const stranger = kernel([field('w', 'f32')], (w: Grid1) => {
      w[0] = 1;
    });
    expect((await refused({ backend, layout: tree, kernels: { stranger } }))[0]).toMatchObject({
      code: 'lang/not-placed',
      remedy: expect.any(String),
    });
    expect(
      (await refused({ backend, layout: tree, kernels: { total }, fields: { w: field('w', 'f32') } }))[0].code,
    ).toBe('field/unknown');
  });
});

describe('a backend that compiles ahead', () => {
  const short = kernel([u, 'i32'], (u: Grid2, n: number) => {
    for (const k of range(n)) u[k][k] += 1;
  });
  const long = kernel([u, v, n], (u: Grid2, v: Grid2, n: Grid2) => {
    let sum = 0;
    for (const [a, b] of active(u)) {
      v[a][b] = 2 * u[a][b] + v[a][b];
      sum += v[a][b];
    }
    for (const k of range(3)) append(n[0], k);
    return sum;
  });
  const kernels = { short, long };

  it('begins with each kernel while others are lowered, the longest first', async () => {
    const begun: string[] = [];
    const backend = {
      ...interpreter(),
      ahead: async ({ files }: { readonly files: readonly { readonly contents: unknown }[] }) =>
        void begun.push(...(String(files[0].contents).match(/kernel @\w+/g) ?? [])),
    };
    const results = async (options: ProgramOptions<typeof kernels>): Promise<readonly unknown[]> => {
      const sim = await make(options);
      sim.run.short(9);
      const sum = sim.run.long();
      return [sum, ...Object.values(sim.fields).map((f) => [...f.toArray()]), refusal(() => sim.run.long())];
    };
    const ahead = await results({ layout: tree, kernels, backend });
    expect(begun).toEqual(['kernel @long', 'kernel @short']);
    expect(ahead).toEqual(await results({ layout: tree, kernels, backend: interpreter() }));
    expect(ahead[0]).toBe(18);
    expect(ahead[ahead.length - 1]).toMatchObject({ code: 'launch/list-full' });
  });

  it('begins with kernels that differ in numbers alone at once', async () => {
    const sizes = [64, 32, 16];
    const grids = sizes.map((size) => ['z', 'r'].map((name) => field(`${name}${size}`, 'f32')));
    const on = (size: number) =>
      dense(i, size / 8)
        .pointer()
        .dense(i, 8);
    const tree = layout(...grids.flatMap((pair, k) => pair.map((f) => on(sizes[k]).place(f))));
    const relax = (z: Grid1, r: Grid1) => {
      for (const k of active(z)) z[k] = r[k] + (z[k - 1] + z[k + 1]) / 4;
    };
    const fill = (z: Grid1, r: Grid1, size: number) => {
      for (const k of range(size)) {
        z[k] = k;
        r[k] = 2 * k;
      }
    };
    const kernels = Object.fromEntries(
      grids.flatMap(([z, r], k) => [
        [`fill${k}`, kernel([z, r, 'i32'], fill)],
        [`relax${k}`, kernel([z, r], relax)],
      ]),
    );
    const begun: string[][] = [];
    const backend = {
      ...interpreter(),
      ahead: async ({ files }: { readonly files: readonly { readonly contents: unknown }[] }) =>
        void begun.push([...(String(files[0].contents).match(/(?<=kernel @)\w+/g) ?? [])]),
    };
    const results = async (options: ProgramOptions<typeof kernels>): Promise<readonly unknown[]> => {
      const sim = await make(options);
      for (const [k, size] of sizes.entries()) {
        (sim.run[`fill${k}`] as (size: number) => void)(size - 3);
        for (let time = 0; time < 2; time++) (sim.run[`relax${k}`] as () => void)();
      }
      return Object.values(sim.fields).map((f) => [...f.entries()]);
    };
    expect(await results({ layout: tree, kernels, backend })).toEqual(
      await results({ layout: tree, kernels, backend: interpreter() }),
    );
    expect(begun).toContainEqual(['relax0', 'relax1', 'relax2']);
  });

  it('has nothing to begin with where it refuses the kernels', async () => {
    let begun = 0;
    const backend = {
      ...interpreter(),
      legalize: pass('refuse', (): Module => fail('test/refused', 'no', { remedy: 'none' })),
      ahead: async () => void begun++,
    };
    expect(await refused({ layout: tree, kernels, backend })).toMatchObject([{ code: 'test/refused' }]);
    expect(begun).toBe(0);
  });
});
