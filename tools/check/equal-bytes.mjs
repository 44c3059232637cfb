import { expect } from 'vitest';

/**
 * A setup file of all tests: typed arrays of the same bytes are equal without a look at each element, which takes a microsecond. Others
 * are compared as ever, and so are told apart.
 */

/** @type {(x: unknown) => x is ArrayBufferView & { constructor: unknown }} */
const isView = (x) => ArrayBuffer.isView(x);

/** @type {(x: ArrayBufferView) => Buffer} */
const bytesOf = (x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength);

/** @type {(a: unknown, b: unknown) => true | undefined} */
const sameBytes = (a, b) =>
  isView(a) && isView(b) && a.constructor === b.constructor && bytesOf(a).equals(bytesOf(b)) ? true : undefined;

/* Files that one worker runs share its testers. */
const worker = /** @type {{ filigreeComparesBytes?: true }} */ (globalThis);
if (!worker.filigreeComparesBytes) expect.addEqualityTesters([sameBytes]);
worker.filigreeComparesBytes = true;
