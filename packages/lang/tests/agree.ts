import { array } from '@filigree/lang';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { define, run } from './kernel-run.js';

/** The length of the arrays. */
export const N = 24;

/** Runs a function as a kernel and as what it is, on equal arrays, and wants equal numbers. */
export const agree = (
  fn: (a: Float64Array, k: Int32Array, x: number) => unknown,
  scope: Record<string, unknown> = {},
): void => {
  const def = define([array('f64', N), array('i32', N), 'f64'], fn, { float: 'f64', scope, name: 'k' });
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: N, maxLength: N }),
      fc.array(fc.integer({ min: -20, max: 20 }), { minLength: N, maxLength: N }),
      fc.double({ min: -4, max: 4, noNaN: true }),
      (numbers, integers, x) => {
        const [a, b] = [Float64Array.from(numbers), Float64Array.from(numbers)];
        const [k, l] = [Int32Array.from(integers), Int32Array.from(integers)];
        const expected = fn(a, k, x);
        const got = run(def, [b, l, x]);
        expect([...b]).toEqual([...a]);
        expect([...l]).toEqual([...k]);
        expect(got).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
};
