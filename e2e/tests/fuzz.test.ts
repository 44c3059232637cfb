import { cpp } from '@filigree/backend-cpp';
import { expect, it } from 'vitest';
import { fuzzKernels } from './fuzz/kernels/fuzz.js';
import { fuzzScripts } from './fuzz/scripts/fuzz.js';
import { fuzzTraces } from './fuzz/traces/fuzz.js';
import { share } from './share.js';

const [many, few] = [60, 40].map((n) => Math.ceil(n * share));

/* A small part of `npm run fuzz`, always the same programs. */
const common = {
  seed: 1,
  count: many,
  backends: ['wasm', ...((await cpp().probe()).usable ? ['cpp'] : [])],
  every: 5,
  most: 1,
  say: () => {},
};

it('random kernels compute what plain evaluation does', { timeout: 180_000 }, async () => {
  const { tried, faults, refused } = await fuzzKernels({ ...common, outside: true });
  expect(faults).toEqual([]);
  expect(tried).toBe(many);
  expect([...refused.values()].reduce((a, b) => a + b, 0)).toBeLessThan(0.2 * many);
});

it(
  'random kernels on fields of few bits compute what plain evaluation does, passes on and off',
  { timeout: 300_000 },
  async () => {
    const { tried, faults, refused } = await fuzzKernels({ ...common, count: few, every: 4, outside: true, few: true });
    expect(faults).toEqual([]);
    expect(tried).toBe(few);
    expect([...refused.values()].reduce((a, b) => a + b, 0)).toBeLessThan(0.5 * few);
  },
);

it('random scripts compute what JavaScript does, and are understood', { timeout: 180_000 }, async () => {
  const { tried, faults, refused } = await fuzzScripts(common);
  expect(faults).toEqual([]);
  expect(tried).toBe(many);
  expect([...refused]).toEqual([]);
});

it('random traced programs compute what plain evaluation does', { timeout: 180_000 }, async () => {
  const { tried, faults, refused } = await fuzzTraces(common);
  expect(faults).toEqual([]);
  expect(tried).toBe(many);
  expect([...refused.values()].reduce((a, b) => a + b, 0)).toBeLessThan(0.1 * many);
});
