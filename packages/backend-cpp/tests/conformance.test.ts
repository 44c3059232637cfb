import { describe, expect, it } from 'vitest';
import { conformance, conformancePrograms, joined } from '@filigree/conformance';
import { cpp } from '@filigree/backend-cpp';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();

/* Of one code each, where the suite runs once more. */
const few = joined(cpp(), conformancePrograms());

describe.skipIf(!usable)('cpp does what the interpreter does', () => {
  for (const c of conformance(cpp())) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});

describe.skipIf(!usable)('cpp under fast math stays within rounding, NaN and infinity included', () => {
  for (const c of conformance(cpp(), {
    programs: few,
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
  for (const c of conformance(cpp({ checked: true }), { programs: few, compile: { flags: ['-O1'] } })) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});
