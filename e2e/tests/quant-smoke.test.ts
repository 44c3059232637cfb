import { cpp } from '@filigree/backend-cpp';
import { describe, expect, it } from 'vitest';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gallery } from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const ran = (name: string, args: Readonly<Record<string, string>>, backend: string) =>
  gallery[name].run({
    args,
    backend,
    dtype: 'f32',
    threads: 1,
    seed: 1,
    bench: false,
    ablate: [],
    progress: () => undefined,
  });

describe.each(backends)('on %s', (backend) => {
  it('smoke in few bits flows as in full precision, and plays as a film', { timeout: 300_000 }, async () => {
    const out = mkdtempSync(join(tmpdir(), 'smoke-'));
    const { check, metrics } = await ran('smoke-quant', { size: '16', steps: '2', out }, backend);
    expect(check.passed).toBe(true);
    expect(metrics.fullBytesPerElement).toBeGreaterThan(1.5 * Number(metrics.bytesPerElement));
    expect(Number(metrics.linesChanged) / Number(metrics.lines)).toBeLessThanOrEqual(0.03);
    const film = readFileSync(join(out, 'smoke-quant.png'));
    expect(film.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(film.toString('latin1').match(/fcTL/g)).toHaveLength(3);
    rmSync(out, { recursive: true });
  });
});

it.skipIf(!hasCompiler)('in space, too, and in 40 bytes less a cell', { timeout: 300_000 }, async () => {
  const { check, metrics } = await ran('smoke-quant', { dim: '3', size: '16', steps: '1' }, 'cpp');
  expect(check.passed).toBe(true);
  expect(Number(metrics.fullBytesPerElement) / Number(metrics.bytesPerElement)).toBeGreaterThan(1.57);
});

it.skipIf(!hasCompiler)(
  'a shared exponent keeps what is left of smoke that thins out',
  { timeout: 300_000 },
  async () => {
    const { check, metrics } = await ran('smoke-decay', { size: '16', steps: '60' }, 'cpp');
    expect(check.passed).toBe(true);
    expect(Number(metrics.totalFixed)).toBeGreaterThan(Number(metrics.totalShared));
  },
);

it.skipIf(!hasCompiler)(
  'after one step no way to store smoke has lost more than a rounding, and which is nearer does not count',
  { timeout: 300_000 },
  async () => {
    const { check, metrics } = await ran('smoke-decay', { size: '32', steps: '1' }, 'cpp');
    expect(check.passed).toBe(true);
    const full = Number(metrics.totalFull);
    for (const left of [metrics.totalShared, metrics.totalFixed, metrics.totalFloat])
      expect(Math.abs(Number(left) / full - 1)).toBeLessThan(2 ** -10);
  },
);
