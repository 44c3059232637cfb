import { fail } from '@filigree/ir';
import type { Shaped } from './algebra.js';
import type { ScalarRing } from './ring.js';

/** Vectors and matrices made from sizes alone, which a kernel must know when it is compiled. */
export type SizedName = 'identity' | 'zeros';

/** Most elements along one side. */
const LARGEST_SIDE = 64;

/**
 * `identity(n)`: n×n; `zeros(n)`: a vector; `zeros(rows, columns)`: a matrix. Throws `lang/shape` on a size that is no
 * whole number from 1 to 64, or another number of sizes.
 */
export const sized = <S>(name: SizedName, ring: ScalarRing<S>, sizes: readonly number[]): Shaped<S> => {
  const wanted = name === 'identity' ? [1] : [1, 2];
  if (!wanted.includes(sizes.length))
    fail('lang/shape', `${name} takes ${wanted.join(' or ')} sizes, not ${sizes.length}`);
  for (const n of sizes)
    if (!Number.isInteger(n) || n < 1 || n > LARGEST_SIDE)
      fail('lang/shape', `${name}: a size is a whole number from 1 to ${LARGEST_SIDE}, not ${n}`);
  const shape = name === 'identity' ? [sizes[0], sizes[0]] : sizes;
  const length = shape.reduce((a, b) => a * b, 1);
  const one = (at: number): boolean => name === 'identity' && at % (sizes[0] + 1) === 0;
  return { shape, elements: Array.from({ length }, (_, at) => ring.constant(one(at) ? 1 : 0)) };
};
