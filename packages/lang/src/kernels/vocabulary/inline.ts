import { noteOrigin } from '../../source/spelling/origin-of.js';

/**
 * Marks a function that is called from kernels, and says what it uses from around it, by name: the compiler of kernels
 * reads its text and inlines it. On the host it is the function it was. Functions in the scope are inlined too.
 */
export const inlined = <F extends (...args: never[]) => unknown>(
  fn: F,
  scope: Readonly<Record<string, unknown>> = {},
): F => {
  scopes.set(fn, scope);
  noteOrigin(fn, inlined);
  return fn;
};

/** The scope that `inlined` was given with this function; undefined for any other value. */
export const inlinedScope = (fn: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof fn === 'function' ? scopes.get(fn) : undefined;

/** Makes a function a word of the language. */
export const libraryFunction = <F extends object>(name: string, fn: F): F => {
  wordsByFunction.set(fn, name);
  functionsByWord.set(name, fn);
  return fn;
};

/** Makes a function a word of the language that kernels may not call. */
export const hostFunction = <F extends object>(name: string, fn: F): F => {
  forHost.add(fn);
  return libraryFunction(name, fn);
};

/** Whether a function is a word that kernels may not call. */
export const isForHost = (fn: unknown): boolean => typeof fn === 'function' && forHost.has(fn);

/** The word of the language that a function is, if it is one that stands in the language itself. */
export const libraryWordOf = (fn: unknown): string | undefined =>
  typeof fn === 'function' ? wordsByFunction.get(fn) : undefined;

/** The function that a word of the language stands for, of those whose modules are loaded. */
export const libraryFunctionOf = (word: string): unknown => functionsByWord.get(word);

const forHost = new WeakSet<object>();

const functionsByWord = new Map<string, object>();

const wordsByFunction = new WeakMap<object, string>();

const scopes = new WeakMap<object, Readonly<Record<string, unknown>>>();
