import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { filigreeEsbuild, filigreeVite } from 'filigree/plugin';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/* A kernel and a formula, both with names from around them, which only the build keeps. */
const APP = `
import { dense, field, i, kernel, layout, program, range, symbolic } from 'filigree';
const n = 4;
const x = field('x', 'f32');
const squares = kernel([x], (x) => { for (const k of range(n)) x[k] = k * k; });
const sim = await program({ backend: 'wasm', layout: layout(dense(i, n).place(x)), kernels: { squares } });
sim.run.squares();
const step = symbolic((v: number) => (v > 1 ? v * n : v));
console.log([...sim.field(x).toArray()].join(), step(2));
`;

const umbrella = fileURLToPath(new URL('../../packages/filigree', import.meta.url));

/* Package managers may lay out folders so that a module of the app finds what the app depends on, and nothing else. */
describe('an app that has the umbrella and no other package of ours', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'filigree-alone-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(umbrella, join(folder, 'node_modules', 'filigree'), 'dir');
    await writeFile(join(folder, 'app.ts'), APP);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const output = async (file: string): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['--conditions=@filigree/source', '--import', import.meta.resolve('tsx'), file])).stdout; // prettier-ignore

  it('is bundled whole', async () => {
    const { outputFiles } = await esbuild({
      entryPoints: [join(folder, 'app.ts')],
      bundle: true,
      write: false,
      outdir: folder,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      conditions: ['@filigree/source', 'browser'],
      plugins: [filigreeEsbuild()],
      logLevel: 'silent',
    });
    expect(outputFiles[0].text).not.toMatch(/from ?"(filigree|@filigree)/);
  });

  it('is bundled without it, and finds the same copy of it as what the build has rewritten', async () => {
    const file = join(folder, 'esbuild.mjs');
    await esbuild({
      entryPoints: [join(folder, 'app.ts')],
      bundle: true,
      outfile: file,
      format: 'esm',
      platform: 'node',
      external: ['filigree'],
      plugins: [filigreeEsbuild()],
      logLevel: 'silent',
    });
    expect(await output(file)).toBe('0,1,4,9 8\n');
  });

  it('is bundled so by Vite for a server', async () => {
    await vite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      plugins: [filigreeVite()],
      build: { ssr: 'app.ts', target: 'node20', rollupOptions: { external: ['filigree'] } },
    });
    const file = join(folder, 'dist', 'app.js');
    expect(await readFile(file, 'utf8')).toContain('filigree/rewritten');
    expect(await output(file)).toBe('0,1,4,9 8\n');
  });
});
