import { isScalarType } from '@filigree/ir';
import { refuse } from '../elaborate/context/context.js';
import { isLiteral } from '../elaborate/context/term.js';
import type { Intrinsic } from './intrinsic.js';
import { castTo, scalars } from './math.js';

/** `BigInt(x)`: an integer of 64 bits. */
export const bigInt: Intrinsic = (cx, e) => castTo(cx, e, scalars(cx, e, 1)[0], 'i64');

/** `BigInt.asIntN(n, x)` and `BigInt.asUintN(n, x)`: the last bits of an integer, of as many as a type has. */
export const lastBits =
  (sign: 'i' | 'u'): Intrinsic =>
  (cx, e) => {
    const [n, x] = scalars(cx, e, 2);
    const type = `${sign}${isLiteral(n) ? String(n.value) : ''}`;
    return isScalarType(type) && type !== 'i1'
      ? castTo(cx, e, castTo(cx, e, x, type), `${sign}64`)
      : refuse(cx, e, 'lang/arguments', 'how many bits are taken is 8, 16, 32 or 64', 'write x & 0xfffn for others');
  };
