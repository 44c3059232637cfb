import { extensionText, type Extension } from '@filigree/ir';
import { wordOperator } from '../code/operators.js';
import { literal } from '../code/scalar.js';
import { originOf, refuse } from '../elaborate/context.js';
import { isLiteral } from '../elaborate/term.js';
import type { Word } from '../extension.js';
import type { Intrinsic } from './intrinsic.js';
import { scalars } from './math.js';

/** A word that an extension brings: of numbers known at compile time a number, else its op. */
export const word = (name: string, { fn, op, attrs, takes, derivative }: Word, by: Extension): Intrinsic => {
  const operator = wordOperator(name, op, attrs ?? {}, takes ?? 'floats');
  return (cx, e) => {
    if (derivative !== undefined && derivative.partials.length !== fn.length)
      refuse(
        cx,
        e,
        'extension/derivative',
        `the word '${name}' of extension ${extensionText(by)} has ${fn.length} parameters and ${derivative.partials.length} partial derivatives`,
        'give one for each parameter',
      );
    const args = scalars(cx, e, fn.length);
    const known = args.filter(isLiteral).map((s) => s.value);
    if (known.length === args.length && known.every((x) => typeof x === 'number')) return literal(fn(...known));
    return cx.session.computeWord(originOf(cx, e), operator, args);
  };
};
