import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { gallery } from '../src/index.js';
import type { ExampleResult } from 'filigree';

const out = mkdtempSync(join(tmpdir(), 'filigree-simulators-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const run = (name: string, args: Record<string, string>): Promise<ExampleResult> =>
  gallery[name].run({
    args: { ...args, out },
    backend: wasm(),
    dtype: 'f64',
    threads: 1,
    seed: 3,
    bench: false,
    ablate: [],
    progress: () => undefined,
  });

/** Small enough for a second or two each; the loss falls to this share of what it was. */
const SMALL: readonly (readonly [string, Record<string, string>, number])[] = [
  ['spring-triangle', { iterations: '80' }, 0.01],
  ['mass-spring', { robot: '3', steps: '150', hidden: '8', iterations: '10' }, 1],
  ['wave', { size: '16', steps: '20', iterations: '20' }, 0.6],
  ['billiards', { steps: '512', iterations: '100' }, 0.5],
  ['time-of-impact', { steps: '100', iterations: '40' }, 0.9],
  ['smoke', { size: '16', steps: '6', sweeps: '4', iterations: '20' }, 0.8],
  ['volume-renderer', { size: '8', pixels: '8', views: '3', iterations: '20' }, 0.5],
  ['electric', { steps: '100', hidden: '8', iterations: '20' }, 0.6],
];

describe('simulations that are optimised', () => {
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

  it('time-of-impact: without it the gradient has the other sign, and the loss rises', async () => {
    const { check, metrics } = await run('time-of-impact', { impact: 'step', steps: '100', iterations: '40' });
    expect(check.passed).toBe(true);
    expect(Number(metrics['slope of the last height'])).toBeGreaterThan(0.9);
    expect(Number(metrics.lossLast)).toBeGreaterThan(Number(metrics.lossFirst));
  });
});
