import { hip } from '@filigree/backend-hip';
import { conformance } from '@filigree/conformance';
import { describe, expect, it } from 'vitest';

const backend = hip();
const { usable, reason } = await backend.probe();

it('says whether it can be used here, and what to install if not', () => {
  expect(usable ? reason === '' : /remedy: \w+/.test(reason)).toBe(true);
});

/* Of the tier `device`: what the sources mean is tested on the CPU, in tools/shims. */
describe.skipIf(!usable)('hip does what the interpreter does', () => {
  for (const { name, run } of conformance(backend))
    it(name, async () => {
      expect(await run()).toEqual({ status: 'passed' });
    });
});
