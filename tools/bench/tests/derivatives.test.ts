import { describe, expect, it } from 'vitest';
import { dirichletOf, faceContenders, growthSvg, nativeSmoke, stvkOf, WHATS } from '../src/index.js';
import { firstDye, firstVelocity, gradientError, patternOn } from '@filigree/e2e';

const setupOf = (velocity: Float64Array) =>
  ({ n: 12, steps: 4, sweeps: 3, dtype: 'f64', dye: firstDye(12), target: patternOn(12), velocity }) as const;
const probe = nativeSmoke(setupOf(firstVelocity(12)));
if ('found' in probe) probe.found.close();
const missing = 'missing' in probe && process.env.CI !== 'true';

describe('the adjoint by hand', () => {
  it.skipIf(missing)('is that of the smoke: central differences say so', () => {
    const at = (velocity: Float64Array) => {
      const made = nativeSmoke(setupOf(velocity));
      if ('missing' in made) throw new Error(made.missing);
      return made.found;
    };
    const valueAt = (velocity: Float64Array): number => {
      const smoke = at(velocity);
      try {
        return smoke.value();
      } finally {
        smoke.close();
      }
    };
    const start = firstVelocity(12);
    const smoke = at(start);
    expect(gradientError(valueAt, smoke.gradient(), start, 1e-4, 1)).toBeLessThan(1e-8);
    smoke.close();
  });
});

describe('energies of faces', () => {
  const cases = [dirichletOf, stvkOf].map((of) => of(4)).flatMap((energy) => WHATS.map((what) => ({ energy, what })));
  it.skipIf(missing).each(cases)(
    '$energy.title: the $what is what is derived by hand',
    { timeout: 60_000 },
    async ({ energy, what }) => {
      const { contenders, cost, close } = await faceContenders(energy, what, 'f64');
      const [ours] = contenders;
      expect(ours.check(), 'before the first run').toBeGreaterThan(1e-3);
      ours.run();
      expect(ours.check()).toBeLessThan(1e-11);
      expect(cost.kernels).toBeGreaterThan(0);
      close();
    },
  );
});

describe('a picture of growth', () => {
  it('has a line for each law, that of a power straight', () => {
    const points = [64, 256, 1024].map((n) => [n, 3 * n] as const);
    const svg = growthSvg({ title: 'memory', across: 'steps', up: 'MB', lines: [{ name: 'all', points }] });
    const places = [.../d="M([^"]*)" fill="none" stroke="#d55e00"/.exec(svg)![1].split('L')].map((p) => p.split(' ').map(Number)); // prettier-ignore
    expect(places).toHaveLength(3);
    expect(places[1].map((v) => Math.round(v))).toEqual(places[0].map((v, c) => Math.round((v + places[2][c]) / 2)));
    expect(svg).toContain('>all</text>');
  });
});
