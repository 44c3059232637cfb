import { nativeCnn, type Finding } from '@filigree/e2e';
import { expect } from 'vitest';

// Threads that wait by spinning take the processor from those they wait for when tests run side by side.
process.env.OMP_WAIT_POLICY ??= 'passive';

/** What a check found must all be within its bounds, and be something. */
export const expectPassed = (findings: readonly Finding[]): void => {
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.filter((f) => !f.passed)).toEqual([]);
};

/** Names of the findings that failed. */
export const failures = (findings: readonly Finding[]): string[] =>
  findings.filter((f) => !f.passed).map((f) => f.name);

/** Whether this machine can compile the code by hand. Where it cannot, its tests are skipped, but fail in continuous integration. */
export const native = typeof (await nativeCnn('f32', 1)) !== 'string' || process.env.CI === 'true';

/** A baseline that was compiled. */
export const compiled = <T>(made: T | string): T => {
  if (typeof made === 'string') throw new Error(made);
  return made;
};

export const dtypes = ['f64', 'f32'] as const;
