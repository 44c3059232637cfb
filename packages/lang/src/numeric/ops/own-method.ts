/** Whether a method is written in JavaScript: it may ask which function it is given, and do with what that gives what it likes. */
export const isOwn = (method: unknown): boolean => {
  if (typeof method !== 'function') return false;
  const before = known.get(method);
  if (before !== undefined) return before;
  const own = !Function.prototype.toString.call(method).endsWith('{ [native code] }');
  known.set(method, own);
  return own;
};

const known = new WeakMap<object, boolean>();
