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
  const sides: number[] = [];
  for (let list: unknown = given; isList(list); list = list[0]) sides.push(list.length);
  const wanted = (shape ?? sides).join(' × ');
  const refuse = (): never =>
    fail(code, `${what}: the lists are not ${wanted}`, { remedy: 'give lists of these lengths, or one list' });
  if (sides.join(' × ') !== wanted) refuse();
  const sizeOf = (some: readonly number[]): number => some.reduce((n, side) => n * side, 1);
  const strides = sides.map((_, axis) =>
    sizeOf(order === 'lastFastest' ? sides.slice(axis + 1) : sides.slice(0, axis)),
  );
  const out = new Array<T>(sizeOf(sides));
  const visit = (item: unknown, axis: number, at: number): void => {
    if (axis === sides.length) {
      if (isList(item)) refuse();
      out[at] = item as T;
    } else if (!isList(item) || item.length !== sides[axis]) refuse();
    else for (let k = 0; k < item.length; k++) visit(item[k], axis + 1, at + k * strides[axis]);
  };
  visit(given, 0, 0);
  return out;
};

const isList = (x: unknown): x is ArrayLike<unknown> =>
  typeof x === 'object' && x !== null && typeof (x as { readonly length?: unknown }).length === 'number';
