import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { gallery, small, withPictures } from '@filigree/e2e';

/** Whether there is a compiler, which stands for that of a device: of the tier `toolchain`. */
export const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/** `npm run test:backends` runs all applications on all backends, `npm test` one of each kind on one. A file a backend: files run side by side. */
export const all = process.env['FILIGREE_BACKENDS'] === 'all';

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

/** The applications that run here. */
export const names = Object.keys(small).filter((name) => all || OFTEN.has(name));

/** Where pictures go. */
export const out = mkdtempSync(join(tmpdir(), 'filigree-shims-'));

/* In f32 gradients are held against a plain program, which takes minutes for this one as it is in f64. */
const SHORTER: Readonly<Record<string, Readonly<Record<string, string>>>> = { liquid: { steps: '4' } };

/** Whether an application passes its own check. */
export const check = async (name: string, backend: Backend, dtype: 'f32' | 'f64'): Promise<boolean> => {
  const common = { threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
  const shorter = dtype === 'f32' && small[name]!.dtype !== 'f32' ? SHORTER[name] : {};
  const args = withPictures(name, { ...small[name]!.args, ...shorter }, out);
  const { check } = await gallery[name]!.run({ args, backend, dtype, ...common });
  return check.passed === true;
};
