import { byteSize, type ScalarType } from '@filigree/ir';
import { wordOf } from '../code/interval.js';
import type { OperatorName } from '../code/operators.js';
import type { Interval, Scalar, Temp } from '../code/scalar.js';

/** What operations on bits make of whole numbers, and what quotients of integers are, as far as that is known; `x | 0` leaves them alone. */
export const bitsInterval = (
  operator: OperatorName,
  args: readonly Scalar[],
  of: (s: Scalar) => Interval | undefined,
  typeOf: (s: Temp) => ScalarType | undefined,
  type: ScalarType,
): Interval | undefined => {
  const [a, b] = args.map(of);
  const by = b && b[0] === b[1] ? b[0] : undefined;
  switch (operator) {
    case 'bitor':
    case 'bitxor':
      return by === 0 ? a : a && a[0] === 0 && a[1] === 0 ? b : undefined;
    case 'bitnot':
      return a && inWord([-1 - a[1], -1 - a[0]]);
    case 'shl':
      return a && by !== undefined && by >= 0 && by < 32 ? inWord([a[0] * 2 ** by, a[1] * 2 ** by]) : undefined;
    case 'shr':
      return type === 'u32' && by !== undefined && by >= 0 && by < 32
        ? [0, Math.floor((a?.[1] ?? 2 ** 32 - 1) / 2 ** by)]
        : undefined;
    case 'ushr':
      if (by === undefined || by < 0 || by > 31 || !isOfWord(args[0], typeOf)) return undefined;
      if (a && a[0] >= 0) return [Math.floor(a[0] / 2 ** by), Math.floor(a[1] / 2 ** by)];
      return [0, 2 ** (32 - by) - 1];
    case 'idiv': {
      if (!a || !b || b[0] <= 0) return undefined;
      const quotients = a.flatMap((x) => b.map((y) => Math.trunc(x / y)));
      return [Math.min(...quotients), Math.max(...quotients)];
    }
    default:
      return undefined;
  }
};

const inWord = ([least, most]: Interval): Interval | undefined =>
  least >= -(2 ** 31) && most < 2 ** 31 ? [least, most] : undefined;

/** Whether it has 32 bits at most; a float is cut to as many. */
const isOfWord = (s: Scalar, typeOf: (s: Temp) => ScalarType | undefined): boolean => {
  const type = s.is === 'temp' ? typeOf(s) : undefined;
  return type === undefined || wordOf(s, typeOf) !== undefined || byteSize(type) === 4 || type === 'f64';
};
