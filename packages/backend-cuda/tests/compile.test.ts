import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate, runProcess } from '@filigree/backend/native';
import { cuda } from '@filigree/backend-cuda';
import { conformancePrograms } from '@filigree/conformance';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { describe, expect, it } from 'vitest';

/* Of the tier `toolchain`: on a machine for continuous integration the lack of a compiler is a failure, elsewhere a reason to skip. */
const nvcc = process.env['FILIGREE_NVCC'] || (await locate('nvcc', process.env['PATH'] ?? ''));
if (!nvcc && process.env['CI'] === 'true') throw new Error('there is no nvcc: see .ci/run');

/** The sources of all programs as one file: names of one are not seen by another. */
const together = (): string => {
  const backend = cuda();
  const texts = conformancePrograms().map(({ module }, k) => {
    const sources = pipe(backend.legalize.run(module), E.chain(backend.emit.run));
    if (E.isLeft(sources)) throw new Error(sources.left[0]!.message);
    const text = String(sources.right.files[0]!.contents).replace(/filigree_kernel_/g, `p${k}_kernel_`);
    return `namespace p${k} {\n${text}}\n`;
  });
  return texts.join('\n');
};

/* The text is the same for all chips: it is made instructions of a virtual one, then of each. `npm run test:backends` begins anew for each, as users do. */
const chips = ['75', '80', '86', '90'];
const targets =
  process.env['FILIGREE_BACKENDS'] === 'all'
    ? chips.flatMap((v) => ['-gencode', `arch=compute_${v},code=sm_${v}`])
    : ['-gencode', `arch=compute_${chips[0]},code=[${chips.map((v) => `sm_${v}`).join(',')}]`];

describe.skipIf(!nvcc)('nvcc', () => {
  /* Warnings and errors are of the front end and of the choice of instructions, not of how well they are scheduled. */
  it('compiles every program for sm_75, 80, 86 and 90 without a warning', { timeout: 600_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'filigree-cuda-'));
    try {
      await writeFile(join(folder, 'all.cu'), together());
      const flags = [
        '-fatbin',
        ...targets,
        ...['-Xcicc', '-O1', '-Xptxas', '-O0'],
        /* Values that a program computes and does not use are the program's. */
        ...['-Werror', 'all-warnings', '-diag-suppress', '177,550'],
      ];
      const done = await runProcess(nvcc!, [...flags, 'all.cu', '-o', 'all.fatbin'], {
        cwd: folder,
        limitMs: 600_000,
      });
      expect([done.status, done.stderr]).toEqual([0, '']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const program = conformancePrograms().find((p) => p.name === 'histogram by parallel atomics')!;
const sources = (): ReturnType<ReturnType<typeof cuda>['emit']['run']> =>
  pipe(cuda().legalize.run(program.module), E.chain(cuda().emit.run));

it('says which compiler does not work', async () => {
  const made = sources();
  if (E.isLeft(made)) throw new Error('no sources');
  const compiled = await cuda({ architecture: 'sm_90' }).compile!(made.right, {
    compiler: 'nvcc-of-nowhere',
    cache: false,
  })();
  expect(compiled).toMatchObject({
    left: [
      {
        code: 'toolchain/unusable',
        message: expect.stringContaining("names 'nvcc-of-nowhere'"),
        remedy: expect.any(String),
      },
    ],
  });
});

it.skipIf(!nvcc)('makes code of an architecture, and code that drivers translate', async () => {
  const made = sources();
  if (E.isLeft(made)) throw new Error('no sources');
  for (const [architecture, file] of [
    ['sm_90', /kernels\.cubin$/],
    ['compute_75', /kernels\.ptx$/],
  ] as const) {
    const compiled = await cuda({ architecture }).compile!(made.right, { compiler: nvcc!, cache: false })();
    expect(compiled).toMatchObject({ right: { backend: 'cuda', path: expect.stringMatching(file), cached: false } });
  }
});

it.skipIf(!process.env['FILIGREE_NVRTC'])('needs no compiler but the library NVRTC', async () => {
  const made = sources();
  if (E.isLeft(made)) throw new Error('no sources');
  const before = process.env['FILIGREE_NVCC'];
  delete process.env['FILIGREE_NVCC'];
  try {
    const compiled = await cuda({ architecture: 'sm_90' }).compile!(made.right, { cache: false })();
    expect(compiled).toMatchObject({ right: { path: expect.stringMatching(/kernels\.cubin$/) } });
  } finally {
    if (before !== undefined) process.env['FILIGREE_NVCC'] = before;
  }
});
