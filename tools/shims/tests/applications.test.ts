import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { gallery, small } from '@filigree/e2e';
import { DiagnosticError } from 'filigree';
import { afterAll, describe, expect, it } from 'vitest';
import { cudaOnCpu, hipOnCpu, metalOnCpu } from '../src/index.js';

/* Of the tier `toolchain`. `npm run test:backends` runs all of them, `npm test` one of each kind. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';
const all = process.env['FILIGREE_BACKENDS'] === 'all';

const out = mkdtempSync(join(tmpdir(), 'filigree-shims-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Those that `npm test` runs. */
const OFTEN = new Set([
  'power',
  'cotan',
  'mpm2d',
  'sparse-cnn',
  'structures',
  'quant-partial-store',
  'sparse-saxpy',
  'lina',
]);

/** Those that Metal refuses, and why: numbers of 64 bits. */
const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'fem',
      'mgpcg',
      'structures',
      'quant-matmul',
      'stencil-reduction',
      'mgpcg2d',
      'mgpcg3d',
      'smoke-quant',
      'smoke-decay',
      'quant-search',
      'volume-renderer',
    ].map((name) => [name, 'metal has no f64']),
  ),
  'game-of-life': 'metal has no atomics on u64',
};

it('every application has its size here', () => {
  expect(Object.keys(small).sort()).toEqual(Object.keys(gallery).sort());
});

const check = async (name: string, backend: Backend, dtype: 'f32' | 'f64'): Promise<boolean> => {
  const common = { threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
  const { args } = small[name]!;
  const draws = gallery[name]!.summary.includes('out=DIR');
  const { check } = await gallery[name]!.run({ args: draws ? { ...args, out } : args, backend, dtype, ...common });
  return check.passed === true;
};

/* What draws pictures of tensors or measures the order of a scheme has its type from its arguments. */
const onMetal = (name: string): boolean => !['start', 'seissol', 'lina', 'plane-wave'].includes(name);

const names = Object.keys(small).filter((name) => all || OFTEN.has(name));

describe
  .skipIf(!usable)
  .each<readonly [string, Backend]>([
    ['cuda, threads in any order', cudaOnCpu({ seed: 20262 })],
    ...(all ? [['hip, the last thread first', hipOnCpu('backward')] as const] : []),
  ])('applications on %s', (_, backend) => {
  it.each(names)('%s passes its checks', { timeout: 300_000 }, async (name) => {
    expect(await check(name, backend, small[name]!.dtype ?? 'f64')).toBe(true);
  });
});

describe.skipIf(!usable || !all)('applications in f32 on metal', () => {
  const backend = metalOnCpu({ seed: 11 });
  it.each(names.filter(onMetal))('%s passes its checks, or is refused by name', { timeout: 300_000 }, async (name) => {
    const said = await check(name, backend, 'f32').catch((e: unknown) => {
      if (!(e instanceof DiagnosticError)) throw e;
      return e.diagnostics[0]!.message;
    });
    expect(said).toBe(REFUSED[name] ?? true);
  });
});
