import { exactText } from '../scalar/exact-text.js';

/** What a value is, in words for messages: `NaN`, `the text 'lots'`, `an array`. Looks into nothing that could throw. */
export const describe = (value: unknown): string => {
  if (typeof value === 'string') return `the text '${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return exactText(value);
  if (Array.isArray(value)) return 'an array';
  return ArrayBuffer.isView(value) ? `a ${Object.prototype.toString.call(value).slice(8, -1)}` : 'an object';
};
