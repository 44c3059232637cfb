import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { filigree, grid, marketOf, scratch, scratchFile, workingBackends } from './support.js';

const A = scratchFile('a.mtx', marketOf(grid(3)));
const B = scratchFile('b.mtx', marketOf([[1, 0, 2, 0, 0, 0, 0, 3, 0]]));

interface Answer {
  readonly baselines: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
}

const bench = async (expression: string, ...more: string[]): Promise<Answer> => {
  const bound = ['--bind', `A=${A}`, '--bind', `B=${B}`, '--bind', 's=2.5'];
  const { out } = await filigree('expr', expression, ...bound, '--bench', '--json', '--backend', 'wasm', ...more);
  return JSON.parse(out) as Answer;
};

afterEach(() => vi.unstubAllEnvs());

/* A baseline whose result differs from the plain evaluation is not reported, so being there means being right. */
const here = workingBackends.includes('cpp') && (existsSync('/usr/include/eigen3') || process.env['CI'] === 'true');
describe.runIf(here)('the Eigen baseline', () => {
  it.each(['f32', 'f64'])('is measured for every kind of expression, in %s', async (dtype) => {
    const all = "(A+s*A')*(-A)^3-(A'*B')*B''*(2-1)+A''+(A*A)'";
    expect(await bench(all, '--dtype', dtype)).toMatchObject({ baselines: { eigen: expect.any(Number) }, skipped: {} });
  });

  it.each(["A'", 'A'])('is measured for %s', async (expression) => {
    expect((await bench(expression)).baselines).toHaveProperty('eigen');
  });
});

describe('without an Eigen baseline, the reason is told', () => {
  it.runIf(workingBackends.includes('cpp'))('when Eigen is missing', async () => {
    vi.stubEnv('EIGEN_DIR', scratch);
    const { baselines, skipped } = await bench('A*A');
    expect(Object.keys(baselines)).toEqual(['generic']);
    expect(skipped['eigen']).toContain('headers of Eigen');
  });

  it('when the compiler is missing', async () => {
    vi.stubEnv('PATH', scratch);
    vi.stubEnv('CXX', undefined);
    vi.stubEnv('FILIGREE_CXX', undefined);
    const { baselines, skipped } = await bench('A*A');
    expect(Object.keys(baselines)).toEqual(['generic']);
    expect(skipped['eigen']).toContain('no working C++ compiler');
  });
});
