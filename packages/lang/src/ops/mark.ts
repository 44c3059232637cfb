import type { NumericOps } from './numeric-ops.js';

const rewritten = new WeakMap<object, NumericOps>();

/** Remembers that a function was rewritten by the build plugin, so that `symbolic` takes it as it is. */
export const mark = <F>(f: F, ops: NumericOps): F => {
  if (typeof f === 'function') rewritten.set(f, ops);
  return f;
};

/** The operations a function was rewritten for, if it was. */
export const markOf = (f: object): NumericOps | undefined => rewritten.get(f);
