import * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics } from './diagnostic.js';

/**
 * The value of a success. For code that would rather have an exception than an `Either`: a script, a test, a callback.
 *
 * @throws DiagnosticError with the diagnostics of a failure
 */
export const orThrow = <A>(result: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};

/** What `run` gives, or the diagnostics that it throws: `orThrow` the other way. Any other exception is a bug and passes through. */
export const orLeft = <A>(run: () => A): E.Either<Diagnostics, A> => {
  try {
    return E.right(run());
  } catch (e) {
    if (e instanceof DiagnosticError) return E.left(e.diagnostics);
    throw e;
  }
};
