import { cpp } from '@filigree/backend-cpp';
import { expect, it } from 'vitest';
import { gallery } from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const cases = ['wasm', ...(hasCompiler ? ['cpp'] : [])].flatMap((backend) =>
  ['p2g', 'g2p2g'].map((transfer) => ({ backend, transfer })),
);

it.each(cases)(
  'particles in few bits move as in full precision: $transfer on $backend',
  { timeout: 300_000 },
  async ({ backend, transfer }) => {
    const { check, metrics } = await gallery['mpm-quant'].run({
      args: { size: '16', steps: '2', transfer },
      backend,
      dtype: 'f32',
      threads: 2,
      seed: 1,
      bench: false,
      ablate: [],
      progress: () => undefined,
    });
    expect(check.passed).toBe(true);
    expect(Number(metrics.fullBytesPerElement) / Number(metrics.bytesPerElement)).toBeGreaterThan(1.69);
    expect(Number(metrics.linesChanged) / Number(metrics.lines)).toBeLessThanOrEqual(0.03);
  },
);
