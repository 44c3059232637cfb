import { integerRange } from '@filigree/ir';
import { isInteger, notInWords, scalarOf } from '../lanes.js';
import {
  bitOf,
  bitwise,
  constantOf,
  equal,
  extreme,
  less,
  planeAt,
  planeOf,
  product,
  selected,
  within,
  wrapped,
} from '../sliced.js';
import { bitsOfCoordinate } from './coordinates.js';
import { quotient } from './quotients.js';
import { onIntegers, type Rule } from './rule.js';
import { shift } from './shifts.js';
import { add, negated } from './sums.js';

/** What is known of each op; of others only that they are the same for all elements. */
export const rules: Readonly<Record<string, Rule>> = {
  'arith.constant': (_loop, op) =>
    isInteger(op.results[0]) ? { is: 'number', n: BigInt(op.attrs.value as number) } : undefined,
  'arith.add': add(false),
  'arith.sub': add(true),
  'arith.neg': negated,
  'arith.mul': onIntegers((g, op, x, y) => product(g, x, y, integerRange(scalarOf(op.results[0])))),
  'arith.and': (loop, op) =>
    bitsOfCoordinate(loop, op) ?? onIntegers((g, _op, x, y) => bitwise(g, 'and', x, y))(loop, op),
  'arith.or': onIntegers((g, _op, x, y) => bitwise(g, 'or', x, y)),
  'arith.xor': onIntegers((g, _op, x, y) => bitwise(g, 'xor', x, y)),
  'arith.not': onIntegers((g, op, x) => {
    if (op.results[0].type === 'i1') return bitOf(g.not(planeOf(x)));
    const [least, most] = integerRange(scalarOf(op.results[0]));
    const bounds = least < 0n ? { lo: -1n - x.hi, hi: -1n - x.lo } : { lo: most - x.hi, hi: most - x.lo };
    return within((k) => g.not(planeAt(x, k)), bounds);
  }),
  'arith.shl': shift('shl'),
  'arith.shr': shift('shr'),
  'arith.div': quotient('quotient'),
  'arith.rem': quotient('rest'),
  'arith.min': onIntegers((g, _op, x, y) => extreme(g, 'min', x, y)),
  'arith.max': onIntegers((g, _op, x, y) => extreme(g, 'max', x, y)),
  'arith.cmp': onIntegers((g, op, x, y) => {
    switch (op.attrs.predicate) {
      case 'eq':
        return bitOf(equal(g, x, y));
      case 'ne':
        return bitOf(g.not(equal(g, x, y)));
      case 'lt':
        return bitOf(less(g, x, y));
      case 'ge':
        return bitOf(g.not(less(g, x, y)));
      case 'gt':
        return bitOf(less(g, y, x));
      default:
        return bitOf(g.not(less(g, y, x)));
    }
  }),
  'arith.select': onIntegers((g, _op, c, x, y) => selected(g, planeOf(c), x, y)),
  'arith.cast': onIntegers((g, op, x) => {
    const to = scalarOf(op.results[0]);
    if (!isInteger(op.results[0])) return notInWords(`it computes with ${to}`);
    if (to === 'i1') return bitOf(g.not(equal(g, x, constantOf(0n))));
    return within((k) => planeAt(x, k), wrapped(x, integerRange(to)));
  }),
};
