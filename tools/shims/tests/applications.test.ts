import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { gallery } from '@filigree/e2e';
import { DiagnosticError } from 'filigree';
import { afterAll, describe, expect, it } from 'vitest';
import { cudaOnCpu, hipOnCpu, metalOnCpu } from '../src/index.js';

/* Of the tier `toolchain`. `npm run test:backends` runs all of them, `npm test` one of each kind. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';
const all = process.env['FILIGREE_BACKENDS'] === 'all';

const out = mkdtempSync(join(tmpdir(), 'filigree-shims-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

interface Tiny {
  readonly args: Readonly<Record<string, string>>;
  readonly dtype?: 'f32';
  /** Whether it is one that `npm test` runs. */
  readonly often?: true;
  /** Why Metal refuses it, if it does. */
  readonly metal?: string;
}

const noDouble = 'metal has no f64';

/** Every application and experiment of the gallery, small enough for seconds. */
const tiny: Readonly<Record<string, Tiny>> = {
  start: { args: { out } },
  'numeric-0': { args: { n: '300' } },
  'numeric-1': { args: { n: '300' } },
  'numeric-2': { args: { n: '300' } },
  power: { args: { k: '3', n: '64' }, often: true },
  'lmlt-plus-k': { args: { n: '100' } },
  cotan: { args: { n: '64' }, often: true },
  'dual-laplacian': { args: { n: '27' } },
  arap: { args: { n: '36' } },
  'cloth-hessian': { args: { n: '36', mode: 'ad' } },
  'symmetric-dirichlet': { args: { n: '36', iterations: '3' } },
  'cloth-system': { args: { n: '9', steps: '2' } },
  mpm2d: { args: { size: '32', steps: '20', out }, dtype: 'f32', often: true },
  mpm3d: { args: { size: '16', steps: '5', out }, dtype: 'f32' },
  fem: { args: { size: '16', out }, dtype: 'f32', metal: noDouble },
  mgpcg: { args: { size: '32', out }, dtype: 'f32', metal: noDouble },
  'sparse-cnn': { args: { size: '16', out }, dtype: 'f32', often: true },
  'path-tracer': { args: { size: '32', cells: '16', samples: '2', out }, dtype: 'f32' },
  structures: { args: { out }, dtype: 'f32', often: true, metal: noDouble },
  'quant-store': { args: { size: '20000' }, dtype: 'f32' },
  'quant-partial-store': { args: { size: '20000' }, dtype: 'f32', often: true },
  'quant-matmul': { args: { size: '20000' }, dtype: 'f32', metal: noDouble },
  'quant-saxpy': { args: { size: '20000' }, dtype: 'f32' },
  'game-of-life': { args: { steps: '2', size: '512' }, dtype: 'f32' },
  'spring-triangle': { args: { iterations: '80' } },
  'mass-spring': { args: { robot: '3', steps: '50', hidden: '8', iterations: '4' } },
  wave: { args: { size: '16', steps: '20', iterations: '20' }, often: true },
  billiards: { args: { steps: '512', iterations: '4' } },
  'time-of-impact': { args: { steps: '100', iterations: '40' } },
  smoke: { args: { size: '8', steps: '4', sweeps: '2', iterations: '4' } },
  'volume-renderer': { args: { size: '8', pixels: '8', views: '3', iterations: '20' }, metal: noDouble },
  electric: { args: { steps: '50', hidden: '8', iterations: '4' } },
  'chain-copy': { args: { n: '4096' } },
  increments: { args: { n: '4096' } },
  'fill-array': { args: { n: '4096' } },
  'sparse-saxpy': { args: { n: '64' }, often: true },
  'stencil-reduction': { args: { n: '4096' }, metal: noDouble },
  'simple-advection': { args: { n: '64' } },
  multires: { args: { n: '4096' } },
  'deep-hierarchy': { args: { n: '65536' }, metal: noDouble },
  'mpm-split': { args: { n: '16' } },
  maccormack: { args: { n: '16', steps: '2' } },
  mgpcg3d: { args: { n: '16', steps: '2' }, metal: noDouble },
  seissol: { args: { order: '2', fused: '4', size: '1', out } },
  lina: { args: { dim: '3', order: '2', size: '2', out }, often: true },
  'plane-wave': { args: { method: 'lina', order: '4', size: '4', out } },
};

it('every application has its size here', () => {
  expect(Object.keys(tiny).sort()).toEqual(Object.keys(gallery).sort());
});

const check = async (name: string, backend: Backend, dtype: 'f32' | 'f64'): Promise<boolean> => {
  const common = { threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
  const { check } = await gallery[name]!.run({ args: tiny[name]!.args, backend, dtype, ...common });
  return check.passed === true;
};

/* What draws pictures of tensors or measures the order of a scheme has its type from its arguments. */
const onMetal = (name: string): boolean => !['start', 'seissol', 'lina', 'plane-wave'].includes(name);

const names = Object.keys(tiny).filter((name) => all || tiny[name]!.often);

describe
  .skipIf(!usable)
  .each<readonly [string, Backend]>([
    ['cuda, threads in any order', cudaOnCpu({ seed: 20262 })],
    ...(all ? [['hip, the last thread first', hipOnCpu('backward')] as const] : []),
  ])('applications on %s', (_, backend) => {
  it.each(names)('%s passes its checks', { timeout: 300_000 }, async (name) => {
    expect(await check(name, backend, tiny[name]!.dtype ?? 'f64')).toBe(true);
  });
});

describe.skipIf(!usable || !all)('applications in f32 on metal', () => {
  const backend = metalOnCpu({ seed: 11 });
  it.each(names.filter(onMetal))('%s passes its checks, or is refused by name', { timeout: 300_000 }, async (name) => {
    const said = await check(name, backend, 'f32').catch((e: unknown) => {
      if (!(e instanceof DiagnosticError)) throw e;
      return e.diagnostics[0]!.message;
    });
    expect(said).toBe(tiny[name]!.metal ?? true);
  });
});
