import type { CallExpression } from 'acorn';
import { refuse, type Context } from './context.js';
import { argumentsOf } from './evaluate.js';
import { fromHost, tableOf } from './host-value.js';
import { asIndex } from './index-of.js';
import { indexed, loaded } from './member.js';
import { isLiteral, termText, type Term } from './term.js';

/** A method of a text, a Map or a Set of the surroundings that only asks: it is called while the kernel is compiled; but `charCodeAt` of a text takes any index. */
export const knownMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined => {
  if (of.is !== 'host' || !asksOnly(of.value, name)) return undefined;
  const given = argumentsOf(cx, e);
  const codes = typeof of.value === 'string' && name === 'charCodeAt' ? codesOf(of.value) : undefined;
  if (codes && given.length === 1 && !isLiteral(given[0]))
    return loaded(cx, e, indexed(cx, e, codes, asIndex(cx, e.arguments[0], given[0])));
  const args = given.map((a, k) =>
    isLiteral(a) || a.is === 'host'
      ? a.value
      : refuse(
          cx,
          e.arguments[k] ?? e,
          'lang/dynamic-index',
          `\`${name}\` is called while the kernel is compiled, and this is ${termText(a)}`,
          'give it what is known then',
        ),
  );
  const method = (of.value as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
  return fromHost(cx, e, `${of.name}.${name}`, method.apply(of.value, args));
};

/** The codes of a text, of which one is taken where its index is known only when the kernel runs. */
const codesOf = (text: string): Term | undefined =>
  tableOf(
    JSON.stringify(text),
    Array.from({ length: text.length }, (_, k) => text.charCodeAt(k)),
  );

const asksOnly = (value: unknown, name: string): boolean =>
  typeof value === 'string'
    ? Object.hasOwn(String.prototype, name) && name !== 'constructor'
    : (value instanceof Map && (name === 'get' || name === 'has')) || (value instanceof Set && name === 'has');
