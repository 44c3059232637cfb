import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { entriesOfSquare, filigree, grid, marketOf, refusal, scratch, scratchFile } from './support.js';

const A = scratchFile('a.mtx', marketOf(grid(4)));

afterEach(() => vi.unstubAllEnvs());

describe('filigree run', () => {
  const gallery = scratchFile(
    'gallery.mjs',
    `const example = (name, passed) => ({
       name, rows: ['T0'], summary: 'for tests',
       run: async ({ args, backend, dtype, threads, seed, bench, ablate, emit, warn, progress }) => {
         if (args.full) for (let k = 0; k < 2; k++) warn([{ severity: 'warning', code: 'cache/unwritable', message: 'the disk is full', remedy: 'free some' }]);
         progress(0.5, 'half way');
         emit?.('L*M', { backend: backend.name, files: [{ name: 'kernels.txt', language: 'text', contents: 'kernels' }] });
         return { metrics: { ...args, backend: backend.name, dtype, threads, seed, bench: String(bench), ablate: ablate.join(' ') }, check: { passed, maxRelError: 0 }, ms: { run: 1 }, nodes: 3, kernels: 1, baselines: { plain: 2 } };
       } });
     export const gallery = { good: example('good', true), bad: example('bad', false) };`,
  );

  it('hands its options to the example and answers as documented', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const { status, out, err } = await filigree(
      'run',
      'good',
      'n=5',
      'mesh=a=b',
      '--json',
      '--backend',
      'wasm',
      '--threads',
      '2',
      '--seed',
      '7',
      '--ablate',
      'simd,roll',
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      example: 'good',
      metrics: {
        n: '5',
        mesh: 'a=b',
        backend: 'wasm',
        dtype: 'f64',
        threads: 2,
        seed: 7,
        bench: 'false',
        ablate: 'simd roll',
      },
      check: { passed: true },
      ms: { run: 1 },
      baselines: { plain: 2 },
      memoryMB: expect.any(Number),
    });
    expect(err).toBe('filigree: half way\n');
  });

  it('shows once what programs of the example warn of', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const { status, out, err } = await filigree('run', 'good', 'full=yes', '--json');
    expect([status, JSON.parse(out)]).toMatchObject([0, { check: { passed: true } }]);
    expect(err.match(/the disk is full/g)).toHaveLength(1);
    expect(err).toContain('cache/unwritable');
  });

  it('lists the examples', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const { out } = await filigree('run', '--list');
    expect(out).toMatch(/^Examples\n {2}good {2}for tests\n {2}bad {3}for tests\n/);
    expect(out).not.toContain('T0');
    expect(JSON.parse((await filigree('run', '--list', '--json')).out)).toMatchObject({
      examples: [{ name: 'good', rows: ['T0'], summary: 'for tests' }, { name: 'bad' }],
    });
  });

  it('lists them under the headings of their groups, with what each shows and takes', async () => {
    const entry = (name: string, group: string): string =>
      `${name}: { name: '${name}', rows: ['T0'], summary: 'of ${name} (n=ROWS)', group: '${group}', shows: 'of ${name}', takes: 'n=ROWS' }`;
    const entries = [entry('one', 'Matrices'), entry('three', 'Meshes'), entry('two', 'Matrices')];
    vi.stubEnv('FILIGREE_GALLERY', scratchFile('g3.mjs', `export const gallery = { ${entries.join(', ')} };`));
    expect((await filigree('run', '--list')).out).toMatch(
      /^Matrices\n {2}one {4}of one\n {11}n=ROWS\n {2}two {4}of two\n {11}n=ROWS\n\nMeshes\n {2}three {2}of three\n {11}n=ROWS\n\n/,
    );
    expect(JSON.parse((await filigree('run', '--list', '--json')).out).examples[1]).toEqual({
      name: 'three',
      rows: ['T0'],
      summary: 'of three (n=ROWS)',
      group: 'Meshes',
      shows: 'of three',
      takes: 'n=ROWS',
    });
  });

  it('ends with status 1 where a check fails, an example is unknown, or there is no gallery', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const failed = await filigree('run', 'bad', '--json', '--backend', 'wasm');
    expect([failed.status, JSON.parse(failed.out)]).toMatchObject([
      1,
      { check: { passed: false }, error: { code: 'run/check' } },
    ]);
    const report = join(scratch, 'bad.html');
    const inspected = await filigree('inspect', 'bad', '--out', report, '--json', '--backend', 'wasm');
    expect([inspected.status, JSON.parse(inspected.out)]).toMatchObject([1, { error: { code: 'run/check' } }]);
    expect((await refusal('run', 'none')).code).toBe('run/unknown-example');
    vi.stubEnv('FILIGREE_GALLERY', join(scratch, 'nowhere.mjs'));
    expect((await refusal('run', '--list')).code).toBe('run/no-gallery');
  });

  it('writes the sources that the example hands out', async () => {
    vi.stubEnv('FILIGREE_GALLERY', gallery);
    const folder = join(scratch, 'emitted');
    await filigree('run', 'good', '--backend', 'wasm', '--emit', folder);
    expect(readFileSync(join(folder, 'L-M', 'kernels.txt'), 'utf8')).toBe('kernels');
  });

  it('says what the system refuses an example', async () => {
    const reading = `export const gallery = { one: { name: 'one', rows: [], summary: '', run: async () => (await import('node:fs')).readFileSync('${scratch}') } };`;
    vi.stubEnv('FILIGREE_GALLERY', scratchFile('reading.mjs', reading));
    expect((await refusal('run', 'one', '--backend', 'wasm')).code).toBe('system/failed');
  });
});

