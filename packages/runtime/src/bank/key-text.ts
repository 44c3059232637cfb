/**
 * A value as text that tells it from every other, for keys: numbers, texts, arrays, plain objects, maps and sets of such. Functions stand
 * there as their text, where `functions` says that nothing else counts. Nothing for what cannot be told apart so, such as instances of
 * classes.
 */
export const keyText = (value: unknown, functions = false): string | undefined => {
  try {
    return textOf(value, functions, []);
  } catch (e) {
    if (e instanceof NoKey) return undefined;
    throw e;
  }
};

class NoKey extends Error {}

const textOf = (value: unknown, functions: boolean, around: readonly unknown[]): string => {
  const inner = (v: unknown): string => textOf(v, functions, [...around, value]);
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'function':
      if (!functions) throw new NoKey();
      return `${value.name} ${Function.prototype.toString.call(value)}`;
    case 'object':
      break;
    default:
      throw new NoKey();
  }
  if (value === null) return 'null';
  if (around.includes(value)) throw new NoKey();
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (ArrayBuffer.isView(value)) {
    if (value instanceof DataView) throw new NoKey();
    return `${value.constructor.name}[${(value as Float64Array).join()}]`;
  }
  if (value instanceof Map) return `Map[${[...value].map(inner).join()}]`;
  if (value instanceof Set) return `Set[${[...value].map(inner).join()}]`;
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) throw new NoKey();
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${inner(v)}`).join()}}`;
};
