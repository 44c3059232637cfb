import { nonZeros } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import {
  benchCase,
  CASE_NAMES,
  findCompiler,
  findEigen,
  measure,
  nativeBaseline,
  PROGRAM_CASES,
  type DType,
} from '../src/index.js';

// On a machine for continuous integration a missing toolchain is a failure, elsewhere a reason to skip.
const usable = ('found' in findCompiler() && 'found' in findEigen()) || process.env.CI === 'true';

// Compiling Eigen takes seconds a file, once: libraries are kept in the user's cache.
const SLOW = 120_000;

describe.skipIf(!usable)('native baselines against plain TypeScript', () => {
  it.each<[string, DType]>([
    ...CASE_NAMES.map((name): [string, DType] => [name, 'f64']),
    ['power-3', 'f32'],
    ['cotan', 'f32'],
  ])(
    '%s in %s',
    (name, dtype) => {
      const c = benchCase(name, { n: 800, dtype });
      const { contenders, skipped, close } = c.baselines();
      try {
        expect(skipped).toEqual([]);
        expect(c.expected().some((x) => Math.abs(x) > 1e-3)).toBe(true);
        for (const contender of contenders) {
          // Twice: a second run must not add to the first.
          contender.run();
          contender.run();
          expect(contender.check(), contender.name).toBeLessThanOrEqual(c.tolerance);
        }
      } finally {
        close();
      }
    },
    SLOW,
  );

  it(
    'gives matrices with the pattern that the programs assemble into',
    () => {
      const { problem } = benchCase('cotan', { n: 800 });
      if (problem.kind !== 'program') throw new Error('cotan is a program');
      const baseline = nativeBaseline('cotan', 'f64', PROGRAM_CASES.cotan.inputs(problem), { eigen: true });
      if ('missing' in baseline) throw new Error(baseline.missing);
      baseline.found.run();
      const { pattern } = baseline.found.matrix(0);
      expect(pattern).toEqual(problem.assembly?.pattern);
      expect(nonZeros(pattern)).toBe(2930 + 2 * 8784);
      baseline.found.close();
    },
    SLOW,
  );

  it(
    'shows a wrong baseline, for a check that cannot fail is none',
    () => {
      const c = benchCase('ata-plus-a', { n: 100 });
      const { contenders, close } = c.baselines();
      contenders[0].run();
      c.expected()[3] += 1e-3;
      expect(() => measure(contenders, { tolerance: c.tolerance })).toThrow(/bench\/wrong-result.*eigen/s);
      close();
    },
    SLOW,
  );

  it(
    'leaves the arithmetic of this process as it was',
    () => {
      const { close } = benchCase('power-2', { n: 100 }).baselines();
      // Start-up code of -ffast-math would flush subnormal numbers to zero.
      expect(Number('1e-310') / Number('2')).toBe(5e-311);
      close();
    },
    SLOW,
  );
});

describe('a missing toolchain', () => {
  it('is named with its reason', () => {
    expect(findCompiler({ CXX: 'no-such-compiler' })).toEqual({ missing: expect.stringContaining('no-such-compiler') });
    expect(findCompiler({ PATH: '/nonexistent' })).toEqual({ missing: expect.stringContaining('no C++ compiler') });
    expect(findEigen({ EIGEN_DIR: '/nonexistent' })).toEqual({ missing: expect.stringContaining('/nonexistent') });
  });

  it.skipIf('missing' in findCompiler())('gives the words of a compiler that fails', () => {
    expect(() => nativeBaseline('hand_power', 'f64', {}, { eigen: false, defines: { SCALAR: 'nonsense' } })).toThrow(
      /bench\/compile.*nonsense/s,
    );
  });
});
