import { metal } from '@filigree/backend-metal';
import { conformance } from '@filigree/conformance';
import { describe, expect, it } from 'vitest';

const backend = metal();
const { usable, reason } = await backend.probe();

it('says whether it can be used here, and what to do if not', () => {
  expect(usable ? reason === '' : /remedy: \w+/.test(reason)).toBe(true);
});

/* Of the tier `device`, a Mac: what the sources mean, and what the host does, is tested on the CPU, in tools/shims. */
describe.skipIf(!usable)('metal does what the interpreter does', () => {
  const explained = [
    { reason: /has no (f64|atomics on)/, why: 'the language has neither doubles nor atomics of 64 bits' },
  ];
  for (const { name, run } of conformance(backend, { explained }))
    it(name, async (context) => {
      const outcome = await run();
      if (outcome.status === 'skipped') return context.skip(outcome.reason);
      expect(outcome).toEqual({ status: 'passed' });
    });
});
