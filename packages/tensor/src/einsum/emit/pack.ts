import { fail, flatValues, type Nested } from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import type { TensorDecl } from '../notation/expression.js';
import { eachEntry } from '../layout/each-entry.js';
import { storageOf } from './storage.js';

/**
 * Writes the entries of a tensor, given densely in column-major order, to their places in its layout; entries outside
 * its pattern must be zero. A layout may omit entries of the pattern that no result depends on. Padding is set to zero.
 * Errors: `tensor/length`, `tensor/values`, `tensor/outside-pattern`; nothing is written then.
 *
 * @param given one number an entry of the shape, or lists of lists, the outermost along the first index
 * @param into where to write, from `at` on; made where it is absent
 */
export const packTensor = <A extends Float32Array | Float64Array = Float64Array>(
  tensor: TensorDecl,
  layout: Layout,
  given: Nested<number>,
  into?: A,
  at = 0,
): A => {
  const dense = flatValues(tensor.name, 'tensor/length', given, tensor.shape, 'firstFastest');
  checkEntries(tensor, dense);
  const storage = storageOf(layout, tensor.shape);
  const out = into ?? (new Float64Array(storage.size) as A);
  out.fill(0, at, at + storage.size);
  eachEntry(tensor.shape, (entry, index) => {
    const position = storage.position(entry);
    if (position >= 0) out[at + position] = dense[index]!;
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

const checkEntries = (tensor: TensorDecl, dense: ArrayLike<number>): void => {
  const entries = tensor.shape.reduce((n, x) => n * x, 1);
  if (dense?.length !== entries)
    fail('tensor/length', `${tensor.name} has ${entries} entries, ${dense?.length ?? String(dense)} were given`, {
      remedy: `give all entries of the shape ${tensor.shape.join(' × ') || '1'}, the first index fastest`,
    });
  eachEntry(tensor.shape, (entry, index) => {
    const value: unknown = dense[index];
    if (typeof value !== 'number')
      fail('tensor/values', `entry (${entry.join(', ')}) of ${tensor.name} is no number`, {
        remedy: 'give numbers, in a flat array',
      });
    if (value !== 0 && tensor.pattern?.bits[index] === 0)
      fail(
        'tensor/outside-pattern',
        `entry (${entry.join(', ')}) of ${tensor.name} is ${String(value)}, and by its pattern it is zero`,
        { remedy: 'give zero there, or declare the tensor with a pattern that has this entry' },
      );
  });
};
