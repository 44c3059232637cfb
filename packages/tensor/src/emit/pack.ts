import { fail } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import type { TensorDecl } from '../notation/expression.js';
import { eachEntry, storageOf } from './storage.js';

/**
 * Writes the entries of a tensor, given densely in column-major order, to their places in its layout; entries outside
 * its pattern must be zero. A layout may omit entries of the pattern that no result depends on. Padding is set to zero.
 * Errors: `tensor/length`, `tensor/outside-pattern`.
 *
 * @param dense one number an entry of the shape
 * @param into where to write, from `at` on; made where it is absent
 */
export const packTensor = <A extends Float32Array | Float64Array = Float64Array>(
  tensor: TensorDecl,
  layout: Layout,
  dense: ArrayLike<number>,
  into?: A,
  at = 0,
): A => {
  const storage = storageOf(layout, tensor.shape);
  checkLength(tensor, dense.length);
  const out = into ?? (new Float64Array(storage.size) as A);
  out.fill(0, at, at + storage.size);
  eachEntry(tensor.shape, (entry, index) => {
    const position = storage.position(entry);
    if (position >= 0) out[at + position] = dense[index]!;
    else if (dense[index] !== 0 && tensor.pattern?.bits[index] === 0)
      fail(
        'tensor/outside-pattern',
        `entry (${entry.join(', ')}) of ${tensor.name} is ${dense[index]}, and by its pattern it is zero`,
        { remedy: 'give zero there, or declare the tensor with a pattern that has this entry' },
      );
  });
  return out;
};

/** The entries of a tensor densely in column-major order; what is not stored is zero. */
export const unpackTensor = (tensor: TensorDecl, layout: Layout, stored: ArrayLike<number>, at = 0): Float64Array => {
  const storage = storageOf(layout, tensor.shape);
  const out = new Float64Array(tensor.shape.reduce((n, x) => n * x, 1));
  eachEntry(tensor.shape, (entry, index) => {
    const position = storage.position(entry);
    if (position >= 0) out[index] = stored[at + position]!;
  });
  return out;
};

const checkLength = (tensor: TensorDecl, length: number): void => {
  const entries = tensor.shape.reduce((n, x) => n * x, 1);
  if (length !== entries)
    fail('tensor/length', `${tensor.name} has ${entries} entries, ${length} were given`, {
      remedy: `give all entries of the shape ${tensor.shape.join(' × ') || '1'}, the first index fastest`,
    });
};
