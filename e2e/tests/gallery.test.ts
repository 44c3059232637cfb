import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { compileProblem, cotanProblem, gallery, gridMesh, withPictures } from '../src/index.js';
import { ABLATIONS, type ExampleOptions, type ExampleResult } from 'filigree';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const out = mkdtempSync(join(tmpdir(), 'filigree-gallery-'));
afterAll(() => rmSync(out, { recursive: true }));

const run = (
  name: string,
  args: Record<string, string>,
  options: Partial<ExampleOptions> = {},
): Promise<ExampleResult> =>
  gallery[name].run({
    args: withPictures(name, args, out),
    dtype: 'f64',
    threads: 1,
    seed: 3,
    bench: false,
    ablate: [],
    progress: () => undefined,
    ...options,
  });

/** Small enough to compile in seconds on any backend. */
const SMALL: readonly (readonly [string, Record<string, string>])[] = [
  ['numeric-0', { n: '300' }],
  ['numeric-1', { n: '300' }],
  ['numeric-2', { n: '300' }],
  ['power', { k: '2', n: '100' }],
  ['power', { k: '3', n: '100' }],
  ['power', { k: '4', n: '64' }],
  ['lmlt-plus-k', { n: '100' }],
  ['cotan', { n: '100' }],
  ['dual-laplacian', { n: '27' }],
  ['arap', { n: '36' }],
  ['cloth-hessian', { n: '36', mode: 'hand' }],
  ['cloth-hessian', { n: '36', blocks: 'tagged' }],
  ['cloth-hessian', { n: '36', mode: 'ad' }],
  ['cloth-hessian', { n: '36', mode: 'hand', blocks: 'tagged', values: 'yes' }],
  ['cloth-hessian', { n: '36', mode: 'ad', values: 'yes' }],
];
const SLOW = 300_000;

describe.each(backends)('the gallery on %s', (backend) => {
  it.each(SMALL)(
    '%s %j computes what the plain program computes',
    async (name, args) => {
      const result = await run(name, args, { backend });
      expect(result.metrics.backend).toBe(backend);
      expect(result.check).toMatchObject({ passed: true });
      expect(result.check.maxRelError).toBeLessThan(1e-8);
      expect(result.kernels).toBeGreaterThan(0);
      expect(Number(result.metrics.outputs)).toBeGreaterThan(0);
    },
    SLOW,
  );
});

describe.each(backends)('minimisation on %s', (backend) => {
  it.each<[string, Record<string, string>]>([
    ['symmetric-dirichlet', { n: '100' }],
    ['cloth-system', { n: '16' }],
  ])(
    '%s %j has right derivatives, and its loss falls',
    async (name, args) => {
      const { check, metrics } = await run(name, args, { backend });
      expect(check.passed).toBe(true);
      expect(Number(metrics.gradientCheck)).toBeLessThan(1e-6);
      expect(Number(metrics.hessianCheck)).toBeLessThan(1e-6);
      expect(Number(metrics.lossLast)).toBeLessThan(0.995 * Number(metrics.lossFirst));
      const pictures = [metrics.before, metrics.after].map((file) => readFileSync(String(file)));
      for (const png of pictures) expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect(pictures[0].equals(pictures[1])).toBe(false);
    },
    SLOW,
  );
});

