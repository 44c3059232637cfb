import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import type { Backend } from '@filigree/backend';
import { DiagnosticError, error } from '@filigree/ir';
import { array, idiv, kernel, range, unrolled, type Grid1 } from '@filigree/lang/kernels';
import { program, type Program, type ProgramOptions, type ScalarHostField } from '@filigree/runtime';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { chainOn } from './queue-kernels.js';

const [x, y, c] = (['x', 'y', 'c'] as const).map((name) => field(name, 'f64'));
const tree = layout(
  dense(i, 16).pointer().dense(i, 16).place(x, y),
  dense(i, 8).pointer({ cells: 2 }).dense(i, 16).place(c),
);

const kernels = {
  ...chainOn(x, y),
  /* There is room for two blocks of `c`. */
  spread: kernel([c, 'i32'], (c: Grid1, blocks: number) => {
    for (const b of range(blocks)) c[b * 16] += 1;
  }),
  divide: kernel([x, 'i32'], (x: Grid1, by: number) => {
    x[0] = idiv(100, by);
  }),
  add: kernel([x, array('f64', 8)], (x: Grid1, values: number[]) => {
    for (const i of range(values.length)) x[i] += values[i];
  }),
  swap: kernel([array('f64', 8), array('f64', 8)], (a: number[], b: number[]) => {
    for (const i of range(8)) {
      a[i] = b[i];
    }
  }),
};

type Made = Program<typeof kernels>;

const right = <A>(result: E.Either<DiagnosticError['diagnostics'], A>): A => {
  if (E.isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};

const make = async (backend: Backend, options: Partial<ProgramOptions> = {}): Promise<Made> =>
  right(
    await program({ layout: tree, kernels, backend, queue: true, fastMath: false, ...options })(),
  ) as unknown as Made;

/** What is thrown: its code, and which kernel it names. */
const thrown = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const [{ code, message }] = e.diagnostics;
    return `${code} ${/kernel '(\w+)'/.exec(message)?.[1] ?? ''}`.trim();
  }
  return '';
};

const at = (p: Made, name: 'x' | 'y' | 'c', k: number): number => Number((p.fields[name] as ScalarHostField).get([k]));

/** Launches that fuse, and what they compute: `x` at 3, and what of it was copied. */
const window = (p: Made): void => {
  p.run.init(20);
  p.run.inc();
  p.run.double();
  p.run.copy();
};

/** The code of these launches is there. */
const warm = async (p: Made, more: (p: Made) => void = () => undefined): Promise<void> => {
  for (let time = 0; time < 3; time++) {
    window(p);
    more(p);
    await p.sync({ compiled: true });
  }
};

const usable = (await cpp().probe()).usable || process.env.CI === 'true';

