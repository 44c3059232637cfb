import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import * as E from 'fp-ts/lib/Either.js';
import { type Module, buildKernel, constBuffer, declareBuffer, makeModule } from '@filigree/ir';
import { wasm } from '@filigree/backend-wasm';
import { codeOf, compiled, loaded, settled, value } from './helpers.js';

/** y[i] = (x[i] · a) for i < n, then a second kernel that counts the runs. */
const scale = (n = 1000): Module => {
  const buffers = [
    declareBuffer('x', 'f64', n, 'input'),
    declareBuffer('y', 'f64', n, 'output'),
    declareBuffer('runs', 'i32', 1, 'inout'),
    constBuffer('a', 'f64', [3]),
  ];
  const kernel = buildKernel(
    'scale',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true, simd: true }, [], (i) => {
        b.store('y', b.mul(b.load('x', i), b.load('a', b.i32(0))), i);
      });
    },
    buffers,
  );
  const count = buildKernel(
    'count',
    {},
    (b) => void b.store('runs', b.add(b.load('runs', b.i32(0)), b.i32(1)), b.i32(0)),
    buffers,
  );
  return makeModule('scale', buffers, [kernel, count]);
};

/** Work enough that threads are worth waking: y[i] = √(… √(x[i] + 1) … + 1), 200 deep. */
const deepRoots = (n: number): Module => {
  const buffers = [declareBuffer('x', 'f64', n, 'input'), declareBuffer('y', 'f64', n, 'output')];
  const kernel = buildKernel(
    'roots',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) => {
        const [root] = b.for(b.i32(0), b.i32(200), b.i32(1), {}, [b.load('x', i)], (_, [v]) => [
          b.value('math.sqrt', [b.add(v, b.f64(1))]),
        ]);
        b.store('y', root, i);
      });
    },
    buffers,
  );
  return makeModule('roots', buffers, [kernel]);
};

const roots = (x: number): number => {
  let v = x;
  for (let k = 0; k < 200; k++) v = Math.sqrt(v + 1);
  return v;
};

