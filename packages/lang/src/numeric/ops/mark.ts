import type { NumericOps } from './numeric-ops.js';

const rewritten = new WeakMap<object, NumericOps>();

/** Remembers that a function was rewritten by the build plugin, so that `symbolic` takes it as it is. */
export const mark = <F>(f: F, ops: NumericOps): F => {
  if (typeof f === 'function') rewritten.set(f, ops);
  return f;
};

/** Remembers so of members of an object, by their names: of methods, which no call can be written around. */
export const markMembers = <O extends object>(o: O, ops: NumericOps, ...names: readonly string[]): O => {
  for (const name of names) mark(Object.getOwnPropertyDescriptor(o, name)?.value, ops);
  return o;
};

/** The operations a function was rewritten for, if it was. */
export const markOf = (f: object): NumericOps | undefined => rewritten.get(f);
