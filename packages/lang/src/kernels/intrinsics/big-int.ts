import { isScalarType } from '@filigree/ir';
import { intervalOf } from '../code/interval.js';
import { typedLiteral, type Scalar } from '../code/scalar.js';
import { originOf, refuse } from '../elaborate/context/context.js';
import { isLiteral } from '../elaborate/context/term.js';
import type { Intrinsic } from './intrinsic.js';
import { castTo, scalars } from './math.js';

/** `BigInt(x)`: an integer of 64 bits, of either sign where x is not negative. */
export const bigInt: Intrinsic = (cx, e) => {
  const [x] = scalars(cx, e, 1);
  if (isLiteral(x) && Number.isSafeInteger(x.value)) return typedLiteral(BigInt(x.value), 'i64');
  return isNatural(x)
    ? cx.session.castAs(originOf(cx, e), x, { is: 'temp', type: 'i64', either: true })
    : castTo(cx, e, x, 'i64');
};

const isNatural = (x: Scalar): boolean =>
  x.is === 'temp' && (['u8', 'u16', 'u32'].includes(x.type ?? '') || (intervalOf(x)?.[0] ?? -1) >= 0);

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
