import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError, type Diagnostics } from '@filigree/ir';
import { kernel, range, type Grid1 } from '@filigree/lang/kernels';
import { fixed } from '@filigree/quant';
import { program, session, type Program, type ProgramOptions, type ScalarHostField } from '@filigree/runtime';
import { dense, field, i, layout, stored } from '@filigree/sparse/fields';
import { chainOn } from './queue-kernels.js';

const [x, y, q] = (['x', 'y', 'q'] as const).map((name) => field(name, 'f32'));
const tree = layout(dense(i, 16).pointer().dense(i, 16).place(x, y), dense(i, 64).place(stored(q, fixed(12, 64))));

const kernels = {
  ...chainOn(x, y),
  store: kernel([x, q], (x: Grid1, q: Grid1) => {
    for (const i of range(64)) q[i] = x[i] / 2;
  }),
};

type Made = Program<typeof kernels>;

const right = <A>(made: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

const make = async (options: Partial<ProgramOptions> = {}): Promise<Made> => {
  const made = await program({
    ...{ layout: tree, kernels, backend: cpp(), queue: { workers: 1 }, cache: false, fastMath: false },
    ...options,
  })();
  return right(made) as unknown as Made;
};

const at = (p: Made, name: 'x' | 'y' | 'q', k: number): number => Number((p.fields[name] as ScalarHostField).get([k]));

const window = (p: Made): void => {
  p.run.init(20);
  p.run.inc();
  p.run.double();
  p.run.copy();
  p.run.store();
  p.flush();
};

const computed = (p: Made): readonly number[] => [at(p, 'x', 3), at(p, 'y', 3), at(p, 'q', 3)];

/** Runs windows until there is code for them: without ever waiting where there are workers. */
const coded = async (p: Made, workers: number): Promise<void> => {
  if (workers > 0) return loop(p);
  window(p);
  await p.sync({ compiled: true });
};

const loop = (p: Made): void => {
  const begin = performance.now();
  while (p.queued()!.tasksCompiled === 0 && performance.now() - begin < 60_000) window(p);
};

const launched = (p: Made): number => {
  const before = p.queued()!.tasksLaunched;
  window(p);
  return p.queued()!.tasksLaunched - before;
};

const { usable } = await cpp().probe();

describe.each([
  ['cpp', cpp, usable || process.env.CI === 'true'],
  ['wasm', wasm, true],
] as const)('workers, %s', (_, backend, usable) => {
  const it = test.skipIf(!usable);

  it('make the code of plans while a loop goes on that never waits', async () => {
    const p = await make({ backend: backend() });
    window(p);
    expect(p.queued()).toMatchObject({ plans: 1, tasksCompiled: 0, tasksLaunched: 5 });
    loop(p);
    expect(launched(p)).toBeLessThan(5);
    expect(computed(p)).toEqual([8, 8, 4]);
    expect(p.queued()).toMatchObject({ plans: 1, tasksKept: 0, warnings: [] });
    p.dispose();
  });

  it('that die lose nothing: launches run one by one, and this thread makes their code when it has time', async () => {
    const own = backend();
    const dying: Backend = {
      ...own,
      origin: { ...own.origin!, from: './dying-backend.mjs', near: import.meta.url, make: 'dying' },
    };
    /* No other program has these. */
    const p = await make({ backend: dying, queue: { workers: 3 } });
    for (let k = 0; k < 3; k++) {
      window(p);
      await new Promise((resolve) => setTimeout(resolve));
    }
    for (let k = 0; k < 200 && p.queued()!.tasksCompiled === 0; k++) {
      window(p);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(launched(p)).toBeLessThan(5);
    expect(computed(p)).toEqual([8, 8, 4]);
    expect(p.queued()!.warnings).toEqual([]);
    p.dispose();
  });

  it('that find no compiler say so, and launches run one by one', async () => {
    const own = backend();
    const lost: Backend = { ...own, origin: { ...own.origin!, make: 'nobody' } };
    const p = await make({ backend: lost, queue: { workers: 2 } });
    for (let k = 0; k < 400 && p.queued()!.warnings.length === 0; k++) {
      window(p);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(p.queued()!.warnings.map((w) => [w.severity, w.code])).toEqual([['warning', 'queue/code']]);
    expect(launched(p)).toBe(5);
    expect(computed(p)).toEqual([8, 8, 4]);
    p.dispose();
  });

  describe('what they have made', () => {
    let cache = '';
    beforeAll(async () => {
      cache = await mkdtemp(join(tmpdir(), 'filigree-workers-'));
    });
    afterAll(() => rm(cache, { recursive: true, force: true }));

    it('is there at the first flush of another program, which compiles nothing', async () => {
      const first = await make({ cache, backend: backend() });
      loop(first);
      expect(first.queued()!.tasksKept).toBe(0);
      first.dispose();
      const second = await make({ cache, backend: backend() });
      expect(launched(second)).toBeLessThan(5);
      expect(computed(second)).toEqual([8, 8, 4]);
      const { tasksCompiled, tasksKept } = second.queued()!;
      expect(tasksKept).toBe(tasksCompiled);
      expect(tasksKept).toBeGreaterThan(0);
      second.dispose();
    });
  });
});

describe('workers whose code knows its place', () => {
  it('give that back where they fail', async () => {
    const own = wasm();
    const failing: Backend = {
      ...own,
      origin: { ...own.origin!, from: './failing-backend.mjs', near: import.meta.url, make: 'failing' },
    };
    const shared = right(await session(failing)());
    const firstFree = (): number => {
      const block = shared.memory.allocate(64);
      shared.memory.free(block);
      return block.at;
    };
    const p = await make({ backend: failing, session: shared });
    const began = firstFree();
    for (let k = 0; k < 400 && p.queued()!.warnings.length === 0; k++) {
      window(p);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(p.queued()!.warnings.map((w) => w.code)).toEqual(['test/compile']);
    expect(firstFree()).toBe(began);
    expect(computed(p)).toEqual([8, 8, 4]);
    shared.dispose();
  });
});

/** A small disk, where this system lets us have one. */
const smallDisk = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  return undefined;
};

const disk = usable ? smallDisk() : undefined;

describe.skipIf(disk === undefined)(`a disk that is full midway${disk ? '' : ': no small one can be mounted'}`, () => {
  afterAll(() => {
    /* Libraries that were loaded from it hold it a little longer. */
    spawnSync('umount', ['-l', disk!]);
    rmSync(disk!, { recursive: true, force: true });
  });

  /** Leaves so many bytes. */
  const fill = (folder: string, left: number): void => {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize > left) writeFileSync(join(folder, 'filler'), new Uint8Array(bavail * bsize - left));
  };

  /* For nothing, for what modules became and not for their code, for half of what is written. */
  it.each([
    [0, 0],
    [0, 8192],
    [0, 40_960],
    [1, 0],
    [1, 8192],
    [1, 40_960],
  ])('is warned of once, and everything is computed; workers: %i, bytes that are left: %i', async (workers, left) => {
    rmSync(join(disk!, 'filler'), { force: true });
    const cache = join(disk!, `cache-${workers}-${left}`);
    mkdirSync(cache);
    const p = await make({ cache, queue: { workers } });
    expect(p.warnings).toEqual([]);
    fill(disk!, left);
    await coded(p, workers);
    expect(launched(p)).toBeLessThan(5);
    expect(computed(p)).toEqual([8, 8, 4]);
    const codes = p.queued()!.warnings.map((w) => `${w.severity} ${w.code}`);
    expect(codes).toEqual(['warning cache/unwritable']);
    p.dispose();
    /* Nothing is left of what could not be written whole, and the next program computes the same. */
    expect((await readdir(cache)).filter((name) => name.startsWith('.'))).toEqual([]);
    rmSync(join(disk!, 'filler'), { force: true });
    const again = await make({ cache, queue: { workers } });
    await coded(again, workers);
    expect(computed(again)).toEqual([8, 8, 4]);
    expect(again.queued()!.warnings).toEqual([]);
    again.dispose();
    rmSync(cache, { recursive: true, force: true });
  });
});

describe.skipIf(!usable && process.env.CI !== 'true')('what is kept of plans', () => {
  it('is made anew where files of it are of another version, or cut off behind a right hash', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'filigree-version-'));
    const first = await make({ cache });
    loop(first);
    first.dispose();
    const all = await readdir(cache, { recursive: true });
    const kept = all.filter((name) => name.endsWith('lowered.json'));
    expect(kept.length).toBeGreaterThan(1);
    for (const text of ['{"version":2}', '[]', 'null', '{"lowered":{},"legal":{},"writes":{}}', '']) {
      for (const name of kept) {
        await writeFile(join(cache, name), text);
        const digest = createHash('sha256').update(text).digest('hex');
        await writeFile(join(cache, dirname(name), 'sha256'), digest);
      }
      const p = await make({ cache });
      loop(p);
      expect(launched(p)).toBeLessThan(5);
      expect(computed(p)).toEqual([8, 8, 4]);
      p.dispose();
    }
    await rm(cache, { recursive: true, force: true });
  });
});