describe('an executable', () => {
  it('has its buffers as views into one memory, constants filled in', async () => {
    const program = await loaded(scale());
    const { x, y, a, runs } = program.buffers;
    expect(new Set([x.buffer, y.buffer, a.buffer, runs.buffer]).size).toBe(1);
    expect([...a]).toEqual([3]);
    x.forEach((_, i) => (x[i] = i));
    program.run();
    expect([y[0], y[7], y[999]]).toEqual([0, 21, 2997]);
    await program.runAsync();
    program.run({ threads: 3 });
    expect(runs[0]).toBe(3);
    program.dispose();
  });

  it.each([1, 2, 5])('computes the same on %i threads, again and again, and off the main thread', async (threads) => {
    const n = 4000;
    const program = await loaded(deepRoots(n), wasm(), { threads });
    const { x, y } = program.buffers;
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < n; i++) x[i] = i + round;
      y.fill(0 as never);
      if (round % 2 === 0) program.run();
      else await program.runAsync();
      for (let i = 0; i < n; i += 97) expect(y[i]).toBe(roots(i + round));
      expect(y[n - 1]).toBe(roots(n - 1 + round));
    }
    program.dispose();
  });

  it('leaves the main thread free while it runs asynchronously', async () => {
    const program = await loaded(deepRoots(60_000));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await program.runAsync();
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    expect(await codeOf(async () => Promise.all([program.runAsync(), program.runAsync()]))).toBe('run/busy');
    program.dispose();
  });

  it.each([1, 2])('says so where its thread ends before a run does, and runs again, on %i threads', async (threads) => {
    const workers: Worker[] = [];
    const note = (worker: Worker): void => void workers.push(worker);
    process.on('worker', note);
    const n = 400_000;
    const program = await loaded(deepRoots(n), wasm(), { threads });
    const { x, y } = program.buffers;
    x.fill(5 as never);
    try {
      const run = codeOf(() => program.runAsync());
      await new Promise(setImmediate);
      void workers.at(-1)!.terminate();
      expect(await run).toBe('run/thread');
      await program.runAsync();
      expect(y[n - 1]).toBe(roots(5));
      /* Also one that ended while nothing ran. */
      await workers.at(-1)!.terminate();
      y.fill(0 as never);
      await program.runAsync();
      expect(y[n - 1]).toBe(roots(5));
    } finally {
      process.off('worker', note);
      program.dispose();
    }
  });

  it('launches kernels in the background, with the arguments of the moment', async () => {
    const buffers = [declareBuffer('y', 'f64', 20_000, 'output')];
    const kernel = buildKernel(
      'fill',
      { factor: 'f64', wide: 'i64', on: 'i1' },
      (b, p) =>
        void b.for(b.i32(0), b.i32(20_000), b.i32(1), { parallel: true }, [], (i) => {
          const x = b.add(b.mul(b.cast(i, 'f64'), p.factor), b.cast(p.wide, 'f64'));
          b.store('y', b.select(p.on, x, b.f64(-1)), i);
        }),
      buffers,
    );
    for (const shared of [true, false]) {
      const program = await loaded(makeModule('m', buffers, [kernel]), wasm({ shared }));
      for (const threads of [1, 2]) {
        const done = program.launchAsync('fill', [2, 5n, true], { threads });
        expect(await codeOf(() => program.launch('fill', [1, 1, true]))).toBe('run/busy');
        await done;
        expect(program.buffers.y[19_999]).toBe(2 * 19_999 + 5);
        program.launch('fill', [2, 5, false], { threads });
        expect(program.buffers.y[12_345]).toBe(-1);
      }
      await expect(program.launchAsync('fill', [1, 2, 1])).rejects.toThrow('must be true or false, it is 1');
      program.dispose();
    }
  });

  it('gives each thread scratch of its own, however many there are, and the host no view of it', async () => {
    const [n, size] = [64, 8192];
    const buffers = [
      declareBuffer('s', 'f64', size, 'scratch'),
      declareBuffer('t', 'i32', size, 'scratch'),
      declareBuffer('y', 'f64', n, 'output'),
    ];
    const kernel = buildKernel(
      'k',
      {},
      (b) => {
        b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true }, [], (i) => {
          b.for(b.i32(0), b.i32(size), b.i32(1), {}, [], (k) => {
            b.store('s', b.cast(b.add(i, k), 'f64'), k);
            b.store('t', b.sub(k, i), k);
          });
          const [sum] = b.for(b.i32(0), b.i32(size), b.i32(1), {}, [b.f64(0)], (k, [acc]) =>
            b.add(acc, b.mul(b.load('s', k), b.cast(b.load('t', k), 'f64'))),
          );
          b.store('y', sum, i);
        });
      },
      buffers,
    );
    const expected = Array.from({ length: n }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += (i + k) * (k - i);
      return sum;
    });
    for (const shared of [true, false]) {
      const x = await loaded(makeModule('m', buffers, [kernel]), wasm({ shared }));
      expect(Object.keys(x.buffers)).toEqual(['y']);
      for (const threads of [1, 5, 2, 9]) {
        x.buffers.y.fill(0 as never);
        x.run({ threads });
        expect([...x.buffers.y]).toEqual(expected);
      }
      x.dispose();
    }
  });

  it('stays usable after a trap', async () => {
    const buffers = [declareBuffer('x', 'i32', 5000, 'input'), declareBuffer('y', 'i32', 5000, 'output')];
    const kernel = buildKernel(
      'k',
      {},
      (b) => {
        b.for(b.i32(0), b.i32(5000), b.i32(1), { parallel: true }, [], (i) => {
          const [q] = b.for(b.i32(0), b.i32(40), b.i32(1), {}, [b.i32(0)], (j, [s]) => [
            b.add(s, b.div(j, b.load('x', i))),
          ]);
          b.store('y', q, i);
        });
      },
      buffers,
    );
    const program = await loaded(makeModule('m', buffers, [kernel]));
    const { x, y } = program.buffers;
    for (const at of [0, 2500, 4999]) {
      x.fill(1 as never);
      x[at] = 0;
      expect(await codeOf(() => program.run({ threads: 2 }))).toBe('run/trap');
      expect(await codeOf(() => program.runAsync({ threads: 2 }))).toBe('run/trap');
      x[at] = 1;
      program.run({ threads: 2 });
      expect(y[at]).toBe(780);
    }
    program.dispose();
  });

  it('launches kernels with arguments of every kind', async () => {
    const types = ['i1', 'i8', 'u16', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'] as const;
    const buffers = types.map((t) => declareBuffer(t, t, 1, 'output'));
    const kernel = buildKernel(
      'k',
      Object.fromEntries(types.map((t) => [`p_${t}`, t])),
      (b, params) => {
        types.forEach((t, k) => b.store(t, Object.values(params)[k], b.i32(0)));
      },
      buffers,
    );
    const program = await loaded(makeModule('m', buffers, [kernel]));
    program.launch('k', [true, -5, 65535, -7, 2 ** 32 - 1, -(2n ** 62n), 2n ** 64n - 1n, 0.5, Math.PI]);
    expect(types.map((t) => program.buffers[t][0])).toEqual([
      1,
      -5,
      65535,
      -7,
      2 ** 32 - 1,
      -(2n ** 62n),
      2n ** 64n - 1n,
      0.5,
      Math.PI,
    ]);
    const good = [true, 0, 0, 0, 0, 0n, 0n, 0, 0];
    const withArgument = (k: number, x: number | bigint | boolean) => () =>
      program.launch(
        'k',
        good.map((g, j) => (j === k ? x : g)),
      );
    expect(await codeOf(withArgument(0, 1))).toBe('run/arguments');
    expect(await codeOf(withArgument(1, 128))).toBe('run/arguments');
    expect(await codeOf(withArgument(3, 0.5))).toBe('run/arguments');
    expect(await codeOf(withArgument(6, -1n))).toBe('run/arguments');
    expect(await codeOf(() => program.launch('k', []))).toBe('run/arguments');
    expect(await codeOf(() => program.launch('other', []))).toBe('run/kernel');
    expect(await codeOf(() => program.run())).toBe('run/arguments');
    program.dispose();
  });

  it('refuses misuse with a diagnostic', async () => {
    const program = await loaded(scale());
    for (const threads of [0, 1.5, 2000, Number.NaN])
      expect(await codeOf(() => program.run({ threads }))).toBe('option/value');
    program.dispose();
    program.dispose();
    expect(await codeOf(() => program.run())).toBe('run/disposed');
    expect(await codeOf(() => program.runAsync())).toBe('run/disposed');
  });

  it('lets the process end though threads were not disposed of', async () => {
    const script = `
      import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
      import { wasm } from '@filigree/backend-wasm';
      const buffers = [declareBuffer('y', 'f64', 100000, 'output')];
      const kernel = buildKernel('k', {}, (b) => {
        b.for(b.i32(0), b.i32(100000), b.i32(1), { parallel: true }, [], (i) => { b.store('y', b.cast(i, 'f64'), i); });
      }, buffers);
      const module = makeModule('m', buffers, [kernel]);
      const backend = wasm();
      const artifact = (await backend.compile(backend.emit.run(module).right, { cache: false })()).right;
      const program = (await backend.load(artifact, module)()).right;
      program.run({ threads: 3 });
      await program.runAsync({ threads: 2 });
      console.log(program.buffers.y[99999]);`;
    const args = [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, timeout: 30_000 });
    expect(stdout.trim()).toBe('99999');
  });
});

