import type { TypedArray } from '../kernel/op.js';
import { exactText } from '../scalar/exact-text.js';
import { encodeBase64 } from '../text/base64.js';

/**
 * A value as text that tells it from every other, for keys: numbers, texts, arrays, plain objects, maps and sets of such. Nothing for what
 * cannot be told apart so, such as functions and instances of classes.
 *
 * @param told is asked first, of each object and function: its text, where it knows one
 */
export const keyText = (
  value: unknown,
  told: (value: object) => string | undefined = () => undefined,
): string | undefined => {
  try {
    return textOf(value, told, []);
  } catch (e) {
    if (e instanceof NoKey) return undefined;
    throw e;
  }
};

class NoKey extends Error {}

type Told = (value: object) => string | undefined;

const textOf = (value: unknown, told: Told, around: readonly unknown[]): string => {
  const inner = (v: unknown): string => textOf(v, told, [...around, value]);
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
    const text = told(value);
    if (text !== undefined) return text;
  }
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return exactText(value);
    case 'bigint':
      return `${value}n`;
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      break;
    default:
      throw new NoKey();
  }
  if (value === null) return 'null';
  if (around.includes(value)) throw new NoKey();
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (ArrayBuffer.isView(value)) {
    if (value instanceof DataView) throw new NoKey();
    return `${value.constructor.name}[${encodeBase64(value as TypedArray)}]`;
  }
  /* Classes made of these, and single ones, may know more than what they hold. */
  if (prototype === Array.prototype && Object.getOwnPropertySymbols(value).length === 0)
    return `[${(value as readonly unknown[]).map(inner).join()}]`;
  if (prototype === Map.prototype && Reflect.ownKeys(value).length === 0)
    return `Map[${[...(value as Map<unknown, unknown>)].map(inner).join()}]`;
  if (prototype === Set.prototype && Reflect.ownKeys(value).length === 0)
    return `Set[${[...(value as Set<unknown>)].map(inner).join()}]`;
  if (prototype !== Object.prototype && prototype !== null) throw new NoKey();
  /* What is hidden, as in `Math` or the namespace of a module, is not in the text. */
  if (Reflect.ownKeys(value).length !== Object.keys(value).length) throw new NoKey();
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${inner(v)}`).join()}}`;
};
