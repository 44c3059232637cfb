import type { CallExpression } from 'acorn';
import { refuse, type Context } from '../context/context.js';
import { foundByKey } from './by-key.js';
import { argumentsOf } from './evaluate.js';
import { fromHost, tableOf } from '../terms/host-value.js';
import { asIndex } from '../terms/index-of.js';
import { indexed, loaded } from '../terms/member.js';
import { asArrays, calledOfOne, itemOfText } from './one-of.js';
import { isLiteral, isOfTexts, termText, type Host, type OneOf, type Term } from '../context/term.js';

/**
 * A method of a text, of one of several texts, or of a Map or a Set of the surroundings that only asks: it is called while the kernel is compiled; but `charCodeAt` and
 * `charAt` of a text take any index, and Maps and Sets are asked for keys that the kernel finds.
 */
export const knownMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined => {
  const isOne = of.is === 'one-of' && isOfTexts(of);
  if ((of.is !== 'host' && !isOne) || !asksOnly(isOne ? of.values[0] : (of as Host).value, name)) return undefined;
  const given = argumentsOf(cx, e);
  const [at] = given;
  const letter = given.length === 1 && !isLiteral(at) ? letterMethods[name] : undefined;
  if (letter) return letter(cx, e, of as Host | OneOf, at);
  if (of.is === 'host' && typeof of.value === 'object' && given.length === 1) {
    const found = foundByKey(cx, e, of, name, at);
    if (found) return found;
  }
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
  const called = (value: unknown): unknown =>
    (value as Record<string, (...args: unknown[]) => unknown>)[name].apply(value, args);
  if (isOne) return calledOfOne(cx, e, of, name, called, JSON.stringify(args));
  return fromHost(cx, e, `${(of as Host).name}.${name}`, called((of as Host).value));
};

type LetterMethod = (cx: Context, e: CallExpression, of: Host | OneOf, at: Term) => Term | undefined;

/** What takes a letter of a text at any index. */
const letterMethods: Readonly<Record<string, LetterMethod | undefined>> = {
  charCodeAt: (cx, e, of, at) => {
    const index = asIndex(cx, e.arguments[0], at);
    if (of.is === 'one-of') return indexed(cx, e, asArrays(cx, of, '[codes]', codesOf), index);
    const codes = tableOf(JSON.stringify(of.value), codesOf(of.value as string));
    return codes && loaded(cx, e, indexed(cx, e, codes, index));
  },
  charAt: (cx, e, of, at) => {
    const index = asIndex(cx, e.arguments[0], at);
    return of.is === 'one-of' ? indexed(cx, e, of, index) : itemOfText(cx, e, of, index);
  },
};

const codesOf = (text: string): readonly number[] => Array.from({ length: text.length }, (_, k) => text.charCodeAt(k));

const asksOnly = (value: unknown, name: string): boolean =>
  typeof value === 'string'
    ? Object.hasOwn(String.prototype, name) && name !== 'constructor'
    : (value instanceof Map && (name === 'get' || name === 'has')) || (value instanceof Set && name === 'has');
