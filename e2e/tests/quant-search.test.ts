import { cpp } from '@filigree/backend-cpp';
import { expect, it } from 'vitest';
import { gallery } from '../src/index.js';
import { share } from './share.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
/* The other searches here are on wasm. */
const backends = hasCompiler ? [...(share < 1 ? [] : ['wasm']), 'cpp'] : ['wasm'];

const ran = (args: Readonly<Record<string, string>>, backend: string) =>
  gallery['quant-search'].run({
    args,
    backend,
    dtype: 'f32',
    threads: 1,
    seed: 1,
    bench: false,
    ablate: [],
    progress: () => undefined,
  });

it.each(backends)('a search beats the formats by hand for smoke, on %s', { timeout: 300_000 }, async (backend) => {
  const { check, metrics } = await ran({ case: 'smoke', size: '8', steps: '2' }, backend);
  expect(check.passed).toBe(true);
  expect(metrics.bytesPerElement).toBeLessThanOrEqual(Number(metrics.handBytesPerElement));
  expect(metrics.error).toBeLessThanOrEqual(1.001 * Number(metrics.handError));
  expect(metrics.derivatives).toBe('tangents');
});

it('and for jelly', { timeout: 300_000 }, async () => {
  const { check, metrics } = await ran({ case: 'mpm', size: '8', steps: '6' }, 'wasm');
  expect(check.passed).toBe(true);
  expect(metrics.bytesPerElement).toBeLessThanOrEqual(Number(metrics.handBytesPerElement));
});

it('for another error there are other formats', { timeout: 300_000 }, async () => {
  const { check, metrics } = await ran({ case: 'smoke', size: '8', steps: '1', error: '0.05' }, 'wasm');
  expect(check.passed).toBe(true);
  expect(metrics.bytesPerElement).toBeLessThan(Number(metrics.handBytesPerElement));
});
