import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { gallery } from '../src/index.js';
import type { Backend } from '@filigree/backend';
import type { ExampleOptions, ExampleResult } from 'filigree';
import { share } from './share.js';

const out = mkdtempSync(join(tmpdir(), 'filigree-simulators-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const run = (
  name: string,
  args: Record<string, string>,
  where: Partial<Pick<ExampleOptions, 'backend' | 'threads'>> = {},
): Promise<ExampleResult> =>
  gallery[name].run({
    args: { ...args, out },
    backend: wasm(),
    dtype: 'f64',
    threads: 1,
    seed: 3,
    bench: false,
    ablate: [],
    progress: () => undefined,
    ...where,
  });

/** Small enough for a second or two each; the loss falls to this share of what it was. */
const SMALL: readonly (readonly [string, Record<string, string>, number])[] = [
  ['spring-triangle', { iterations: '80' }, 0.01],
  ['mass-spring', { robot: '3', steps: '150', hidden: '8', iterations: '10' }, 1],
  ['wave', { size: '16', steps: '20', iterations: '20' }, 0.6],
  ['billiards', { steps: '512', iterations: '100' }, 0.5],
  ['billiards', { layers: '1', steps: '512', iterations: '60' }, 0.8],
  ['billiards', { layers: '2', steps: '512', iterations: '60' }, 0.1],
  ['time-of-impact', { steps: '100', iterations: '40' }, 0.9],
  ['smoke', { size: '16', steps: '6', sweeps: '4', iterations: '20' }, 0.8],
  ['volume-renderer', { size: '8', pixels: '8', views: '3', iterations: '20' }, 0.5],
  ['electric', { steps: '100', hidden: '8', iterations: '20' }, 0.6],
  ['diffmpm', { size: '24', steps: '40', iterations: '5', keep: 'all' }, 1],
  ['diffmpm', { dim: '3', size: '16', steps: '6', iterations: '2', keep: '3' }, 1],
  ['liquid', { size: '16', steps: '8', iterations: '2' }, 1],
  ['rigid-body', { legs: '2', steps: '150', hidden: '8', iterations: '10' }, 1],
  ['water-renderer', { size: '16', steps: '20', iterations: '20' }, 0.1],
  ['adaptive-pendulum', { size: '5', iterations: '60' }, 0.3],
];

const compilers = await cpp().probe();
const canCompile = compilers.usable || process.env.CI === 'true';

describe('simulations that are optimised', { timeout: 240_000 }, () => {
  it.each(SMALL)('%s %j: the gradient is right, and the loss falls', async (name, args, share) => {
    const { check, metrics } = await run(name, args);
    expect(metrics).toMatchObject({ iterations: Number(args.iterations) });
    expect(Number(metrics.gradientCheck)).toBeLessThan(1e-6);
    expect(Number(metrics.valueCheck)).toBeLessThan(1e-9);
    const [first, last] = [Number(metrics.lossFirst), Number(metrics.lossLast)];
    expect(last).toBeLessThan(first < 0 ? first : share * first);
    expect(check.passed).toBe(true);
    for (const when of [metrics.before, metrics.after])
      expect([existsSync(String(when)), readFileSync(String(when)).subarray(1, 4).toString()]).toEqual([true, 'PNG']);
  });

  /* Where little is to be tried again, C++ on one thread or on two. */
  const places = (at: number): readonly { readonly backend?: Backend; readonly threads?: number }[] => {
    const native = [{ backend: cpp() }, { backend: cpp(), threads: 2 }];
    return [...(share < 1 ? [native[at % 2]] : native), { threads: 2 }];
  };
  const numbered = SMALL.map(([name, args], at) => [name, args, at] as const);
  it.skipIf(!canCompile).each(numbered)(
    '%s %j: the gradient is right in C++ and on two threads',
    async (name, args, at) => {
      for (const where of places(at)) {
        const { metrics } = await run(name, { ...args, iterations: '0' }, where);
        expect(Number(metrics.gradientCheck)).toBeLessThan(1e-6);
        expect(Number(metrics.valueCheck)).toBeLessThan(1e-9);
      }
    },
  );

  it('diffmpm: what is kept is a matter of memory alone', async () => {
    const all = await Promise.all(
      ['all', 'root', '7'].map((keep) => run('diffmpm', { size: '24', steps: '40', iterations: '2', keep })),
    );
    expect(new Set(all.map(({ metrics }) => metrics.lossLast)).size).toBe(1);
    const [most, root] = all.map(({ metrics }) => Number(metrics.tapeMB));
    expect(root).toBeLessThan(most / 2);
  });

  it('time-of-impact: without it the gradient has the other sign, and the loss rises', async () => {
    const { check, metrics } = await run('time-of-impact', { impact: 'step', steps: '100', iterations: '40' });
    expect(check.passed).toBe(true);
    expect(Number(metrics['slope of the last height'])).toBeGreaterThan(0.9);
    expect(Number(metrics.lossLast)).toBeGreaterThan(Number(metrics.lossFirst));
  });
});
