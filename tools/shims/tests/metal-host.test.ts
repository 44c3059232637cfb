import { describe, expect, it } from 'vitest';
import { conformance } from '@filigree/conformance';
import { explanations, hasObjectiveC, metalByHost } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await hasObjectiveC()) || process.env['CI'] === 'true';

const { explained } = explanations.find((e) => e.backend === 'metal')!;
const backend = metalByHost({ order: { seed: 3 } });

describe.skipIf(!usable)('metal, by its host, does what the interpreter does', () => {
  for (const c of conformance(backend, { explained }))
    it(c.name, async (context) => {
      const outcome = await c.run();
      if (outcome.status === 'skipped') return context.skip(outcome.reason);
      expect(outcome).toEqual({ status: 'passed' });
    });
});
