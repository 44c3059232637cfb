/**
 * Gives a function that kernels call a derivative of its own, in place of the one that would be found from its text. `backward` is
 * kernel code too: it takes the function's arguments, its result, and the adjoint of the result in the same shape, and returns
 * the adjoint of the argument; of several arguments an array with that of each. Arguments and result are numbers, vectors, matrices, or arrays of these. On
 * the host the function is what it was.
 */
export const withGradient = <F extends (...args: never[]) => unknown>(
  fn: F,
  backward: (
    ...args: [...Parameters<F>, result: ReturnType<F>, adjoint: ReturnType<F>]
  ) => Parameters<F> extends readonly [infer One] ? One : Parameters<F>,
): F => {
  gradients.set(fn, backward as unknown as Backward);
  return fn;
};

/** A function that computes adjoints of arguments. */
export type Backward = (...args: never[]) => unknown;

/** The derivative that a function was given; undefined for any other value. */
export const gradientOfFunction = (fn: unknown): Backward | undefined =>
  typeof fn === 'function' ? gradients.get(fn) : undefined;

const gradients = new WeakMap<object, Backward>();
