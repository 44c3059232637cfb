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

describe.skipIf(!hipcc)('hipcc', () => {
  it.each(['gfx906', 'gfx90a', 'gfx1030'])(
    'compiles every program for %s without a warning',
    { timeout: 600_000 },
    async (chip) => {
      const folder = await mkdtemp(join(tmpdir(), 'filigree-hip-'));
      try {
        const texts = conformancePrograms().map(
          ({ module }, k) => `namespace p${k} {\n${emitted(module).replace(/filigree_kernel_/g, `p${k}_kernel_`)}}\n`,
        );
        await writeFile(join(folder, 'all.hip'), texts.join('\n'));
        /* Values that a program computes and does not use are the program's. */
        const flags = ['--genco', `--offload-arch=${chip}`, '-O1', '-Wall', '-Werror', '-Wno-unused', '-x', 'hip'];
        const done = await runProcess(hipcc!, [...flags, 'all.hip', '-o', 'all.hsaco'], {
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
