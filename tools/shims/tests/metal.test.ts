import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { type Outcome, conformance, conformancePrograms, requirements } from '@filigree/conformance';
import { coreDialects, verifyModule } from '@filigree/ir';
import { inSingles, metalOnCpu } from '../src/index.js';

const backend = metalOnCpu({ seed: 3 });

/** Why a program is not for Metal, by what is said of it. */
const explained: readonly RegExp[] = [
  /^the backend has no f64$/ /* nor has the language */,
  /^the backend has no atomics on (i1|i8|i16|i64|u8|u16|u64|f64)(, \w+)*$/ /* of 32 bits there are */,
];

/** Programs whose one kernel takes more buffers than can be bound, and are refused. */
const tooManyBuffers = new Set([
  ...['i8', 'i16', 'i32', 'i64', 'f32'].map((t) => `constants of ${t}`),
  'many buffers of odd lengths',
]);

/* What is for doubles, in singles: but for conversions between the two, numbers that singles do not hold, and what is about the bits of a double. */
const doubles = conformancePrograms()
  .filter((p) => requirements(p.module).types.has('f64') && !/f64|of f32|cast|edges|through several types/.test(p.name))
  .map(inSingles)
  .filter((p) => verifyModule(p.module, coreDialects).length === 0);

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

describe.skipIf(!usable).each([
  ['what the interpreter does', conformance(backend)],
  ['in singles what the interpreter does in singles', conformance(backend, { programs: doubles })],
])('metal, on the CPU, does %s', (_, cases) => {
  for (const c of cases)
    it(c.name, async (context) => {
      const run = c.run();
      if (tooManyBuffers.has(c.name) && !(await skips(run))) return expect(run).rejects.toThrow('metal/bindings');
      const outcome = await run;
      if (outcome.status === 'skipped') {
        const known = explained.some((reason) => reason.test(outcome.reason));
        expect(known, outcome.reason).toBe(true);
        return context.skip(outcome.reason);
      }
      expect(outcome).toEqual({ status: 'passed' });
    });
});

const skips = (run: Promise<Outcome>): Promise<boolean> =>
  run.then(
    ({ status }) => status === 'skipped',
    () => false,
  );
