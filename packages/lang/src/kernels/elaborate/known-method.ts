import type { CallExpression } from 'acorn';
import { refuse, type Context } from './context.js';
import { argumentsOf } from './evaluate.js';
import { fromHost } from './host-value.js';
import { isLiteral, termText, type Term } from './term.js';

/** A method of a text, a Map or a Set of the surroundings that only asks: it is called while the kernel is compiled. */
export const knownMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined => {
  if (of.is !== 'host' || !asksOnly(of.value, name)) return undefined;
  const args = argumentsOf(cx, e).map((a, k) =>
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

const asksOnly = (value: unknown, name: string): boolean =>
  typeof value === 'string'
    ? Object.hasOwn(String.prototype, name) && name !== 'constructor'
    : (value instanceof Map && (name === 'get' || name === 'has')) || (value instanceof Set && name === 'has');
