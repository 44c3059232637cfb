import { constantOf, iterator, substituteOne, type Conjunction } from './conjunction.js';
import { isEmpty, rangeOf } from './integer-points.js';

/**
 * A point of a set with bounded iterators, undefined where it has none in integers; 'unknown' where more than `most` partial
 * points would have to be tried. `isEmpty` goes by shadows, which may hold points that nothing casts.
 */
export const somePoint = (conditions: Conjunction, most = 4096): readonly number[] | 'unknown' | undefined => {
  const dims = Math.max(0, ...conditions.map((f) => f.coefs.length));
  let left = most;
  const search = (set: Conjunction, d: number): readonly number[] | 'unknown' | undefined => {
    if (d === dims) return isEmpty(set) ? undefined : [];
    const range = rangeOf(set, iterator(d));
    if (range === undefined) return undefined;
    if (range.max === Infinity || range.min === -Infinity) return 'unknown';
    for (let v = range.min; v <= range.max; v++) {
      if (left-- === 0) return 'unknown';
      const found = search(
        set.map((f) => substituteOne(f, d, constantOf(v))),
        d + 1,
      );
      if (found !== undefined) return found === 'unknown' ? found : [v, ...found];
    }
    return undefined;
  };
  return search(conditions, 0);
};
