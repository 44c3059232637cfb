import * as E from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics } from '@filigree/ir';

/** The value of an `Either`, or its diagnostics as an exception. */
export const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new DiagnosticError(e.left);
  return e.right;
};
