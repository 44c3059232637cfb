import type { Csr } from '@filigree/sparse/formats';
import { conjugateGradients, dot } from './conjugate-gradients.js';

/** A function to minimise, with its derivatives at a point. */
export interface Objective {
  /** Infinite where a point is not allowed. */
  readonly value: (x: Float64Array) => number;
  readonly derivatives: (x: Float64Array) => {
    readonly gradient: ArrayLike<number>;
    /** On and below the diagonal. */
    readonly hessian: Csr<ArrayLike<number>>;
  };
}

/** Newton's method: a step by conjugate gradients as far as the Hessian is positive, and as much of it as makes the value fall. */
export const newton = (
  { value, derivatives }: Objective,
  start: Float64Array,
  iterations: number,
): { readonly x: Float64Array; readonly values: readonly number[] } => {
  let x = start.slice();
  const values = [value(x)];
  for (let k = 0; k < iterations; k++) {
    const { gradient, hessian } = derivatives(x);
    const step = conjugateGradients(
      hessian,
      Float64Array.from(gradient, (g) => -g),
      1e-2,
    );
    const slope = dot(gradient, step);
    const before = values[values.length - 1];
    let [t, next, after] = [1, x, Infinity];
    for (; t > 1e-10 && !(after <= before + 1e-4 * t * slope); t /= 2) {
      const size = t;
      next = x.map((v, i) => v + size * step[i]);
      after = value(next);
    }
    if (!(after < before)) break;
    x = next;
    values.push(after);
  }
  return { x, values };
};