describe.each<readonly [string, () => Backend]>([
  ['wasm', () => wasm()],
  ...(usable ? [['cpp', () => cpp()] as const] : []),
])('with launches that wait on %s', (name, backend) => {
  it.each([false, true])(
    'a full pool names its kernel, and nothing after it has run; code of plans: %s',
    async (planned) => {
      const p = await make(backend());
      const launches = (blocks: number): void => {
        window(p);
        p.run.spread(blocks);
        p.run.inc();
        p.run.copy();
      };
      for (let time = 0; planned && time < 3; time++) {
        launches(2);
        await p.sync({ compiled: true });
      }
      launches(5);
      expect(thrown(() => p.flush())).toBe('launch/exhausted spread');
      expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([8, 8]);
      /* It goes on. */
      launches(2);
      expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([9, 9]);
      p.dispose();
    },
  );

  it.each([false, true])(
    'a trap names its kernel, and nothing after it has run; code of plans: %s',
    async (planned) => {
      const p = await make(backend());
      if (planned) await warm(p, () => (p.run.divide(5), p.run.inc()));
      window(p);
      p.run.divide(0);
      p.run.inc();
      expect(thrown(() => at(p, 'x', 3))).toBe('run/trap divide');
      expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([8, 8]);
      p.dispose();
    },
  );

  it('what cannot be launched leaves what waits as it is', async () => {
    const p = await make(backend());
    window(p);
    const shared = new Float64Array(12);
    expect(thrown(() => p.run.swap(shared.subarray(0, 8), shared.subarray(4)))).toBe('launch/aliasing swap');
    expect(thrown(() => p.run.init(0.5))).toBe('launch/argument init');
    expect(thrown(() => p.run.add(new Float64Array(9)))).toBe('launch/array-length add');
    p.run.inc();
    expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([9, 8]);
    p.dispose();
  });

  it('an array that is written after it was given changes nothing', async () => {
    const p = await make(backend());
    await warm(p);
    window(p);
    const values = new Float64Array([1, 2, 3, 4]);
    p.run.add(values);
    values.fill(1000);
    p.run.add(values.subarray(0, 2));
    values.fill(-1);
    p.run.copy();
    expect([0, 1, 2, 3].map((k) => at(p, 'y', k))).toEqual([2 + 1 + 1000, 4 + 2 + 1000, 6 + 3, 8 + 4]);
    p.dispose();
  });

  it('what the host activates, clears or loads comes after them', async () => {
    const p = await make(backend());
    await warm(p);
    const before = p.save();
    for (let time = 0; time < 3; time++) {
      window(p);
      (p.fields.x as ScalarHostField).set([100], 5);
      p.run.copy();
      expect([at(p, 'y', 3), at(p, 'y', 100)]).toEqual([8, 5]);
      p.run.inc();
      (p.fields.x as ScalarHostField).clear();
      p.run.copy();
      expect([...(p.fields.x as ScalarHostField).entries()]).toEqual([]);
      p.run.init(20);
      p.run.inc();
      p.load(before);
      expect([at(p, 'x', 3), at(p, 'y', 3), at(p, 'x', 100)]).toEqual([8, 8, 0]);
      await p.sync({ compiled: true });
    }
    /* What fails then is said, and nothing was loaded. */
    p.run.inc();
    p.run.spread(7);
    expect(thrown(() => p.load(before))).toBe('launch/exhausted spread');
    expect(at(p, 'x', 3)).toBe(9);
    p.load(before);
    expect(at(p, 'x', 3)).toBe(8);
    p.dispose();
  });

  it('what fails then is said when the program goes, which it does', async () => {
    const p = await make(backend());
    window(p);
    p.run.spread(7);
    expect(thrown(() => p.dispose())).toBe('launch/exhausted spread');
    expect(thrown(() => p.flush())).toBe('program/disposed');
    p.dispose();
  });

  it.each([0, 20])('a program may go while the code of its plans is made, ms after: %i', async (ms) => {
    const p = await make(backend(), { cache: false });
    window(p);
    p.flush();
    const waiting = p.sync({ compiled: true }).then(
      () => 'done',
      (e: DiagnosticError) => e.diagnostics[0].code,
    );
    await new Promise((resolve) => setTimeout(resolve, ms));
    p.dispose();
    expect(['done', 'program/disposed']).toContain(await waiting);
    expect(thrown(() => p.run.inc())).toBe('program/disposed');
  });

  it.each(['says so', 'dies'])('a compiler that %s leaves them to run one by one, with a warning', async (how) => {
    const own = backend();
    let compiled = 0;
    const failing: Backend = {
      ...own,
      compile: (sources, options) => {
        if (compiled++ === 0) return own.compile!(sources, options);
        if (how === 'dies') return () => Promise.reject(new Error('killed by SIGKILL'));
        return async () => E.left([error('toolchain/missing', 'there is no compiler', { remedy: 'install one' })]);
      },
    };
    const p = await make(failing);
    await warm(p);
    const { warnings, tasksLaunched, launches } = p.queued()!;
    expect(warnings.map((w) => [w.severity, w.code])).toContainEqual([
      'warning',
      how === 'dies' ? 'queue/code' : 'toolchain/missing',
    ]);
    expect(tasksLaunched).toBeGreaterThanOrEqual(launches);
    expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([8, 8]);
    p.dispose();
  });

  it('a window whose code would be compiled for minutes runs one by one, with a warning', async () => {
    const [a, b] = [field('a', 'f64'), field('b', 'f64')];
    const adding = (by: number) =>
      kernel([a, b], { scope: { by, range, unrolled } }, (a: Grid1, b: Grid1) => {
        for (const i of range(4)) {
          for (const k of unrolled(range(40))) a[i] = a[i] + by * (b[i] + k);
        }
      });
    const many = Object.fromEntries([1, 2, 3, 4, 5].map((by) => [`add${by}`, adding(by)]));
    const p = right(
      await program({
        ...{ layout: layout(dense(i, 4).place(a, b)), kernels: many, backend: backend(), queue: { window: 2000 } },
        fastMath: false,
      })(),
    );
    const run = p.run as unknown as Record<string, () => void>;
    let sum = 0;
    for (let k = 0; k < 1500; k++) {
      const by = 1 + ((Math.imul(k + 3, 0x9e3779b1) >>> 9) % 5);
      run[`add${by}`]();
      sum += by * ((39 * 40) / 2);
    }
    await p.sync({ compiled: true });
    expect(p.queued()).toMatchObject({
      tasksCompiled: 0,
      tasksLaunched: 1500,
      warnings: [{ code: 'queue/code-size' }],
    });
    expect(Number((p.fields.a as ScalarHostField).get([2]))).toBe(sum);
    p.dispose();
  });

  describe('and what is kept on disk', () => {
    let cache = '';
    beforeAll(async () => {
      cache = await mkdtemp(join(tmpdir(), 'filigree-queue-'));
    });
    afterAll(() => rm(cache, { recursive: true, force: true }));

    const computed = async (folder: string): Promise<readonly number[]> => {
      const p = await make(backend(), { cache: folder });
      await warm(p);
      window(p);
      const { warnings, tasksLaunched, launches } = p.queued()!;
      expect(warnings).toEqual([]);
      expect(tasksLaunched).toBeLessThan(launches);
      const values = [at(p, 'x', 3), at(p, 'y', 3)];
      p.dispose();
      return values;
    };

    it.each<readonly [string, ((bytes: Buffer) => Uint8Array) | undefined]>([
      ['cut short', (bytes) => bytes.subarray(0, 7)],
      ['empty', () => new Uint8Array()],
      ['other bytes', (bytes) => bytes.fill(0x31)],
      ['gone', undefined],
    ])('computes the same where files are %s', async (_, damaged) => {
      expect(await computed(cache)).toEqual([8, 8]);
      const all = await readdir(cache, { recursive: true, withFileTypes: true });
      const files = all.filter((f) => f.isFile());
      expect(files.length).toBeGreaterThan(3);
      for (const f of files) {
        const path = join(f.parentPath, f.name);
        const bytes = await readFile(path);
        /* Another file: what is loaded in this process stays as it is. */
        await rm(path);
        if (damaged) await writeFile(path, damaged(bytes));
      }
      expect(await computed(cache)).toEqual([8, 8]);
      expect(await computed(cache)).toEqual([8, 8]);
    });

    it('computes the same where nothing can be written', async () => {
      expect(await computed('/proc/filigree')).toEqual([8, 8]);
    });
  });

  it.skipIf(name !== 'cpp')(
    'a compiler that is killed at the code of a plan leaves them to run one by one',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'filigree-compiler-'));
      const compiler = join(folder, 'g++');
      await writeFile(
        compiler,
        '#!/bin/sh\nfor f in "$@"; do case "$f" in *.cpp) grep -q task_0 "$f" && kill -9 $$;; esac; done\nexec g++ "$@"\n',
      );
      await chmod(compiler, 0o755);
      const p = await make(cpp(), { compiler, cache: join(folder, 'cache') });
      await warm(p);
      expect(p.queued()!.warnings.length).toBeGreaterThan(0);
      expect([at(p, 'x', 3), at(p, 'y', 3)]).toEqual([8, 8]);
      p.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  );
});
