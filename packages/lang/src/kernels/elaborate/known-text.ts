import type { TemplateLiteral, UnaryExpression } from 'acorn';
import { unsupported, type Context } from './context.js';
import { value } from './evaluate.js';
import { isMissing } from './missing.js';
import { isLiteral, type Term } from './term.js';

/** A text whose parts are known. */
export const knownText = (cx: Context, e: TemplateLiteral): Term => {
  const parts = e.expressions.map((x) => {
    const term = value(cx, x);
    if (isLiteral(term) || (term.is === 'host' && typeof term.value === 'string')) return String(term.value);
    return unsupported(cx, x, 'a text of what is computed', 'give it to print(…) or assert(condition, …)');
  });
  const text = e.quasis.map(({ value: { cooked } }, k) => `${k > 0 ? parts[k - 1] : ''}${cooked ?? ''}`).join('');
  return { is: 'host', name: text, value: text };
};

/** Known at compile time, so that a helper can branch on what it is given. */
export const typeOf = (cx: Context, e: UnaryExpression): Term => {
  const term = value(cx, e.argument);
  if (isMissing(cx, e, term))
    return unsupported(cx, e, 'the type of what may be missing', 'compare it: x === undefined, x === null');
  const text =
    term.is === 'nothing'
      ? 'undefined'
      : term.is === 'closure'
        ? 'function'
        : term.is === 'host'
          ? typeof term.value
          : term.is === 'one-of'
            ? typeof term.values[0]
            : isLiteral(term)
              ? typeof term.value
              : term.is === 'temp'
                ? cx.session.isTruth(term)
                  ? 'boolean'
                  : 'number'
                : 'object';
  return { is: 'host', name: text, value: text };
};
