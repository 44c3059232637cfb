import type { Csr } from '@filigree/sparse/formats';
import { randomNumbers } from '../../meshes/random.js';
import { gradientError } from '../../simulators/gradient-check.js';
import { timesSymmetric } from './conjugate-gradients.js';

/** How far a compiled function is from the plain one, and its derivatives from differences of what they are of; relative. */
export interface DerivativeErrors {
  readonly valueCheck: number;
  readonly gradientCheck: number;
  readonly hessianCheck: number;
}

/** What is compared. */
export interface Differentiated {
  /** The terms whose sum is the plain function. */
  readonly plain: (x: Float64Array) => Float64Array;
  /** The compiled one, at `x`. */
  readonly value: number;
  readonly gradient: (x: Float64Array) => Float64Array;
  /** At `x`, on and below the diagonal. */
  readonly hessian: Csr<ArrayLike<number>>;
}

/**
 * Compares derivatives at `x` with central differences of lengths about `h` along random directions: the gradient with those of the plain function, the Hessian
 * with those of the gradient.
 */
export const checkDerivatives = (
  { plain, value, gradient, hessian }: Differentiated,
  x: Float64Array,
  h: number,
  seed: number,
): DerivativeErrors => {
  const random = randomNumbers(seed);
  const sum = plain(x).reduce((s, term) => s + term, 0);
  const worst = {
    valueCheck: Math.abs(value / sum - 1),
    gradientCheck: gradientError(plain, gradient(x), x, h, seed),
    hessianCheck: 0,
  };
  for (let sample = 0; sample < 4; sample++) {
    const d = x.map(() => random() - 0.5);
    const at = (t: number): Float64Array => x.map((v, i) => v + t * d[i]);
    const [a, b, c, e] = [h, -h, 2 * h, -2 * h].map((t) => gradient(at(t)));
    const image = timesSymmetric(hessian, d);
    const scale = image.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    image.forEach((v, i) => {
      const byDifference = (8 * (a[i] - b[i]) - (c[i] - e[i])) / (12 * h);
      worst.hessianCheck = Math.max(worst.hessianCheck, Math.abs(v - byDifference) / scale);
    });
  }
  return worst;
};

/** The worst of them. */
export const worstOf = ({ valueCheck, gradientCheck, hessianCheck }: DerivativeErrors): number =>
  Math.max(valueCheck, gradientCheck, hessianCheck);

/**
 * Tables of elements, so many numbers for each, cut into blocks of a few elements: what is summed over such a block rounds as one element does, where the whole
 * sum rounds by more than it changes along a difference.
 */
export const blocksOf = (
  tables: readonly { readonly values: ArrayLike<number>; readonly each: number }[],
): readonly (readonly (readonly number[])[])[] => {
  const [{ values, each }] = tables;
  return Array.from({ length: Math.ceil(values.length / each / BLOCK) }, (_, n) =>
    tables.map((t) => Array.prototype.slice.call(t.values, t.each * BLOCK * n, t.each * BLOCK * (n + 1)) as number[]),
  );
};

const BLOCK = 16;
