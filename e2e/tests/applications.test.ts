import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { DiagnosticError } from 'filigree';
import { gallery } from '../src/index.js';
import { byTurns } from './share.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const out = mkdtempSync(join(tmpdir(), 'filigree-applications-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Small enough for seconds; each brings its own physical checks. */
const SMALL: readonly (readonly [string, Record<string, string>])[] = [
  ['mpm2d', { size: '32', steps: '40' }],
  ['mpm3d', { size: '16', steps: '20' }],
  ['fem', { size: '16' }],
  ['mgpcg', { size: '32' }],
  ['sparse-cnn', { size: '32' }],
  ['path-tracer', { size: '32', cells: '16', samples: '2' }],
];

const options = (backend: string, args: Readonly<Record<string, string>>, threads = 1) => ({
  args: { ...args, out },
  backend,
  dtype: 'f32' as const,
  threads,
  seed: 1,
  bench: false,
  ablate: [],
  progress: () => undefined,
});

describe.each(backends)('the applications on %s', (backend) => {
  it.each(byTurns(SMALL, backends, backend))(
    '%s %j passes its physical checks and draws a picture',
    async (name, args) => {
      const result = await gallery[name].run(options(backend, args));
      expect(result.check).toEqual({ passed: true });
      expect(existsSync(join(out, `${name}.png`))).toBe(true);
      expect(result.ms.run).toBeGreaterThan(0);
    },
    300_000,
  );
});

describe('the arguments of the applications', () => {
  it.skipIf(!hasCompiler).each(SMALL)(
    '%s %j passes the same checks on two threads',
    async (name, args) => {
      const result = await gallery[name].run(options('cpp', args, 2));
      expect(result.check).toEqual({ passed: true });
    },
    300_000,
  );

  it.skipIf(!hasCompiler)('with --bench they are timed beside C++ by hand, and lines are counted', async () => {
    const result = await gallery['sparse-cnn'].run({ ...options('cpp', { size: '32' }), bench: true });
    expect(result.check.passed).toBe(true);
    expect(result.baselines?.native).toBeGreaterThan(0);
    expect(result.ms.compile).toBeGreaterThan(0);
    expect(Number(result.metrics.linesByHand)).toBeGreaterThan(Number(result.metrics.lines));
  });

  it.each(SMALL.map(([name]) => name))(
    '%s says what it takes, and refuses other things with a remedy',
    async (name) => {
      expect(gallery[name].summary).toMatch(/size=.*steps=.*layout=pointer\|.*out=DIR/);
      const refusal = async (args: Readonly<Record<string, string>>): Promise<unknown> =>
        gallery[name].run(options('wasm', args)).then(
          () => undefined,
          (e: unknown) => (e instanceof DiagnosticError ? e.diagnostics[0] : e),
        );
      expect(await refusal({ sizes: '3' })).toMatchObject({
        code: 'example/argument',
        message: expect.stringContaining("'sizes'"),
        remedy: expect.stringMatching(/size, steps.*layout/),
      });
      expect(await refusal({ layout: 'tree' })).toMatchObject({
        code: 'example/argument',
        remedy: expect.stringContaining('pointer, bitmasked, hash'),
      });
      for (const bad of [{ size: 'large' }, { size: '-8' }, { steps: '0' }, { steps: '1.5' }])
        expect(await refusal(bad)).toMatchObject({
          code: 'example/argument',
          message: expect.stringContaining(Object.values(bad)[0]),
          remedy: expect.stringContaining('whole number from'),
        });
    },
  );

  it('steps are iterations of solvers, which are then not asked to have converged, and layers', async () => {
    const mgpcg = await gallery.mgpcg.run(options('wasm', { size: '16', steps: '1' }));
    expect(mgpcg).toMatchObject({ check: { passed: true }, metrics: { iterations: 1 } });
    expect(mgpcg.metrics.residual).toBeGreaterThan(1e-4);
    const cnn = await gallery['sparse-cnn'].run(options('wasm', { size: '16', steps: '2', layout: 'hash' }));
    expect(cnn).toMatchObject({ check: { passed: true }, metrics: { layers: 2, layout: 'hash' } });
  }, 120_000);
});
