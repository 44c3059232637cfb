import { fail } from '../diagnostics/diagnostic.js';

/** Values in lists of lists, an axis each, as one writes arrays of several axes; or in one list. */
export interface Nested<T> extends ArrayLike<T | Nested<T>> {}

/** How the place of a value in one list follows from its indices. */
export type ValueOrder = 'lastFastest' | 'firstFastest';

/**
 * Values in lists of lists as one list; one that is flat stays as it is, whatever it holds. Fails with `code` where the lists are not of this
 * shape, or, where none is known, of none.
 *
 * @param what whose values they are, for the message
 */
export const flatValues = <T>(
  what: string,
  code: string,
  given: Nested<T>,
  shape?: readonly number[],
  order: ValueOrder = 'lastFastest',
): ArrayLike<T> => {
  if (!isList(given?.[0])) return given as ArrayLike<T>;
  const found: number[] = [];
  for (let list: unknown = given; isList(list); list = list[0]) found.push(list.length);
  const refuse = (message: string): never =>
    fail(code, `${what}: ${message}`, {
      remedy: shape
        ? `its shape is ${shape.join(' × ') || 'that of one number'}`
        : 'give lists of one length each, or one list',
    });
  if (shape && (found.length !== shape.length || found.some((n, axis) => n !== shape[axis])))
    refuse(`the lists are ${found.join(' × ')}`);
  const strides = found.map((_, axis) =>
    (order === 'lastFastest' ? found.slice(axis + 1) : found.slice(0, axis)).reduce((n, side) => n * side, 1),
  );
  const out = new Array<T>(found.reduce((n, side) => n * side, 1));
  const visit = (list: Nested<T>, axis: number, at: number): void => {
    if (list.length !== found[axis]) refuse('lists of one axis have different lengths');
    for (let k = 0; k < list.length; k++) {
      const item = list[k];
      const inner = axis + 1 < found.length;
      if (isList(item) !== inner) refuse('values stand beside lists');
      if (inner) visit(item as Nested<T>, axis + 1, at + k * strides[axis]);
      else out[at + k * strides[axis]] = item as T;
    }
  };
  visit(given, 0, 0);
  return out;
};

const isList = (x: unknown): x is ArrayLike<unknown> =>
  typeof x === 'object' && x !== null && typeof (x as { readonly length?: unknown }).length === 'number';
