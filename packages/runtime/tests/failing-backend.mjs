import { wasm } from '@filigree/backend-wasm';

/** A backend that writes code and cannot compile it. */
export const failing = (options) => ({
  ...wasm(options),
  compile: () => async () => ({ _tag: 'Left', left: [{ severity: 'error', code: 'test/compile', message: 'no' }] }),
});
