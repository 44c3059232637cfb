import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { conformance } from '@filigree/conformance';
import { cudaOnCpu, hipOnCpu } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/* What runs once compiles in half the time as it stands. */
const once = { compile: { flags: ['-O0'] } };
/* Where the text is that for CUDA but for a check or a word, many at a time. */
const few = { ...once, together: 16 };

describe.skipIf(!usable).each([
  ['cuda', conformance(cudaOnCpu(), once)],
  ['cuda, the last thread first', conformance(cudaOnCpu('backward'), once)],
  ['cuda, threads in any order', conformance(cudaOnCpu({ seed: 20261 }), once)],
  ['cuda with checked indices', conformance(cudaOnCpu('forward', { checked: true }), few)],
  ['hip', conformance(hipOnCpu({ seed: 7 }), few)],
])('%s, on the CPU, does what the interpreter does', (_, cases) => {
  for (const c of cases)
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
});
