import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import {
  type Builder,
  type Module,
  type Value,
  buildKernel,
  declareBuffer,
  makeModule,
  scalarTypes,
} from '@filigree/ir';
import { alikeKernels, withNumbers } from '@filigree/opt';
import { axpy, codeOf, loaded, problems, right, sourcesOf } from './helpers.js';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();

/** y[i] = i * factor, by a kernel with arguments. */
const scaled = (n: number): Module => {
  const buffers = [declareBuffer('y', 'f64', n, 'output')];
  const kernel = buildKernel(
    'scale',
    { factor: 'f64', count: 'i32' },
    (b, p) =>
      void b.for(b.i32(0), p.count, b.i32(1), { parallel: true }, [], (i) =>
        b.store('y', b.mul(b.cast(i, 'f64'), p.factor), i),
      ),
    buffers,
  );
  return makeModule('scaled', buffers, [kernel]);
};

describe.skipIf(!usable)('functions on lanes', () => {
  const inputs = [
    -Infinity,
    -800,
    -104,
    -90,
    -3.25,
    -1e-30,
    -0,
    0,
    1e-40,
    0.5,
    1,
    3,
    7.75,
    88,
    100,
    711,
    1e9,
    Infinity,
    NaN,
  ];
  const functions = {
    ...{ exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin },
    ...{ acos: Math.acos, atan: Math.atan, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, asinh: Math.asinh },
    ...{ acosh: Math.acosh, atanh: Math.atanh, expm1: Math.expm1, log1p: Math.log1p, log2: Math.log2 },
    ...{ log10: Math.log10, cbrt: Math.cbrt, pow: Math.pow, atan2: Math.atan2, hypot: Math.hypot },
  };

  it.each(['f32', 'f64'] as const)('of %s are those of the C library to four units in the last place', async (type) => {
    const between = Array.from({ length: 1001 }, (_, k) => (k - 500) / 23);
    const pairs = inputs.flatMap((x) => inputs.map((y) => [x, y] as const)).concat(between.map((x) => [x, 7.5 - x]));
    const stored = (x: number): number => (type === 'f32' ? Math.fround(x) : x);
    const [xs, ys] = [0, 1].map((k) => pairs.map((pair) => stored(pair[k]!))) as [number[], number[]];
    const buffers = ['x', 'y', ...Object.keys(functions)].map((name) =>
      declareBuffer(name, type, xs.length, name === 'x' || name === 'y' ? 'input' : 'output'),
    );
    const kernel = buildKernel(
      'main',
      {},
      (b) => {
        for (const [name, f] of Object.entries(functions))
          b.for(b.i32(0), b.i32(xs.length), b.i32(1), { simd: true }, [], (i) => {
            const args = f.length === 1 ? [b.load('x', i)] : [b.load('x', i), b.load('y', i)];
            b.store(name, b.value(`math.${name}`, args), i);
          });
      },
      buffers,
    );
    const x = await loaded(makeModule('m', buffers, [kernel]), { compile: { fastMath: true } });
    (x.buffers['x'] as Float64Array).set(xs);
    (x.buffers['y'] as Float64Array).set(ys);
    x.run();
    const [digits, least] = type === 'f32' ? [2 ** -23, 2 ** -126] : [2 ** -52, 2 ** -1022];
    for (const [name, f] of Object.entries(functions)) {
      const wanted = xs.map((v, k) => stored(f(v, ys[k]!)));
      const wrong = [...(x.buffers[name] as Float64Array)].flatMap((got, k) => {
        const w = wanted[k]!;
        const near = Math.abs(got - w) <= 4 * digits * Math.abs(w) + least;
        return Object.is(got, w) || got === w || near ? [] : [`${name}(${xs[k]}, ${ys[k]}) = ${got}, not ${w}`];
      });
      expect(wrong).toEqual([]);
    }
  });
});