describe('compile and load', () => {
  it('keeps compiled bytes by content', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'filigree-wasm-'));
    try {
      const first = await compiled(scale(), wasm(), folder);
      const second = await compiled(scale(), wasm(), folder);
      const other = await compiled(scale(1001), wasm(), folder);
      expect([first.cached, second.cached, other.cached]).toEqual([false, true, false]);
      expect(second.bytes).toEqual(first.bytes);
      expect(other.hash).not.toBe(first.hash);
      expect(await readdir(folder)).toContain(first.hash);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says why a module does not fit', async () => {
    const buffers = [declareBuffer('x', 'f64', 2 ** 29, 'input')];
    const module = makeModule('big', buffers, [buildKernel('k', {}, () => undefined, buffers)]);
    const result = wasm().emit.run(module);
    expect(E.isLeft(result) && result.left[0]).toMatchObject({
      code: 'wasm/memory-too-large',
      message: expect.stringContaining('4.0 GiB') as string,
    });
  });

  it('does not load what belongs to another module', async () => {
    const backend = wasm();
    const artifact = await compiled(scale());
    expect(await codeOf(() => settled(backend.load?.(artifact, scale(1_000_000))))).toBe('load/artifact');
    expect(await codeOf(() => settled(backend.load?.(artifact, deepRoots(1000))))).toBe('load/artifact');
    expect(
      await codeOf(() => settled(backend.load?.({ ...artifact, bytes: new Uint8Array([1, 2, 3]) }, scale()))),
    ).toBe('wasm/compile');
    expect(
      await codeOf(() => settled(backend.load?.({ backend: 'wasm', hash: '', cached: false, compileMs: 0 }, scale()))),
    ).toBe('load/artifact');
  });

  it('refuses text that is not what emit wrote, and ops it does not know', async () => {
    const backend = wasm();
    const file = {
      name: 'kernels.wat',
      language: 'wat',
      contents: '(module (func $f (result i32) nonsense))',
    } as const;
    expect(await codeOf(() => settled(backend.compile?.({ backend: 'wasm', files: [file] }, { cache: false })))).toBe(
      'wasm/text',
    );
    expect(await codeOf(() => settled(backend.compile?.({ backend: 'wasm', files: [] }, { cache: false })))).toBe(
      'wasm/sources',
    );
    const strange = { name: 'my.op', operands: [], results: [], attrs: {}, regions: [] };
    const body = { params: [], ops: [strange, { ...strange, name: 'scf.yield' }] };
    const module: Module = { name: 'm', buffers: [], kernels: [{ name: 'k', params: [], body, attrs: {} }], attrs: {} };
    expect(await codeOf(() => value(backend.emit.run(module)))).toBe('wasm/op');
  });

  it('refuses functions that neither WebAssembly nor JavaScript has', async () => {
    const buffers = [declareBuffer('y', 'f64', 1, 'output')];
    const sine = buildKernel('k', {}, (b) => void b.store('y', b.math('sin', b.f64(0.5)), b.i32(0)), buffers);
    const module = makeModule('m', buffers, [sine]);
    expect(await codeOf(() => value(wasm().emit.run(module)))).toBe('none');
    const unknown = JSON.parse(JSON.stringify(module).replace('math.sin', 'math.erf')) as Module;
    expect(await codeOf(() => value(wasm().emit.run(unknown)))).toBe('wasm/op');
  });

  it('is usable here', async () => {
    expect(await wasm().probe()).toEqual({
      name: 'wasm',
      usable: true,
      reason: '',
      toolchain: expect.stringContaining('filigree') as string,
    });
  });
});
