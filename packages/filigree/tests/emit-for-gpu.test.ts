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

const matrix = scratchFile('for-gpu.mtx', '%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n');

/* In f32, which all of them have. */
const program = scratchFile(
  'for-gpu.fil',
  `module @scaled {
  buffer @x : f32[8] input
  buffer @y : f32[8] output
  kernel @scale() {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %8 = arith.constant {value = 8} : i32
    scf.for %0, %8, %1 {
    ^(%i: i32):
      %x = mem.load %i {buffer = @x} : f32
      %s = arith.add %x, %x : f32
      mem.store %s, %i {buffer = @y}
      scf.yield
    }
    scf.yield
  }
}
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

  it.each([
    ['expr', "A'*A", '--bind', `A=${matrix}`],
    ['einsum', 'C[ij] = A[ik]*B[kj]', '--shape', 'A=4,4', '--shape', 'j=4'],
    ['trace', matrix, '--bench'],
    ['regions', program],
  ])('is written by --emit of %s, although its check cannot be run', async (...argv) => {
    const folder = join(scratch, `${backend}-${argv[0]}`);
    const { code } = await refusal(...argv, '--dtype', 'f32', '--backend', backend, '--emit', folder);
    expect(code).toBe('run/emitted');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const texts = files.filter((f) => /kernels\.\w+$/.test(f)).map((f) => readFileSync(join(folder, f), 'utf8'));
    expect(texts.join('')).toContain('filigree_kernel_');
  });

  it('says why it does not work where something is to run', async () => {
    const { status, err, out } = await filigree('compile', module, '--backend', backend, '--json');
    expect([status, JSON.parse(out || err)]).toMatchObject([1, { error: { code: 'runtime/backend' } }]);
  });
});