describe.skipIf(!usable)('sums of components over iterations of which a condition holds', () => {
  const [n, at] = [100, 40];
  const x = Array.from({ length: 4 * n }, (_, k) => ((k * 37) % 101) - 30);
  const c = Array.from({ length: 2 * n }, (_, k) => (k * 31) % 7);
  const conditions: Readonly<Record<string, readonly [(j: number) => boolean, (b: Builder, j: Value) => Value]>> = {
    'all others': [(j) => j !== at, (b, j) => b.cmp('ne', j, b.i32(at))],
    'those behind': [(j) => j > at, (b, j) => b.cmp('gt', j, b.i32(at))],
    'odd ones': [(j) => j % 2 === 1, (b, j) => b.cmp('eq', b.and(j, b.i32(1)), b.i32(1))],
    'those of a mark that lies apart': [
      (j) => c[2 * j]! > 3,
      (b, j) => b.cmp('gt', b.load('c', b.mul(j, b.i32(2))), b.i32(3)),
    ],
    'those of a mark in a row': [(j) => c[j]! > 3, (b, j) => b.cmp('gt', b.load('c', j), b.i32(3))],
  };
  const cases = Object.keys(conditions).flatMap((name) => [2, 3, 4].map((parts) => [name, parts] as const));

  it.each(cases)('%s, of %i components', async (name, parts) => {
    const [holds, condition] = conditions[name]!;
    const types = ['f64', 'f32', 'i32'] as const;
    const buffers = [
      declareBuffer('c', 'i32', c.length, 'input'),
      ...types.flatMap((type) => [
        declareBuffer(`x_${type}`, type, parts * n, 'input'),
        ...['known', 'within', 'chosen', 'while'].map((way) => declareBuffer(`${way}_${type}`, type, parts, 'output')),
      ]),
    ];
    const components = Array.from({ length: parts }, (_, k) => k);
    const kernel = buildKernel(
      'sums',
      { count: 'i32' },
      (b, { count }) => {
        for (const type of types) {
          const zeros = components.map(() => b.constant(0, type));
          const read = (j: Value): readonly Value[] =>
            components.map((k) => b.load(`x_${type}`, b.add(b.mul(j, b.i32(parts)), b.i32(k))));
          const sums = (j: Value, so: readonly Value[]): readonly Value[] =>
            b.if(
              condition(b, j),
              () => read(j).map((v, k) => b.add(so[k]!, v)),
              () => so,
            );
          const store = (way: string, found: readonly Value[]): void =>
            found.forEach((v, k) => b.store(`${way}_${type}`, v, b.i32(k)));
          store(
            'known',
            b.for(b.i32(0), b.i32(n), b.i32(1), {}, zeros, (j, so) => sums(j, so)),
          );
          store(
            'within',
            b.for(b.i32(0), count, b.i32(1), {}, zeros, (j, so) => sums(j, so)),
          );
          store(
            'chosen',
            b.for(b.i32(0), count, b.i32(1), {}, zeros, (j, so) => {
              const holdsNow = condition(b, j);
              return read(j).map((v, k) => b.select(holdsNow, b.add(so[k]!, v), so[k]!));
            }),
          );
          store(
            'while',
            b
              .while(
                [b.i32(0), ...zeros],
                ([j, ...so]) => [b.cmp('lt', j!, count), j!, ...so],
                ([j, ...so]) => [b.add(j!, b.i32(1)), ...sums(j!, so)],
              )
              .slice(1),
          );
        }
      },
      buffers,
    );
    const sums = await loaded(makeModule('m', buffers, [kernel]), { compile: { fastMath: true } });
    (sums.buffers['c'] as Int32Array).set(c);
    for (const type of types) (sums.buffers[`x_${type}`] as Float64Array).set(x.slice(0, parts * n));
    sums.launch('sums', [n]);
    const wanted = components.map((k) =>
      Array.from({ length: n }, (_, j) => j)
        .filter(holds)
        .reduce((sum, j) => sum + x[parts * j + k]!, 0),
    );
    for (const type of types)
      for (const way of ['known', 'within', 'chosen', 'while'])
        expect([...(sums.buffers[`${way}_${type}`] as Float64Array)], `${way} ${type}`).toEqual(wanted);
  });
});

