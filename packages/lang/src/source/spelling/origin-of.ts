import { framesOf } from './files.js';

/** Where functions of kernels were handed over, so that their files can be found. A stack is formatted only when it is asked for. */
const handedOver = new WeakMap<object, { readonly stack?: string }>();

/** Remembers where `to`, which calls this, is given a function. */
export const noteOrigin = (fn: object, to: (...args: never[]) => unknown): void => {
  if (handedOver.has(fn)) return;
  const place = {};
  (Error as { captureStackTrace?: (holder: object, above: unknown) => void }).captureStackTrace?.(place, to);
  handedOver.set(fn, place);
};

/** Says in which file a function stands that somebody else imported, where its stack names none: loaders run modules from `data:` addresses. */
export const standsIn = (fn: object, path: string): void => {
  if (framesOf(stackOf(fn)).length === 0) handedOver.set(fn, { stack: `at ${path}:0:0` });
};

/** The stack of where a function was given to `kernel` or `inlined`. */
export const stackOf = (fn: object): string => handedOver.get(fn)?.stack ?? '';
