import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backends } from 'filigree';
import { filigree, refusal, scratch, scratchFile } from './support.js';

const module = scratchFile(
  'for-gpu.mjs',
  `import { active, dense, field, ij, kernel, layout } from '${import.meta.resolve('filigree')}';
export const saxpy = {
  inputs: { a: 1, x: 100000, y: 100000 },
  run: ({ a, x, y }) => ({ z: y.map((v, k) => v + a[0] * x[k]) }),
};
const [u, w] = [field('u', 'f32'), field('w', 'f32')];
const blur = kernel([u, w], {}, (u, w) => {
  for (const [i, j] of active(u)) w[i][j] = 0.5 * (u[i - 1][j] + u[i + 1][j]);
});
export const sim = { layout: layout(dense(ij, 32).pointer().dense(ij, 16).place(u, w)), kernels: { blur } };
`,
);

const gallery = scratchFile(
  'gallery-for-gpu.mjs',
  `import { program } from '${import.meta.resolve('filigree')}';
import { sim } from '${module}';
const run = async ({ backend }) => {
  const { run } = await program({ ...sim, backend });
  run.blur();
};
export const gallery = { blurred: { name: 'blurred', rows: [], summary: '', run } };
`,
);

afterEach(() => vi.unstubAllEnvs());

const absent = await Promise.all(
  backends()
    .filter((b) => b.name !== 'cpp' && b.name !== 'wasm')
    .map((b) => b.probe()),
);

describe.each(absent.filter((b) => !b.usable).map((b) => b.name))('%s, which does not work here', (backend) => {
  it('is written by --emit: traced programs and programs on fields', async () => {
    const folder = join(scratch, backend);
    const argv = ['compile', module, '--backend', backend, '--dtype', 'f32', '--emit', folder, '--json'];
    const { status, out } = await filigree(...argv);
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      {
        backend,
        kernels: [
          { name: 'saxpy', backend },
          { name: 'sim.blur', backend },
        ],
      },
    ]);
    const [saxpy, blur] = (JSON.parse(out) as { kernels: { sources: string[] }[] }).kernels.map((k) =>
      readFileSync(k.sources[0]!, 'utf8'),
    );
    expect(saxpy).toMatch(/filigree_kernel_launch0\(a, x, y, z, index32\) on threads for \d+ iterations/);
    expect(blur).toMatch(/blur: filigree_kernel_blur\(.*\) on threads/);
    expect((saxpy! + blur!).replaceAll('#include <metal_stdlib>', '')).not.toContain('#include');
  });

  it('is written of an example by --emit, although that cannot be run', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const folder = join(scratch, `${backend}-example`);
    expect((await refusal('run', 'blurred', '--backend', backend, '--emit', folder)).code).toBe('run/emitted');
    const [program] = readdirSync(folder);
    const texts = readdirSync(join(folder, program!)).map((f) => readFileSync(join(folder, program!, f), 'utf8'));
    expect(texts.join('')).toContain('filigree_kernel_');
  });

  it('says why it does not work where something is to run', async () => {
    const { status, err, out } = await filigree('compile', module, '--backend', backend, '--json');
    expect([status, JSON.parse(out || err)]).toMatchObject([1, { error: { code: 'runtime/backend' } }]);
  });
});