describe.skipIf(!usable)('a loaded module', () => {
  it('has every buffer as a view of its type on a cache line, constants filled in, the rest zero', async () => {
    const buffers = scalarTypes.map((t, k) => declareBuffer(`b_${t}`, t, 2 * k + 1, 'inout'));
    const x = await loaded(makeModule('m', [...buffers, ...axpy().buffers], axpy().kernels));
    const base = x.buffers.f.byteOffset;
    for (const b of buffers) {
      expect(x.buffers[b.name].length).toBe(b.length);
      expect((x.buffers[b.name].byteOffset - base) % 64).toBe(0);
      expect(x.buffers[b.name].buffer).toBe(x.buffers.f.buffer);
    }
    expect([...x.buffers.f]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([...x.buffers.y]).toEqual(new Array(8).fill(0));
  });

  it('has one function for kernels that differ in numbers alone, and an entry for each', async () => {
    const buffers = [declareBuffer('y', 'i32', 8, 'output')];
    const least = -(2 ** 31);
    const fills = [
      [3, least],
      [5, 7],
      [8, 9],
    ].map(([count, value]) =>
      buildKernel(
        `fill${count}`,
        { by: 'i32' },
        (b, p) =>
          void b.for(b.i32(0), b.i32(count!), b.i32(1), { parallel: true }, [], (i) =>
            b.store('y', b.add(b.i32(value!), p.by), i),
          ),
        buffers,
      ),
    );
    const [{ kernel, numbers }, ...others] = alikeKernels(fills);
    expect(others).toEqual([]);
    const module = makeModule(
      'fills',
      buffers,
      fills.map(({ name }, k) => withNumbers(kernel, name, numbers[k]!)),
    );
    expect(String(sourcesOf(module).files[0]!.contents).match(/\bvoid fill\d\(/gm)).toEqual(['void fill3(']);
    const x = await loaded(module);
    x.launch('fill8', [1]);
    x.launch('fill3', [2]);
    expect([...x.buffers.y]).toEqual([...new Array(3).fill(least + 2), ...new Array(5).fill(10)]);
    x.launch('fill5', [0]);
    expect([...x.buffers.y]).toEqual([...new Array(5).fill(7), ...new Array(3).fill(10)]);
  });

  it('has no view of scratch buffers', async () => {
    const buffers = [declareBuffer('s', 'f64', 8, 'scratch'), declareBuffer('y', 'f64', 8, 'output')];
    const kernel = buildKernel(
      'k',
      {},
      (b) => {
        b.store('s', b.f64(2), b.i32(1));
        b.store('y', b.load('s', b.i32(1)), b.i32(3));
      },
      buffers,
    );
    const x = await loaded(makeModule('m', buffers, [kernel]));
    expect(Object.keys(x.buffers)).toEqual(['y']);
    x.run();
    expect([...x.buffers.y]).toEqual([0, 0, 0, 2, 0, 0, 0, 0]);
  });

  it('gives the same on any number of threads, sync and async', async () => {
    const n = 10007;
    const x = await loaded(
      axpy(
        n,
        Array.from({ length: n }, (_, k) => k % 65536),
      ),
      { load: { threads: 2 } },
    );
    const expected = Float64Array.from({ length: n }, (_, k) => 1 - (k % 65536) * (k + 0.5));
    for (const threads of [undefined, 1, 2, 3, 7]) {
      for (const run of [x.run, x.runAsync]) {
        (x.buffers.x as Float64Array).set(Float64Array.from({ length: n }, (_, k) => k + 0.5));
        (x.buffers.y as Float64Array).fill(1);
        await run(threads === undefined ? undefined : { threads });
        expect(x.buffers.y).toEqual(expected);
      }
    }
  });

  it('launches kernels in the background, with the arguments of the moment', async () => {
    const x = await loaded(scaled(100_000));
    for (const threads of [1, 2]) {
      const done = x.launchAsync('scale', [2.5, 100_000], { threads });
      expect(codeOf(() => x.launch('scale', [3, 4]))).toBe('run/busy');
      await done;
      expect(x.buffers.y[99_999]).toBe(2.5 * 99_999);
      x.launch('scale', [-1, 100_000], { threads });
      expect(x.buffers.y[77_777]).toBe(-77_777);
    }
    await expect(x.launchAsync('scale', [1])).rejects.toThrow('takes 2 arguments, got 1');
    await expect(x.launchAsync('scale', [1, 0.5])).rejects.toThrow('must be a whole number, it is 0.5');
    expect(x.launch('scale', [4, 1])).toBeUndefined();
  });

  it('has memory of its own, though the code is shared', async () => {
    const [p, q] = await Promise.all([loaded(axpy()), loaded(axpy())]);
    p.buffers.x.fill(1 as never);
    await Promise.all([p.runAsync({ threads: 2 }), q.runAsync({ threads: 2 })]);
    expect([...p.buffers.y]).toEqual([0, -1, -2, -3, -4, -5, -6, -7]);
    expect([...q.buffers.y]).toEqual(new Array(8).fill(0));
  });

  it('can be loaded and disposed of many times', async () => {
    const artifact = right(await cpp().compile!(sourcesOf(axpy()))());
    for (let k = 0; k < 30; k++) {
      const x = right(await cpp().load!(artifact, axpy())());
      x.run({ threads: 2 });
      expect([...x.buffers.y]).toEqual(new Array(8).fill(0));
      x.dispose();
      x.dispose();
    }
  });

  it.skipIf(process.platform !== 'linux')(
    'gives its memory back at once, while views of it are still held',
    async () => {
      const [n, rounds] = [2 ** 21, 24];
      const resident = (): number => process.memoryUsage().rss / 2 ** 20;
      const held: unknown[] = [];
      let before = 0;
      for (let round = 0; round < rounds; round++) {
        const x = await loaded(scaled(n));
        x.launch('scale', [2, n]);
        expect(x.buffers.y[n - 1]).toBe(2 * (n - 1));
        held.push(x.buffers.y);
        x.dispose();
        if (round === 3) before = resident();
      }
      /* All of them together are 384 MB. */
      expect(held).toHaveLength(rounds);
      expect(resident() - before).toBeLessThan(100);
    },
  );

  it('says so when it was disposed of', async () => {
    const x = await loaded(axpy());
    x.dispose();
    expect(codeOf(() => x.run())).toBe('run/disposed');
    expect(codeOf(() => x.launch('axpy', []))).toBe('run/disposed');
    await expect(x.runAsync()).rejects.toThrow(/run\/disposed/);
  });

  it('finishes a run that was under way when it is disposed of', async () => {
    const n = 300000;
    const x = await loaded(axpy(n, new Array<number>(n).fill(3)));
    x.buffers.x.fill(1 as never);
    const run = x.runAsync({ threads: 2 });
    expect(codeOf(() => x.run())).toBe('run/busy');
    x.dispose();
    await run;
    expect(x.buffers.y[n - 1]).toBe(-3);
  });

  it('checks thread counts, kernel names and arguments', async () => {
    const x = await loaded(scaled(4));
    for (const threads of [0, -1, 1.5, NaN, 1e6])
      expect(codeOf(() => x.launch('scale', [1, 4], { threads }))).toBe('option/value');
    expect(codeOf(() => x.launch('scales', []))).toBe('run/kernel');
    for (const args of [[], [1], [1, 2, 3], [1, 2.5], [1, 2 ** 31], [true, 1], [1n, 1], [1, true]])
      expect(codeOf(() => x.launch('scale', args))).toBe('run/arguments');
    expect(codeOf(() => x.run())).toBe('run/arguments');
    x.launch('scale', [0.5, 4], { threads: 2 });
    expect([...x.buffers.y]).toEqual([0, 0.5, 1, 1.5]);
    expect(
      await problems(cpp().load!(right(await cpp().compile!(sourcesOf(scaled(4)))()), scaled(4), { threads: 0 })),
    ).toMatchObject([{ code: 'option/value' }]);
  });

  it('is refused where the artifact is not its own', async () => {
    const artifact = right(await cpp().compile!(sourcesOf(axpy()))());
    expect(await problems(cpp().load!(artifact, scaled(4)))).toMatchObject([{ code: 'load/entry' }]);
    expect(await problems(cpp().load!({ ...artifact, path: '/nowhere.so' }, axpy()))).toMatchObject([
      { code: 'load/library' },
    ]);
  });

  it('reports a slab that no memory can hold', async () => {
    const buffers = [declareBuffer('y', 'f64', 2 ** 50, 'output')];
    const module = makeModule('huge', buffers, [
      buildKernel('k', {}, (b) => b.store('y', b.f64(1), b.i32(0)), buffers),
    ]);
    const artifact = right(await cpp().compile!(sourcesOf(module))());
    expect(await problems(cpp().load!(artifact, module))).toMatchObject([{ code: 'load/memory' }]);
  });

  it('reports an index out of bounds when checked, and touches nothing outside', async () => {
    const buffers = [
      declareBuffer('t', 'i32', 2, 'input'),
      declareBuffer('y', 'f64', 4, 'output'),
      declareBuffer('z', 'f64', 4, 'output'),
    ];
    const kernel = buildKernel(
      'k',
      {},
      (b) => b.store('y', b.load('z', b.load('t', b.i32(0))), b.load('t', b.i32(1))),
      buffers,
    );
    const x = await loaded(makeModule('m', buffers, [kernel]), { checked: true });
    x.buffers.z.fill(3 as never);
    x.buffers.t.set([3, 2] as never);
    x.run();
    expect([...x.buffers.y]).toEqual([0, 0, 3, 0]);
    for (const indices of [
      [4, 0],
      [-1, 0],
      [0, 4],
      [0, -2147483648],
    ]) {
      x.buffers.t.set(indices as never);
      expect(codeOf(() => x.run())).toBe('run/trap');
    }
    expect([...x.buffers.z]).toEqual([3, 3, 3, 3]);
  });

  it('leaves subnormal numbers of the process alone under fast math', async () => {
    const x = await loaded(axpy(), { compile: { fastMath: true } });
    x.run();
    expect(2.2250738585072014e-308 / 2).toBe(1.1125369292536007e-308);
  });
});
