import { cpp } from '@filigree/backend-cpp';
import { layoutText, program } from 'filigree';
import { describe, expect, it } from 'vitest';
import { expectedPairs, STRUCTURE_NAMES, structures } from '../src/index.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

describe.each(backends)('the five data structures on %s', (backend) => {
  it.each(STRUCTURE_NAMES)('%s holds particles, below zero too where it is unbounded', async (name) => {
    const { layout, kernels, counted, unbounded } = structures()[name];
    for (const shift of unbounded ? [0, -50, -3000] : [0, 20]) {
      const sim = await program({ layout, kernels, backend });
      const pairs = sim.run.pairs as (...args: readonly number[]) => number;
      expect(pairs(400, shift)).toBe(expectedPairs(400));
      const places = [...sim.field(counted).entries()].filter(([, x]) => x !== 0).map(([[i]]) => i);
      expect(Math.min(...places)).toBe(10 + shift);
      sim.dispose();
    }
  });
});

it('the same kernel runs over all grids, and the trees are those of the figure', () => {
  const all = structures();
  const { vdb, spgrid, spvdb } = all;
  expect(new Set([vdb, spgrid, spvdb].map((s) => s.kernels.pairs.fn)).size).toBe(1);
  expect(layoutText(spvdb.layout).split('\n').slice(0, 4)).toEqual([
    'root()',
    '  hash(i: 512, j: 512, k: 512)',
    '    dense(i: 16, j: 16, k: 16).bitmasked().morton()',
    '      dense(i: 8, j: 4, k: 4)',
  ]);
  for (const name of STRUCTURE_NAMES) expect(all[name].unbounded).toBe(layoutText(all[name].layout).includes('hash('));
});
