import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { type Module, buildKernel, coreDialects, declareBuffer, interpret, makeModule } from '@filigree/ir';
import { axpy, loaded, problems, right, script, sourcesOf, temporaryFolder } from './helpers.js';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();
const compile = cpp().compile!;

describe('a compiler that fails', () => {
  it('is reported when it does not exist', async () => {
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler: '/nowhere/c++' }));
    expect(d).toMatchObject({ code: 'toolchain/unusable', severity: 'error' });
    expect(d.message).toContain("'/nowhere/c++'");
    expect(d.remedy).toBeTruthy();
  });

  it('is reported when it does not run', async () => {
    const compiler = script(temporaryFolder(), 'c++', 'echo "licence expired" >&2; exit 3');
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler }));
    expect(d.code).toBe('toolchain/unusable');
    expect(d.message).toContain('licence expired');
  });

  /* Passes the probe, then does `last` on kernels.cpp. */
  const fake = (last: string): string =>
    script(
      temporaryFolder(),
      'c++',
      `case "$*" in *--version*) echo 'fake 1.0'; exit 0;; *probe.cpp*) for a; do out=$a; done; touch "$out"; exit 0;; esac\n${last}`,
    );

  it('is reported with the first lines of what it says', async () => {
    const compiler = fake('for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "complaint $i" >&2; done; exit 1');
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler, cache: temporaryFolder() }));
    expect(d.code).toBe('cpp/compile');
    expect(d.message).toContain('complaint 1\n');
    expect(d.message).toContain('… 4 more lines');
    expect(d.message).not.toContain('complaint 12');
  });

  it('is reported when it is killed', async () => {
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler: fake('kill -9 $$'), cache: temporaryFolder() }));
    expect(d).toMatchObject({ code: 'cpp/killed', message: expect.stringContaining('SIGKILL') as string });
  });

  it('is stopped and reported when it hangs', async () => {
    const cache = temporaryFolder();
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler: fake('sleep 1000'), cache, limitMs: 200 }));
    expect(d).toMatchObject({ code: 'cpp/timeout', message: expect.stringContaining('0.2 s') as string });
    expect(readdirSync(cache).filter((entry) => !readdirSync(join(cache, entry)).includes('toolchain.json'))).toEqual(
      [],
    );
  });

  it('is reported when it writes nothing and says nothing', async () => {
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler: fake('exit 0'), cache: temporaryFolder() }));
    expect(d).toMatchObject({ code: 'cpp/compile', message: expect.stringContaining('wrote no file') as string });
  });

  it('is reported when the disk is full for the cache folder and for temporary files', async () => {
    const compiler = fake('echo "fatal error: error writing to kernels.o: No space left on device" >&2; exit 1');
    const [d] = await problems(compile(sourcesOf(axpy()), { compiler, cache: temporaryFolder() }));
    expect(d.code).toBe('cache/unwritable');
    expect(d.message).toContain('ENOSPC');
  });
});

describe.skipIf(!usable)('no folder at all that can be written', () => {
  it('is reported', async () => {
    /* The folder for temporary files is chosen once in a process, so this needs one of its own. */
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const source = `
      import { findToolchain, cachedFile } from '@filigree/backend/native';
      await findToolchain()();
      process.env.TMPDIR = ${JSON.stringify(join(folder, 'file'))};
      const build = async () => undefined;
      for (const cache of [false, ${JSON.stringify(join(folder, 'file', 'cache'))}])
        await cachedFile({ cache, key: 'k'.repeat(64), file: 'f', build }).catch((e) => console.log(e.diagnostics?.[0].code ?? e));`;
    const args = [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), '--input-type=module', '--eval', source];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim().split('\n')).toEqual(['cache/unwritable', 'cache/unwritable']);
  });
});

describe('sources of another backend', () => {
  it('are refused', async () => {
    expect(await problems(compile({ backend: 'wasm', files: [] }))).toMatchObject([{ code: 'cpp/sources' }]);
  });
});

/** Kernels of a parallel loop each, with so many ops that their sources are long, each with a factor of its own. */
const longKernels = (factors: readonly number[]): Module => {
  const buffers = [declareBuffer('x', 'f64', 8, 'input'), declareBuffer('y', 'f64', 8, 'inout')];
  const kernels = factors.map((factor, k) =>
    buildKernel(
      `k${k}`,
      {},
      (b) =>
        void b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (i) => {
          let v = b.load('x', i);
          for (let n = 0; n < 300; n++) v = b.math('sqrt', b.add(b.mul(v, b.f64(factor)), b.f64(n)));
          b.store('y', b.add(b.load('y', i), v), i);
        }),
      buffers,
    ),
  );
  return makeModule('long', buffers, kernels);
};

