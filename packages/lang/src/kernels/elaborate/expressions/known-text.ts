import type { TemplateLiteral, UnaryExpression } from 'acorn';
import { literal } from '../../code/scalar.js';
import { compute, unsupported, type Context } from '../context/context.js';
import { value } from './evaluate.js';
import { typeOfMixed } from './mixed.js';
import { isMissing, withoutFlag } from '../terms/missing.js';
import { isLiteral, type Term } from '../context/term.js';

/** A text whose parts are known. */
export const knownText = (cx: Context, e: TemplateLiteral): Term => {
  const parts = e.expressions.map((x) => {
    const term = value(cx, x);
    if (isLiteral(term) || (term.is === 'host' && typeof term.value === 'string')) return String(term.value);
    return unsupported(cx, x, 'a text of what is computed', 'give it to print(…) or assert(condition, …)');
  });
  const text = e.quasis.map(({ value: { cooked } }, k) => `${k > 0 ? parts[k - 1] : ''}${cooked ?? ''}`).join('');
  return textOf(text);
};

/** Known at compile time, so that a helper can branch on what it is given; of what may be missing one of the texts that it may be. */
export const typeOf = (cx: Context, e: UnaryExpression): Term => {
  const term = value(cx, e.argument);
  const flag = isMissing(cx, e, term);
  if (!flag) return term.is === 'mixed' ? typeOfMixed(cx, e, term) : textOf(typeText(cx, term));
  const isMixed = term.is === 'mixed';
  const there = isMixed ? term.values.map((x) => typeof x) : [withoutFlag(cx, term, () => typeText(cx, term))];
  const values = [...there, 'undefined', 'object'];
  const isNull = flag.isNull ?? literal(flag.of === 'null');
  const nothing = compute(cx, e, 'select', isNull, literal(there.length + 1), literal(there.length));
  const index = compute(cx, e, 'select', flag.is, nothing, isMixed ? term.index : literal(0));
  return { is: 'one-of', name: 'typeof', values, index };
};

const textOf = (text: string): Term => ({ is: 'host', name: text, value: text });

const typeText = (cx: Context, term: Term): string => {
  switch (term.is) {
    case 'nothing':
      return 'undefined';
    case 'closure':
      return 'function';
    case 'host':
      return typeof term.value;
    case 'one-of':
      return typeof term.values[0];
    case 'literal':
      return typeof term.value;
    case 'temp':
      return cx.session.isTruth(term) ? 'boolean' : 'number';
    default:
      return 'object';
  }
};
