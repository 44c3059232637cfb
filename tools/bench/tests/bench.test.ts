import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { maxRelError } from '@filigree/e2e';
import { benchCase, benchMain, resultTable, runCase, type Contender } from '../src/index.js';

describe('the command', () => {
  const out: string[] = [];
  const err: string[] = [];
  beforeEach(() => {
    out.length = 0;
    err.length = 0;
    vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text));
    vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text));
  });
  afterEach(() => vi.restoreAllMocks());

  it('lists the cases', async () => {
    expect(await benchMain(['--list'])).toBe(0);
    expect(out.join('\n').split('\n')).toContain('dual-laplacian');
  });

  it.each([[[]], [['--nonsense']], [['cotan', '--dtype', 'f16']], [['cotan', '--n', '-3']]])(
    'explains its use for %j',
    async (argv) => {
      expect(await benchMain(argv)).toBe(2);
      expect(err.join('\n')).toContain('usage: npm run bench');
    },
  );

  it('names an unknown case, and a mesh that is not there', async () => {
    expect(await benchMain(['no-such-case'])).toBe(1);
    expect(err.join('\n')).toMatch(/bench\/unknown-case.*no-such-case/);
    expect(await benchMain(['cotan', '--mesh', 'no-such-file.off'])).toBe(1);
    expect(err.join('\n')).toMatch(/file\/missing.*no-such-file\.off/);
    expect(await benchMain(['numeric-0', '--mesh', 'spot.obj'])).toBe(1);
    expect(err.join('\n')).toMatch(/bench\/mesh.*random matrices/);
  });
});

describe('a run', () => {
  it('measures what a provider adds, beside the plain program, and closes it', async () => {
    const c = benchCase('cotan', { n: 800 });
    let closed = false;
    let last = new Float64Array(0);
    const ours: Contender = {
      name: 'ours',
      run: () => void (last = Float64Array.from(c.expected())),
      check: () => maxRelError(last, c.expected()),
      bytesMoved: 16 * c.expected().length,
    };
    const result = await runCase(
      {
        ...c,
        baselines: () => ({ contenders: [], skipped: [{ name: 'eigen', reason: 'no compiler' }], close: () => {} }),
      },
      { rounds: 6, minMs: 0.5, providers: [() => ({ contenders: [ours], skipped: [], close: () => (closed = true) })] },
    );
    expect(closed).toBe(true);
    expect(result.skipped).toEqual([{ name: 'eigen', reason: 'no compiler' }]);
    const table = resultTable(result);
    expect(table.head).toContain('ms ÷ bandwidth bound');
    expect(table.rows[0][0]).toBe('ours');
    expect(Number(table.rows[0].at(-1))).toBeGreaterThan(0);
  });

  it('has nothing to say without contenders', async () => {
    const none = {
      ...benchCase('power-2', { n: 100 }),
      baselines: () => ({ contenders: [], skipped: [{ name: 'eigen', reason: 'no compiler' }], close: () => {} }),
    };
    await expect(runCase(none)).rejects.toThrow(/bench\/nothing-to-measure.*no compiler/);
  });

  it('takes the cotan Laplacian of a mesh for the Laplacian of an expression', () => {
    const mesh = fileURLToPath(new URL('../../../e2e/data/spot.obj', import.meta.url));
    const { problem, expected } = benchCase('power-2', { mesh });
    if (problem.kind !== 'expression') throw new Error('power-2 is an expression');
    expect(problem.matrices.L.pattern.rows).toBe(2930);
    expect(problem.matrices.L.pattern.colIdx.length).toBe(2930 + 2 * 8784);
    // Rows of a Laplacian sum to zero, and so do those of its square.
    expect(Math.abs(expected().reduce((a, b) => a + b))).toBeLessThan(1e-6);
  });

  it('gives f32 cases inputs that f32 can hold', () => {
    const { problem } = benchCase('power-2', { n: 100, dtype: 'f32' });
    if (problem.kind !== 'expression') throw new Error('power-2 is an expression');
    for (const x of problem.matrices.L.values) expect(Math.fround(x)).toBe(x);
  });
});