/** A kernel of so many parallel loops that count in common elements, each shorter than what is worth a unit. */
const shortLoops = (loops: number): Module => {
  const buffers = [declareBuffer('sums', 'i32', 16, 'inout')];
  const kernel = buildKernel(
    'count',
    {},
    (b) => {
      for (let loop = 0; loop < loops; loop++)
        b.for(b.i32(0), b.i32(2000), b.i32(1), { parallel: true }, [], (i) => {
          for (let n = 0; n < 16; n++) b.atomic('sums', 'add', b.and(b.add(i, b.i32(n)), b.i32(loop + 1)), b.i32(n));
        });
    },
    buffers,
  );
  return makeModule('short', buffers, [kernel]);
};

describe.skipIf(!usable)('long sources', () => {
  it('are compiled in units, of which those that changed are compiled again', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const compiler = script(folder, 'c++', `echo "$*" >> ${log}; exec c++ "$@"`);
    const options = { compiler, cache: join(folder, 'cache'), fastMath: false };
    const calls = async (module: Module): Promise<number> => {
      writeFileSync(log, '');
      right(await compile(sourcesOf(module), options)());
      return (readFileSync(log, 'utf8').match(/ -c kernels\.cpp/g) ?? []).length;
    };
    expect([...sourcesOf(axpy()).units!]).toEqual([]);
    expect(sourcesOf(longKernels([1, 2, 3])).units).toHaveLength(4);
    /* The units and the entry points. */
    expect(await calls(longKernels([1, 2, 3]))).toBe(5);
    expect(await calls(longKernels([1, 4, 3]))).toBe(1);
    expect(await calls(longKernels([1, 4, 3]))).toBe(0);
  });

  it.each([['with a cache'], ['without']])('are compiled once where it was begun ahead, %s', async (how) => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const compiler = script(folder, 'c++', `echo "$*" >> ${log}; exec c++ "$@"`);
    const options = { compiler, cache: how === 'without' ? (false as const) : join(folder, 'cache') };
    const whole = longKernels([5, 6, 7]);
    for (const kernel of whole.kernels.slice(0, 2))
      await cpp().ahead!(sourcesOf({ ...whole, kernels: [kernel] }), options);
    const calls = (): number =>
      existsSync(log) ? (readFileSync(log, 'utf8').match(/ -c kernels\.cpp/g) ?? []).length : 0;
    await expect.poll(calls, { timeout: 60_000 }).toBeGreaterThan(0);
    right(await compile(sourcesOf(whole), options)());
    expect(calls()).toBe(5);
  });

  it('on lanes are compiled once too, though what was made legal alone is made so again with the others', () => {
    const buffers = [
      declareBuffer('table', 'i32', 64, 'input'),
      declareBuffer('x', 'f32', 64, 'input'),
      declareBuffer('y', 'f32', 64, 'inout'),
    ];
    const gathering = [2, 3].map((factor) =>
      buildKernel(
        `gather${factor}`,
        {},
        (b) =>
          void b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (row) => {
            const first = b.mul(row, b.i32(8));
            b.for(b.i32(0), b.i32(8), b.i32(1), { simd: true }, [], (k) => {
              let sum = b.constant(0, 'f32');
              for (let n = 0; n < 80; n++) {
                const at = b.load('table', b.and(b.add(first, b.mul(k, b.i32(n + factor))), b.i32(63)));
                sum = b.add(sum, b.mul(b.load('x', at), b.constant(n + factor, 'f32')));
              }
              b.store('y', sum, b.add(first, k));
            });
          }),
        buffers,
      ),
    );
    const module = makeModule('gathers', buffers, gathering);
    const backend = cpp();
    const textsOf = (m: Module): readonly string[] => right(backend.emit.run(m)).lasting!;
    const alone = module.kernels.map((kernel) => right(backend.legalize.run({ ...module, kernels: [kernel] })));
    const begun = alone.flatMap(textsOf);
    expect(begun.join()).toContain('f32x8');
    const kernels = alone.map((m) => m.kernels[0]!);
    expect(textsOf(right(backend.legalize.run({ ...module, kernels })))).toEqual(begun);
  });

  it('of short loops are compiled in units too, for one thread or for any number', async () => {
    const module = shortLoops(6);
    const sources = sourcesOf(module);
    expect(sources.units!.length).toBeGreaterThan(1);
    const expected = new Int32Array(16);
    right(interpret(module, coreDialects, { sums: expected }));
    for (const oneThread of [true, false]) {
      const artifact = right(await compile(sources, { cache: temporaryFolder(), oneThread })());
      const run = right(await cpp().load!(artifact, module)());
      for (const threads of [1, 2]) {
        (run.buffers.sums as Int32Array).fill(0);
        run.run({ threads });
        expect(run.buffers.sums).toEqual(expected);
      }
      run.dispose();
    }
  });

  it('give what they give in one piece, and what the interpreter gives', async () => {
    const module = longKernels([1, 2, 3]);
    const x = Float64Array.from({ length: 8 }, (_, i) => i + 0.5);
    const expected = new Float64Array(8);
    right(interpret(module, coreDialects, { x, y: expected }));
    const { units: _, ...whole } = sourcesOf(module);
    for (const sources of [sourcesOf(module), whole]) {
      const artifact = right(await compile(sources, { cache: temporaryFolder(), fastMath: false })());
      const run = right(await cpp().load!(artifact, module)());
      (run.buffers.x as Float64Array).set(x);
      run.run({ threads: 2 });
      expect(run.buffers.y).toEqual(expected);
      run.dispose();
    }
  });

  it('that a compiler refuses are reported once', async () => {
    const sources = sourcesOf(longKernels([1, 2, 3]));
    const broken = { ...sources, units: sources.units!.map((u) => `${u}\n#error not this one`) };
    const [d, ...more] = await problems(compile(broken, { cache: temporaryFolder() }));
    expect(d).toMatchObject({ code: 'cpp/compile', message: expect.stringContaining('not this one') as string });
    expect(more).toEqual([]);
  });
});

