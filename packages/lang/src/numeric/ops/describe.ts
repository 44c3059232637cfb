/** What a value is, in words for a message. */
export const describe = (x: unknown): string => {
  if (x === undefined || x === null) return String(x);
  if (Array.isArray(x)) return 'an array';
  if (typeof x === 'object')
    return x.constructor?.name && x.constructor !== Object ? `a ${x.constructor.name}` : 'an object';
  if (typeof x === 'function') return 'a function';
  return `a ${typeof x}`;
};
