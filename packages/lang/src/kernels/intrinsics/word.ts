import { wordOperator } from '../code/operators.js';
import { literal } from '../code/scalar.js';
import { originOf } from '../elaborate/context/context.js';
import { isLiteral } from '../elaborate/context/term.js';
import type { Word } from '../extension.js';
import type { Intrinsic } from './intrinsic.js';
import { scalars } from './math.js';

/** A word that an extension brings: of numbers known at compile time a number, else its op. */
export const word = (name: string, { fn, op, attrs, takes }: Word): Intrinsic => {
  const operator = wordOperator(name, op, attrs ?? {}, takes ?? 'floats');
  return (cx, e) => {
    const args = scalars(cx, e, fn.length);
    const known = args.filter(isLiteral).map((s) => s.value);
    if (known.length === args.length && known.every((x) => typeof x === 'number')) return literal(fn(...known));
    return cx.session.computeWord(originOf(cx, e), operator, args);
  };
};
