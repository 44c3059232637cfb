import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate, runProcess } from '@filigree/backend/native';
import { hip } from '@filigree/backend-hip';
import { conformancePrograms } from '@filigree/conformance';
import type { Module } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { describe, expect, it } from 'vitest';

const emitted = (module: Module): string => {
  const sources = pipe(hip().legalize.run(module), E.chain(hip().emit.run));
  if (E.isLeft(sources)) throw new Error(sources.left[0]!.message);
  return String(sources.right.files.find((f) => f.name === 'kernels.hip')!.contents);
};

/* Of the tier `toolchain`: on a machine for continuous integration the lack of a compiler is a failure, elsewhere a reason to skip. */
const hipcc = process.env['FILIGREE_HIPCC'] || (await locate('hipcc', process.env['PATH'] ?? ''));
if (!hipcc && process.env['CI'] === 'true') throw new Error('there is no hipcc: see .ci/run');

it('is the same bytes for the same module, and has no headers', () => {
  for (const { module } of conformancePrograms()) {
    const text = emitted(module);
    expect(emitted(module)).toBe(text);
    expect(text).not.toMatch(/#include|threadIdx|atomicAdd/);
  }
});

/* Making code is nine tenths of the time. `npm run test:backends` has it made for every chip; else for one, and the others only say what they do not know. */
const made = (chip: string): boolean => chip === 'gfx90a' || process.env['FILIGREE_BACKENDS'] === 'all';

/* Chips that not every hipcc knows. */
const newer =
  hipcc === undefined
    ? []
    : ['gfx942'].filter((chip) => {
        const asked = ['--offload-arch=' + chip, '-x', 'hip', '-E', '/dev/null'];
        return spawnSync(hipcc, asked, { env: { HIP_PLATFORM: 'amd', ...process.env } }).status === 0;
      });

/* What no pass has seen, so that words that the chip has not are refused, which reading alone does not do. hipcc names libraries all the same. */
const unmade = [
  ...['--cuda-device-only', '-S', '-emit-llvm', '-Xclang', '-disable-llvm-passes'],
  '-Wno-unused-command-line-argument',
];

it('says how many threads go in step on the chip that code is for, and 64 where it is any', () => {
  const warp = (architecture?: string) =>
    hip(architecture === undefined ? {} : { architecture }).capabilities.team?.warp;
  expect(['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201', undefined].map(warp)).toEqual([
    ...[64, 64, 64],
    ...[32, 32, 32],
    64,
  ]);
});

/** The sources of all programs as one file: names of one are not seen by another. */
const together = (): string =>
  conformancePrograms()
    .map(({ module }, k) => `namespace p${k} {\n${emitted(module).replace(/filigree_kernel_/g, `p${k}_kernel_`)}}\n`)
    .join('\n');

describe.skipIf(!hipcc)('hipcc', () => {
  const text = hipcc ? together() : '';

  it.each(['gfx906', 'gfx90a', 'gfx1030', ...newer])(
    'compiles every program for %s without a warning',
    { timeout: 600_000 },
    async (chip) => {
      const folder = await mkdtemp(join(tmpdir(), 'filigree-hip-'));
      try {
        await writeFile(join(folder, 'all.hip'), text);
        /* Values that a program computes and does not use are the program's. */
        const flags = [`--offload-arch=${chip}`, '-O1', '-Wall', '-Werror', '-Wno-unused', '-x', 'hip'];
        const into = made(chip) ? ['--genco', '-o', 'all.hsaco'] : [...unmade, '-o', 'all.ll'];
        const done = await runProcess(hipcc!, [...flags, ...into, 'all.hip'], {
          cwd: folder,
          env: { HIP_PLATFORM: 'amd', ...process.env },
          limitMs: 600_000,
        });
        expect([done.status, done.stderr.replace(/^Traceback[^]*?Error: .*\n/, '')]).toEqual([0, '']);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it('makes code of an architecture', async () => {
    const program = conformancePrograms().find((p) => p.name === 'histogram by parallel atomics')!;
    const sources = pipe(hip().legalize.run(program.module), E.chain(hip().emit.run));
    if (E.isLeft(sources)) throw new Error('no sources');
    const made = await hip({ architecture: 'gfx90a' }).compile!(sources.right, { compiler: hipcc!, cache: false })();
    expect(made).toMatchObject({ right: { backend: 'hip', path: expect.stringMatching(/kernels\.hsaco$/) } });
  });
});
