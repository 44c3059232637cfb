import { describe, expect, it } from 'vitest';
import { conformance } from '@filigree/conformance';
import { cpp } from '@filigree/backend-cpp';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();

/* Where the suite runs once more. */
const together = 16;

describe.skipIf(!usable)('cpp does what the interpreter does', () => {
  for (const c of conformance(cpp())) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});

describe.skipIf(!usable)('cpp under fast math stays within rounding, NaN and infinity included', () => {
  for (const c of conformance(cpp(), {
    together,
    compile: { fastMath: true },
    ulps: 16,
    reorders: true,
  })) {
    it(c.name, async (context) => {
      const outcome = await c.run();
      if (outcome.status === 'skipped') context.skip(outcome.reason);
      expect(outcome.status).toBe('passed');
    });
  }
});

describe.skipIf(!usable)('cpp with checked indices does what the interpreter does', () => {
  for (const c of conformance(cpp({ checked: true }), { together, compile: { flags: ['-O1'] } })) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});