describe('filigree inspect', () => {
  it('writes a page that needs nothing else', async () => {
    const out = join(scratch, 'report.html');
    const folder = join(scratch, 'inspected');
    const argv = ['inspect', "A'*A+A", '--bind', `A=${A}`, '--out', out, '--backend', 'wasm', '--emit', folder];
    expect((await filigree(...argv)).status).toBe(0);
    expect(readdirSync(folder)).toContain('kernels.wat');
    const html = readFileSync(out, 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(/(src|href)=/);
    for (const text of [
      "A'*A+A",
      'A: 16 × 16, 64 entries',
      `result: 16 × 16, ${entriesOfSquare(grid(4))} entries`,
      'Expression graph',
      'arith.',
      '(module',
    ])
      expect(html).toContain(text);
    for (const tag of ['section', 'table', 'svg', 'details', 'pre', 'figure'])
      expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
  });

  it('reports a gallery example', async () => {
    vi.stubEnv(
      'FILIGREE_GALLERY',
      scratchFile(
        'g2.mjs',
        `export const gallery = { one: { name: 'one', rows: [], summary: '', run: async () => ({ metrics: { weight: '<3' }, check: { passed: true }, ms: { run: 2 } }) } };`,
      ),
    );
    const out = join(scratch, 'example.html');
    expect((await filigree('inspect', 'one', '--out', out, '--backend', 'wasm')).status).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('&lt;3');
  });

  it('reports the programs of a module: kernels, members and templates, memory by part, sources, passes', async () => {
    const out = join(scratch, 'module.html');
    const module = scratchFile(
      'inspected.mjs',
      `import { active, dense, field, i, kernel, layout } from '${import.meta.resolve('filigree')}';
       const x = field('x', 'f64');
       const twice = kernel([x], { scope: { active } }, (u) => { for (const n of active(u)) u[n] = 2 * u[n]; });
       export const sim = { layout: layout(dense(i, 8).pointer().dense(i, 4).place(x)), kernels: { twice } };
       export const square = { inputs: { v: 100 }, run: ({ v }) => ({ w: v.map((a) => a * a + 1) }) };`,
    );
    expect((await filigree('inspect', module, '--out', out, '--backend', 'wasm')).status).toBe(0);
    const html = readFileSync(out, 'utf8');
    for (const text of [
      'sim.twice',
      'square',
      '<td>100</td>',
      'mul v.0, v.0',
      'field &#39;x&#39;',
      'pool',
      '(module',
      'lower-loops',
    ])
      expect(html.replaceAll("'", '&#39;')).toContain(text);
  });
});
