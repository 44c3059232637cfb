import { findToolchain } from '@filigree/backend/native';
import type { Executable } from '@filigree/backend';
import { type LaunchTime, probeGpu } from '@filigree/backend/gpu';
import { metal, metalDriver } from '@filigree/backend-metal';
import { type Module, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import koffi from 'koffi';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type StandIn, hasObjectiveC, metalByHost } from '../src/index.js';
import { compileForStandIn, hostOnStandIn } from '../src/metal-stand-in.js';
import { changed } from './changed.js';
import { counting } from './counting.js';

/* Of the tier `toolchain`. */
const usable = ((await hasObjectiveC()) && (await findToolchain()())._tag === 'Right') || process.env['CI'] === 'true';

const out = mkdtempSync(join(tmpdir(), 'filigree-metal-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/* Commands that end with an error of this number, as Metal counts them. */
const FORCED = 'FILIGREE_FORCED_RESULT';
afterEach(() => void delete process.env[FORCED]);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The stand-in, or the host, with one place of its text changed. */
const replaced = (file: string, from: string, to: string): StandIn => ({
  change: (text, which) => {
    if (which !== file) return text;
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    return text.replace(from, to);
  },
});

const failing = replaced(
  'metal.m',
  '  if (result != 0) [self',
  `  if (getenv("${FORCED}")) [self failWith:atoi(getenv("${FORCED}")) because:"it was told to"];\n  if (result != 0) [self`,
);

/* So many are not done when somebody else begins. */
const LONG = 1 << 22;

/** More buffers and numbers than Metal binds: each element of the last buffer is the sum of all others, times a number. */
const MANY = 40;
const many = (): Module => {
  const buffers = Array.from({ length: MANY }, (_, k) =>
    declareBuffer(`b${k}`, 'f32', 4, k === MANY - 1 ? 'output' : 'input'),
  );
  return makeModule('many', buffers, [
    buildKernel(
      'sum',
      { times: 'f32', long: 'i64', odd: 'i1' },
      (b, { times, odd }) =>
        void b.for(b.i32(0), b.i32(4), b.i32(1), { parallel: true }, [], (n) => {
          const sum = buffers.slice(0, -1).reduce((all, { name }) => b.add(all, b.load(name, n)), b.constant(0, 'f32'));
          b.store(`b${MANY - 1}`, b.select(odd, b.mul(sum, times), sum), n);
        }),
      buffers,
    ),
  ]);
};

const loaded = async (of: Module, ...how: Parameters<typeof metalByHost>): Promise<Executable> => {
  const backend = metalByHost(...how);
  const legal = orThrow(backend.legalize.run(of));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  return orThrow(await backend.load!(artifact, legal)());
};

const sumOfMany = (x: Executable): readonly number[] => {
  for (let k = 0; k < MANY - 1; k++) x.buffer(`b${k}`).write(Float32Array.of(k, 2 * k, 3 * k, 1));
  x.launch('sum', [0.5, 2n ** 40n, true]);
  return [...x.buffer(`b${MANY - 1}`).read()] as number[];
};
const wanted = [1, 2, 3].map((k) => (0.5 * k * (MANY - 1) * (MANY - 2)) / 2).concat((MANY - 1) / 2);

describe.skipIf(!usable)('the host of Metal', () => {
  it('gives the host views of its memory, which stay for as long as they are looked at', async () => {
    const x = await loaded(counting());
    expect(x.memory.mapped).toBe(true);
    const view = x.buffers['x'] as Int32Array;
    view.set([1, 2, 3]);
    x.launch('add', []);
    expect([...view]).toEqual([2, 3, 4, 1, 1, 1, 1, 1]);
    x.dispose();
    const next = await loaded(counting());
    next.launch('add', []);
    expect([...view].slice(0, 3)).toEqual([2, 3, 4]);
    next.dispose();
  });

  it('hands more than 31 arguments over in a buffer', async () => {
    const x = await loaded(many());
    expect(sumOfMany(x)).toEqual(wanted);
    x.dispose();
  });

  it('leaves nothing behind', async () => {
    const alive = koffi.load(await hostOnStandIn('forward')).func('filigree_alive', 'long', []) as () => number;
    const cycle = async (): Promise<void> => {
      const x = await loaded(many(), {}, { graphs: true });
      for (let n = 0; n < 3; n++) sumOfMany(x);
      const list = x.commands([{ kernel: 'sum', args: [1, 0n, false] }]);
      for (let n = 0; n < 3; n++) list.run();
      await list.runAsync();
      x.dispose();
    };
    await cycle();
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = alive();
    await cycle();
    /* What the host has had views of goes when they have gone. */
    await expect.poll(() => (collect(), alive()), { timeout: 10_000 }).toBe(before);
  });

  it.each<readonly [what: string, of: () => Module, from: string, to: string]>([
    ['does not say which buffers it uses', many, '[encoder useResource:', 'if (0) [encoder useResource:'],
    ['binds all buffers but the last', counting, 'n < k->buffers; n++', 'n + 1 < k->buffers; n++'],
  ])('fails where it %s', async (_, of, from, to) => {
    const x = await loaded(of(), replaced('commands.h', from, to));
    expect(() => (of === many ? sumOfMany(x) : x.launch('add', []))).toThrow(/metal\/call.*(not bound|not there)/s);
    x.dispose();
  });
});

describe.skipIf(!usable)('the backend for Metal', () => {
  const { env } = process;
  afterEach(() => {
    delete env['FILIGREE_METAL'];
    delete env['FILIGREE_METAL_DRIVER'];
  });

  it('loads a library that a compiler has made', async () => {
    const compiler = join(out, 'metal');
    writeFileSync(compiler, '#!/bin/sh\n[ "$1" = --version ] || { echo MTLB; cat "$2"; } > "$4"\n');
    chmodSync(compiler, 0o755);
    env['FILIGREE_METAL'] = compiler;
    const x = await loaded(counting());
    x.launch('add', []);
    expect([...x.buffer('x').read()]).toEqual(Array(8).fill(1));
    x.dispose();
  });

  it('says that it works where the host and a device are, by the options that other GPUs have', async () => {
    env['FILIGREE_METAL_DRIVER'] = await hostOnStandIn('forward');
    const told: LaunchTime[] = [];
    const backend = metal({ timed: (t) => told.push(t), limit: 60, checked: true });
    expect(await backend.probe()).toEqual({
      name: 'metal',
      usable: true,
      reason: '',
      toolchain: "macOS's own compiler, CPU",
    });
    const legal = orThrow(backend.legalize.run(counting()));
    const sources = orThrow(backend.emit.run(legal));
    const artifact = orThrow(await backend.compile!(sources)());
    await compileForStandIn(env['FILIGREE_METAL_DRIVER'], artifact.path!, sources);
    const x = orThrow(await backend.load!(artifact, legal)());
    await x.launchAsync('add', []);
    expect(x.buffers['x']![0]).toBe(1);
    expect(told).toMatchObject([{ kernel: 'add', blocks: 1 }]);
    x.dispose();
  });
});

describe.skipIf(!usable)('of Metal', () => {
  it.each<readonly [what: string, standIn: StandIn, said: RegExp]>([
    [
      'no device is a diagnostic',
      replaced('metal.m', 'return [[Device alloc] init];', 'return nil;'),
      /metal\/driver.*there is no device.*use a Mac/s,
    ],
    [
      'a device whose threads go in step by 64 is refused',
      replaced('metal.m', 'return 32; }', 'return 64; }'),
      /metal\/call.*in step by more than 32/s,
    ],
    [
      'a device without room is a diagnostic',
      replaced('metal.m', 'length == 0 || cuMemAlloc', 'length > 0 || cuMemAlloc'),
      /metal\/call.*out of memory.*smaller buffers/s,
    ],
    [
      'a library without the kernel is a diagnostic',
      replaced('metal.m', '[name UTF8String]) != 0) return nil', '"gone") != 0) return nil'),
      /metal\/call.*no such kernel: filigree_kernel_add/s,
    ],
    [
      'a host that lacks a call is a diagnostic',
      replaced('host.m', 'filigree_metal_allocate(', 'gone('),
      /metal\/driver.*no call filigree_metal_allocate/s,
    ],
  ])('%s', async (_, standIn, said) => {
    const run = async (): Promise<void> => {
      const x = await loaded(counting(), standIn);
      x.launch('add', []);
    };
    await expect(run()).rejects.toThrow(said);
  });

  it('a device that is not the default one is used where there is no default one', async () => {
    const standIn = replaced(
      'metal.m',
      'MTLCreateSystemDefaultDevice(void) { return newDevice(); }',
      'MTLCreateSystemDefaultDevice(void) { return nil; }',
    );
    const x = await loaded(counting(), standIn);
    x.launch('add', []);
    expect(x.buffers['x']![0]).toBe(1);
    x.dispose();
  });

  it('no device is what a probe says', async () => {
    const path = await hostOnStandIn(
      'forward',
      replaced('metal.m', 'return [[Device alloc] init];', 'return nil;').change,
    );
    const probe = (open: string) =>
      probeGpu(
        'metal',
        () => metalDriver({ path: open }),
        () => Promise.resolve({ version: 'text' }),
      );
    expect(await probe(path)).toMatchObject({
      usable: false,
      reason: expect.stringContaining('there is no device') as string,
    });
    expect(await probe(await hostOnStandIn('forward'))).toMatchObject({ usable: true, toolchain: 'text, CPU' });
  });

  it.each<readonly [code: number, said: RegExp]>([
    [1, /metal\/call.*a kernel failed on the device: it was told to.*checked/s],
    [2, /a kernel ran too long/],
    [3, /touched memory that is not its own.*checked/s],
    [8, /out of memory.*smaller buffers/s],
    [77, /error 1077: it was told to/],
  ])('commands that end with error %d are a diagnostic', async (code, said) => {
    const x = await loaded(counting(), failing);
    process.env[FORCED] = String(code);
    expect(() => x.launch('add', [])).toThrow(said);
    await expect(x.launchAsync('add', [])).rejects.toThrow(said);
    delete process.env[FORCED];
    (x.buffers['x'] as Int32Array).fill(0);
    x.launch('add', []);
    expect([...x.buffers['x']!]).toEqual(Array(8).fill(1));
    x.dispose();
  });

  it('commands that fail while another waits are known to all who wait', async () => {
    const [x, y] = [await loaded(counting(LONG), failing), await loaded(counting(), failing)];
    process.env[FORCED] = '3';
    const running = x.launchAsync('add', []);
    expect(() => y.launch('add', [])).toThrow(/touched memory/);
    await expect(running).rejects.toThrow(/touched memory/);
    delete process.env[FORCED];
    await Promise.all([x.launchAsync('add', []), y.launchAsync('add', [])]);
    x.dispose();
    y.dispose();
  });

  it('text that does not compile is a diagnostic with what the compiler said', async () => {
    const backend = changed(metalByHost(), (t) => t.replace('kernel void', 'kernel nothing'));
    const legal = orThrow(backend.legalize.run(counting()));
    const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
    await expect(backend.load!(artifact, legal)()).resolves.toMatchObject({
      left: [{ code: 'metal/call', message: expect.stringMatching(/does not compile.*nothing/s) as string }],
    });
  });

  it('kernels that take too long are given up on, if that is asked for', async () => {
    /* Another build: the device is busy from then on. */
    const x = await loaded(counting(), { order: { seed: 5 } }, { limit: 0.05 });
    x.launch('add', []);
    expect(() => x.launch('long', [])).toThrow(/metal\/limit.*not done after 0.05 s.*does not end/s);
    await expect(x.launchAsync('add', [])).rejects.toThrow(/metal\/limit/);
    x.dispose();
  });
});
