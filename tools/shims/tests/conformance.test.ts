import { describe, expect, it } from 'vitest';
import { findToolchain } from '@filigree/backend/native';
import { conformance } from '@filigree/conformance';
import { cudaOnCpu, hipOnCpu } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

describe.skipIf(!usable).each([
  ['cuda', cudaOnCpu()],
  ['cuda, the last thread first', cudaOnCpu('backward')],
  ['cuda, threads in any order', cudaOnCpu({ seed: 20261 })],
  ['cuda with checked indices', cudaOnCpu('forward', { checked: true })],
  ['hip', hipOnCpu({ seed: 7 })],
])('%s, on the CPU, does what the interpreter does', (_, backend) => {
  for (const c of conformance(backend))
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
});
