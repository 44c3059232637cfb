import { describe, expect, it } from 'vitest';
import type { Sources } from '@filigree/backend';
import { conformance } from '@filigree/conformance';
import { wasm } from '@filigree/backend-wasm';

describe('wasm does what the interpreter does', () => {
  for (const c of conformance(wasm())) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});

describe('wasm without vectorisation and without shared memory does too', () => {
  for (const c of conformance(wasm({ simd: false, shared: false }))) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});

describe('wasm for one thread does too', () => {
  const backend = wasm();
  const alone = { ...backend, compile: (sources: Sources) => backend.compile!(sources, { oneThread: true }) };
  for (const c of conformance(alone)) {
    it(c.name, async () => {
      expect(await c.run()).toEqual({ status: 'passed' });
    });
  }
});
