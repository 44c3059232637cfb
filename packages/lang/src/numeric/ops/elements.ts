import { describe } from './describe.js';
import { symbolicFloat64Array } from './float64-array.js';
import { failAt, type Site } from '../../source/place.js';
import type { Symbols, Value } from './symbols.js';

/** Elements of arrays and objects: how they are reached, and what may be put there. */
export const bindElements = (
  { source, isSymbolic }: Symbols,
  known: (x: unknown, what: string, site: Site) => Value,
) => {
  const FloatArray = symbolicFloat64Array((property) =>
    failAt(
      source,
      0,
      'lang/typed-array',
      `\`${property}\` of a Float64Array that was made in rewritten code`,
      'its elements may be symbolic and have no bytes: keep such code out of the traced function',
    ),
  );

  /** An array that is about to be searched or sorted by value. */
  const searchable = (xs: unknown, site: Site): unknown => {
    if (Array.isArray(xs) || xs instanceof FloatArray)
      for (const x of xs as ArrayLike<unknown> & Iterable<unknown>) known(x, 'the order or place of elements', site);
    return xs;
  };

  /** An index or property key. */
  const index = (i: unknown, site: Site): PropertyKey => {
    if (typeof i === 'number') return i;
    if (isSymbolic(i)) {
      failAt(
        source,
        site,
        'lang/symbolic-index',
        'an index depends on a symbolic value',
        'which element is read must be known while tracing: compute the index from plain numbers, or choose between elements with a ternary',
      );
    }
    return i as PropertyKey;
  };
  /** A value on its way into an element of `target`. */
  const store = (value: Value, target: unknown, site: Site): Value => {
    if (typeof value !== 'number' && ArrayBuffer.isView(target) && isSymbolic(value)) {
      failAt(
        source,
        site,
        'lang/typed-array',
        `a symbolic value is stored in ${describe(target)}`,
        'a typed array holds numbers only: make an ordinary array, or a `new Float64Array(n)` inside the rewritten function, which can hold symbols',
      );
    }
    return value;
  };
  /** An element as the target of a destructuring assignment. */
  const slot = (target: Record<PropertyKey, unknown>, key: unknown, site: Site) => {
    const at = index(key, site);
    return {
      set value(x: unknown) {
        target[at] = store(x, target, site);
      },
    };
  };
  /** Evaluates object and key once, in order. */
  const ref = <O, K, R>(object: O, key: K, f: (object: O, key: K) => R): R => f(object, key);

  return { index, store, slot, ref, searchable, Float64Array: FloatArray };
};