describe('the gallery', () => {
  it.each(Object.values(gallery))('says in one line what $name shows', ({ group, shows, takes, summary }) => {
    expect(group).toMatch(/^[A-Z]/);
    expect(shows).toMatch(/^[^\n]{20,110}$/);
    expect(summary).toBe(`${shows} (${takes})`);
    expect(`${group} ${summary}`).not.toMatch(/\b[A-Z]{2}\d+(\.\d+)?\b|thesis|paper/);
  });

  it('hands on what a backend warns of', async () => {
    vi.stubEnv('FILIGREE_CACHE_DIR', join(process.execPath, 'no-folder'));
    const codes: string[] = [];
    const result = await run('power', { k: '2', n: '64' }, { warn: (w) => codes.push(...w.map((d) => d.code)) });
    vi.unstubAllEnvs();
    expect(result.check.passed).toBe(true);
    expect(codes).toContain('cache/unwritable');
  });

  it.each([
    ['power', { n: '64' }],
    ['cotan', { n: '49' }],
    ['arap', { n: '25' }],
  ])('%s passes its check in f32', async (name, args) => {
    const result = await run(name, args, { backend: 'wasm', dtype: 'f32' });
    expect(result.check.passed).toBe(true);
    // It did compute in f32.
    expect(result.check.maxRelError).toBeGreaterThan(1e-12);
  });

  it('with values=yes the values of a cloth are those of its faces, 45 of each, not added up', async () => {
    const outputs = async (values: string) =>
      (await run('cloth-hessian', { n: '36', mode: 'ad', values }, { backend: 'wasm' })).metrics.outputs;
    expect(await outputs('yes')).toBe(45 * 50);
    // Six of each of the 36 vertices, nine of each of the 85 edges.
    expect(await outputs('no')).toBe(6 * 36 + 9 * 85);
  });

  it.each(Object.keys(ABLATIONS))('is right without %s', async (stage) => {
    expect((await run('lmlt-plus-k', { n: '64' }, { backend: 'wasm', ablate: [stage] })).check.passed).toBe(true);
    expect((await run('cotan', { n: '36' }, { backend: 'wasm', ablate: [stage] })).check.passed).toBe(true);
  });

  it('reads a mesh from a file', async () => {
    const folder = new URL('../data/', import.meta.url).pathname;
    const result = await run('cotan', { mesh: join(folder, 'spot.obj') }, { backend: 'wasm' });
    expect(result.check.passed).toBe(true);
    // The vertices, and two entries for each of the 8784 edges and one on the diagonal.
    expect(result.metrics.outputs).toBe(2930 + 2930 + 2 * 8784);
  });

  it.each([
    ['cotan', { size: '3' }, /example\/argument.*'size'/s],
    ['power', { k: '9' }, /example\/argument.*'k'/s],
    ['cotan', { n: 'many' }, /example\/argument.*'n'/s],
    ['cotan', { mesh: 'nowhere.obj' }, /file\/missing.*nowhere\.obj/s],
    ['cotan', { mesh: 'a.obj', n: '9' }, /example\/argument/],
    ['cloth-hessian', { mode: 'magic' }, /example\/argument.*'mode'/s],
    ['cloth-hessian', { mode: 'ad', blocks: 'tagged' }, /example\/argument.*'mode=ad'/s],
  ])('%s refuses %j', async (name, args, message) => {
    await expect(run(name, args, { backend: 'wasm' })).rejects.toThrow(message);
  });

  it('refuses a backend and a stage that do not exist', async () => {
    await expect(run('power', { n: '16' }, { backend: 'abacus' })).rejects.toThrow(/runtime\/backend.*abacus/s);
    await expect(run('power', { n: '16' }, { ablate: ['magic'] })).rejects.toThrow(/ablate\/unknown.*magic/s);
  });

  it('says that a result is wrong', async () => {
    const problem = cotanProblem(gridMesh(4, 4, (x, y) => x * y));
    const compiled = await compileProblem(problem, { backend: 'wasm', dtype: 'f64', threads: 1, ablate: [] });
    compiled.run();
    const { L, M } = problem.evaluate(compiled.inputs);
    expect(compiled.maxRelError({ L, M })).toBeLessThan(1e-14);
    const wrong = Array.from(L);
    wrong[5] += 1e-3;
    expect(compiled.maxRelError({ L: wrong, M })).toBeGreaterThan(1e-5);
    compiled.instance.dispose();
  });
});

describe('the main job', () => {
  const out = mkdtempSync(join(tmpdir(), 'filigree-start-'));
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it(
    'checks all parts, prints a table and writes the pictures',
    async () => {
      const folder = new URL('../data/', import.meta.url).pathname;
      const written: string[] = [];
      const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
      const seen: number[] = [];
      const result = await run(
        'start',
        { mesh: join(folder, 'spot.obj'), out },
        { backend: 'wasm', progress: (fraction) => void seen.push(fraction) },
      ).finally(() => spy.mockRestore());
      expect(result.check.passed).toBe(true);
      expect(Object.keys(result.baselines ?? {})).toEqual(['assembly', 'cube', 'lmltPlusK']);
      expect(written.join('')).toMatch(/cotan Laplacian and mass.*right[\s\S]*L\^3.*right[\s\S]*L\*M\*L'\+K.*right/);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(seen.at(-1)).toBe(1);
      for (const file of ['laplacian.png', 'cube.png', 'lmlt-plus-k.png']) {
        expect(readFileSync(join(out, file)).subarray(1, 4).toString()).toBe('PNG');
      }
      expect(existsSync(join(out, 'timings.svg'))).toBe(true);
    },
    SLOW,
  );
});
