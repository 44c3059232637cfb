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
];

describe('simulations that are optimised', () => {
  it.each(SMALL)('%s %j: the gradient is right, and the loss falls', async (name, args, share) => {
    const { check, metrics } = await run(name, args);
    expect(metrics).toMatchObject({ iterations: Number(args.iterations) });
    expect(Number(metrics.gradientCheck)).toBeLessThan(1e-6);
    expect(Number(metrics.valueCheck)).toBeLessThan(1e-9);
    expect(Number(metrics.lossLast)).toBeLessThan(share * Number(metrics.lossFirst));
    expect(check.passed).toBe(true);
    for (const when of [metrics.before, metrics.after])
      expect([existsSync(String(when)), readFileSync(String(when)).subarray(1, 4).toString()]).toEqual([true, 'PNG']);
  });
});
