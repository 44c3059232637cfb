import { describe, expect, it } from 'vitest';
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
