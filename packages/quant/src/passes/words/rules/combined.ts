import { integerRange, type ScalarType } from '@filigree/ir';
import type { Gates } from '../planes.js';
import { bitwise, extreme, rangeOfSum, sumOf, wrapped, type Sliced, type Term } from '../sliced.js';

/** What atomic operations make of the old number and another. */
export const combined: Readonly<Record<string, (g: Gates, x: Sliced, y: Sliced, type: ScalarType) => Sliced>> = {
  add: (g, x, y, type) => {
    const terms = [x, y].map((t): Term => ({ x: t, negative: false }));
    return sumOf(g, terms, 0n, wrapped(rangeOfSum(terms, 0n), integerRange(type)));
  },
  and: (g, x, y) => bitwise(g, 'and', x, y),
  or: (g, x, y) => bitwise(g, 'or', x, y),
  xor: (g, x, y) => bitwise(g, 'xor', x, y),
  min: (g, x, y) => extreme(g, 'min', x, y),
  max: (g, x, y) => extreme(g, 'max', x, y),
  exchange: (_g, _x, y) => y,
};
