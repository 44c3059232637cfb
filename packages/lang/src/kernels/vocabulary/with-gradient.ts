/**
 * Gives a function that kernels call a derivative of its own, in place of the one that would be found from its text. `backward` is
 * kernel code too: it takes the function's arguments, its result, and the adjoint of the result in the same shape, and returns
 * the adjoint of the argument; of several arguments an array with that of each. Arguments and result are numbers, vectors, matrices, or arrays of these. On
 * the host the function is what it was.
 *
 * @param near kernel code that moves parts of a result a little, where other parts have no derivative: there the derivative is taken. `backward` and, in
 *   adjoint kernels and in those with tangents, the rest of the kernel are then given what it returns, unless the kernel uses nothing but what is moved
 */
export const withGradient = <F extends (...args: never[]) => unknown>(
  fn: F,
  backward: (
    ...args: [...Parameters<F>, result: ReturnType<F>, adjoint: ReturnType<F>]
  ) => Parameters<F> extends readonly [infer One] ? One : Parameters<F>,
  near?: (result: ReturnType<F>) => ReturnType<F>,
): F => {
  gradients.set(fn, { backward, ...(near && { near }) } as unknown as GivenGradient);
  return fn;
};

/** What `withGradient` was given. */
export interface GivenGradient {
  /** Computes adjoints of arguments. */
  readonly backward: (...args: never[]) => unknown;
  readonly near?: (...args: never[]) => unknown;
}

/** The derivative that a function was given; undefined for any other value. */
export const gradientOfFunction = (fn: unknown): GivenGradient | undefined =>
  typeof fn === 'function' ? gradients.get(fn) : undefined;

const gradients = new WeakMap<object, GivenGradient>();
