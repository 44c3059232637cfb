import type { Finding } from '@filigree/e2e';
import { expect } from 'vitest';

/** What a check found must all be within its bounds, and be something. */
export const expectPassed = (findings: readonly Finding[]): void => {
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.filter((f) => !f.passed)).toEqual([]);
};

/** Names of the findings that failed. */
export const failures = (findings: readonly Finding[]): string[] =>
  findings.filter((f) => !f.passed).map((f) => f.name);

/** A baseline that this machine can compile; where it cannot, a test is skipped, but not in continuous integration. */
export const compiled = <T>(made: T | string, skip: (why: string) => void): T => {
  if (typeof made !== 'string') return made;
  if (process.env.CI === 'true') throw new Error(made);
  skip(made);
  throw new Error(made);
};

export const largestError = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  if (found.length !== expected.length) return Infinity;
  let difference = 0;
  let scale = 0;
  for (let k = 0; k < expected.length; k++) {
    const d = Math.abs(found[k] - expected[k]);
    if (!(d <= difference)) difference = d;
    scale = Math.max(scale, Math.abs(expected[k]));
  }
  return difference / scale;
};

export const dtypes = ['f64', 'f32'] as const;
