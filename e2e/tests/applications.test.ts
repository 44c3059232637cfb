import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { gallery } from '../src/index.js';

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

describe.each(backends)('the applications on %s', (backend) => {
  it.each(SMALL)(
    '%s %j passes its physical checks and draws a picture',
    async (name, args) => {
      const result = await gallery[name].run({
        args: { ...args, out },
        backend,
        dtype: 'f32',
        threads: 1,
        seed: 1,
        bench: false,
        ablate: [],
        progress: () => undefined,
      });
      expect(result.check).toEqual({ passed: true });
      expect(existsSync(join(out, `${name}.png`))).toBe(true);
      expect(result.ms.run).toBeGreaterThan(0);
    },
    300_000,
  );
});