describe.skipIf(!usable)('the cache', () => {
  it('serves a second compilation, and modules of the same structure', async () => {
    const cache = temporaryFolder();
    const first = right(await compile(sourcesOf(axpy()), { cache })());
    const second = right(await compile(sourcesOf(axpy(8, [5, 5, 5, 5, 5, 5, 5, 5])), { cache })());
    expect([first.cached, second.cached]).toEqual([false, true]);
    expect(second.path).toBe(first.path);
    expect(readdirSync(cache)).toEqual([first.hash]);
  });

  it('serves another process, which starts no compiler', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const compiler = script(folder, 'c++', `echo "$*" >> ${log}; exec c++ "$@"`);
    const text = sourcesOf(axpy()).files[0].contents;
    const options = { compiler, cache: join(folder, 'cache') };
    const source = `
      import { cpp } from '@filigree/backend-cpp';
      const files = [{ name: 'kernels.cpp', language: 'cpp', contents: ${JSON.stringify(text)} }];
      const made = await cpp().compile({ backend: 'cpp', files }, ${JSON.stringify(options)})();
      console.log(made.right.cached);`;
    const args = [...process.env['FILIGREE_NODE_FLAGS']!.split(' '), '--input-type=module', '--eval', source];
    const first = await promisify(execFile)(process.execPath, args);
    const started = readFileSync(log, 'utf8').trim().split('\n').length;
    expect(first.stdout.trim()).toBe('false');
    expect(started).toBeGreaterThan(1);
    const second = await promisify(execFile)(process.execPath, args);
    expect(second.stdout.trim()).toBe('true');
    expect(readFileSync(log, 'utf8').trim().split('\n').length).toBe(started);
  });

  it('keeps apart what differs in flags', async () => {
    const cache = temporaryFolder();
    const hashes = await Promise.all(
      [{}, { fastMath: false }, { flags: ['-O1'] }].map(
        async (o) => right(await compile(sourcesOf(axpy()), { cache, ...o })()).hash,
      ),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it('builds anew what was corrupted', async () => {
    const cache = temporaryFolder();
    const { path } = right(await compile(sourcesOf(axpy()), { cache })());
    const good = readFileSync(path!);
    writeFileSync(path!, good.subarray(0, good.length >> 1));
    const again = right(await compile(sourcesOf(axpy()), { cache })());
    expect(again).toMatchObject({ cached: false, path });
    expect(statSync(path!).size).toBe(good.length);
  });

  it('falls back with a warning where the folder cannot be written', async () => {
    const file = join(temporaryFolder(), 'a file');
    writeFileSync(file, '');
    const artifact = right(await compile(sourcesOf(axpy()), { cache: join(file, 'folder') })());
    expect(artifact.warnings).toMatchObject([{ severity: 'warning', code: 'cache/unwritable' }]);
    expect(statSync(artifact.path!).size).toBeGreaterThan(0);
  });

  it('can be turned off', async () => {
    const first = right(await compile(sourcesOf(axpy()), { cache: false })());
    const second = right(await compile(sourcesOf(axpy()), { cache: false })());
    expect([first.cached, second.cached]).toEqual([false, false]);
  });

  it('is filled by several at once without harm', async () => {
    const cache = temporaryFolder();
    const all = await Promise.all(Array.from({ length: 4 }, () => compile(sourcesOf(axpy()), { cache })()));
    expect(new Set(all.map((a) => right(a).path)).size).toBe(1);
    expect(readdirSync(cache)).toEqual([right(all[0]).hash]);
    expect(readdirSync(dirname(right(all[0]).path!)).sort()).toEqual(['kernels.cpp', 'kernels.so', 'sha256']);
  });

  it('results run', async () => {
    const x = await loaded(axpy(), { compile: { cache: temporaryFolder() } });
    x.buffers.x.fill(2 as never);
    x.run();
    expect([...x.buffers.y]).toEqual([-0, -2, -4, -6, -8, -10, -12, -14].map((v) => v + 0));
  });
});
