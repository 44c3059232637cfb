import { describe } from './describe.js';
import { cloneWith } from './clone.js';
import { symbolicFloat64Array } from './float64-array.js';
import { keyedCollections } from './keyed.js';
import { failAt, type Site } from '../../source/place.js';
import type { Symbols, Value } from './symbols.js';

/** Elements of arrays and objects: how they are reached, and what may be put there. */
export const bindElements = (
  { source, isSymbolic, requireNumber }: Symbols,
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

  let asked: Site = 0;
  const collections = keyedCollections(isSymbolic, () =>
    failAt(
      source,
      asked,
      'lang/symbolic-index',
      'a key of a Map or Set depends on a symbolic value',
      'which keys are equal must be known while tracing: use plain numbers as keys, and symbolic values as what is kept under them',
    ),
  );
  /** What may be a key: remembers where, for the collection that refuses it. */
  const key = (x: unknown, site: Site): unknown => {
    if (typeof x === 'object') {
      asked = site;
      requireNumber(x, site);
    }
    return x;
  };

  /** A value on its way into a text. */
  const text = (x: unknown, site: Site): unknown =>
    isSymbolic(x)
      ? failAt(
          source,
          site,
          'lang/symbolic-text',
          'a symbolic value is made a text',
          'it has no value while the function is traced: keep texts out of what is computed, and print it by itself, console.log(x)',
        )
      : x;

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
    if (ArrayBuffer.isView(i))
      failAt(
        source,
        site,
        'lang/non-numeric',
        `an index is ${describe(i)}`,
        "take one of its entries, as in x[i[0]]; in the body of elements, tables that are handed over by name stand for the element's own entry",
      );
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

  const clone = cloneWith({ isSymbolic, Float64Array: FloatArray, ...collections });
  return {
    index,
    store,
    slot,
    ref,
    searchable,
    key,
    text,
    Float64Array: FloatArray,
    structuredClone: clone,
    ...collections,
  };
};
