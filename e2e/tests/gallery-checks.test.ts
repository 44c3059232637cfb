import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import type { TypedArray } from '@filigree/ir';
import { gallery, withPictures } from '../src/index.js';
import { disturbed } from './disturbed.js';

const out = mkdtempSync(join(tmpdir(), 'gallery-'));
afterAll(() => rmSync(out, { recursive: true }));

const run = async (
  name: string,
  args: Record<string, string>,
  disturb: Parameters<typeof disturbed>[1],
): Promise<boolean> => {
  const common = { dtype: 'f64' as const, threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
  const { check } = await gallery[name].run({
    args: withPictures(name, args, out),
    backend: disturbed(wasm(), disturb),
    ...common,
  });
  return check.passed;
};

/** One entry of a result, the largest, is off by 1 %. */
const offBy = (data: Float64Array): void => {
  let at = 0;
  for (let k = 0; k < data.length; k++) if (Math.abs(data[k]) > Math.abs(data[at])) at = k;
  data[at] *= 1.01;
};

describe('the check of an example says that it failed where one entry of an output is off by 1 %', () => {
  it.each<[string, Record<string, string>, readonly string[]]>([
    ['numeric-0', { n: '60' }, ['R']],
    ['numeric-1', { n: '60' }, ['R']],
    ['numeric-2', { n: '24' }, ['R']],
    ['power', { k: '3', n: '36' }, ['R']],
    ['lmlt-plus-k', { n: '36' }, ['R']],
    ['cotan', { n: '36' }, ['L', 'M']],
    ['dual-laplacian', { n: '27' }, ['L', 'M']],
    ['arap', { n: '16' }, ['B']],
    ['cloth-hessian', { n: '16', mode: 'hand' }, ['H']],
    ['cloth-hessian', { n: '16', mode: 'ad' }, ['H']],
    ['cloth-system', { n: '9', steps: '2' }, ['energy', 'gradient', 'A', 'b']],
    ['symmetric-dirichlet', { n: '16', iterations: '2' }, ['energy', 'gradient', 'H']],
  ])(
    '%s',
    async (name, args, outputs) => {
      let found: readonly string[] = [];
      const control = await run(name, args, (_kernel, _before, _after, module) => {
        found = module.buffers.filter((b) => b.role === 'output').map((b) => b.name);
      });
      expect([control, found]).toEqual([true, outputs]);
      for (const output of outputs)
        expect([
          output,
          await run(name, args, (_kernel, _before, after: Readonly<Record<string, TypedArray>>) =>
            offBy(after[output] as Float64Array),
          ),
        ]).toEqual([output, false]);
    },
    300_000,
  );
});

it('the check of an example says why where its arguments ask for too little', async () => {
  const why = async (name: string, args: Record<string, string>) => {
    const common = { dtype: 'f64' as const, threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
    const { check } = await gallery[name].run({ args: { ...args, out }, backend: wasm(), ...common });
    return check.why;
  };
  expect(await why('plane-wave', { order: '2', size: '1' })).toContain('give a larger size');
  expect(await why('diffmpm', { steps: '1', iterations: '1' })).toContain('its gradient is right');
}, 120_000);
