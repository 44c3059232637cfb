import { isLeft, type Either } from 'fp-ts/lib/Either.js';
import { DiagnosticError, type Diagnostics } from '@filigree/ir';

/** The value, or its diagnostics thrown. */
export const right = <A>(result: Either<Diagnostics, A>): A => {
  if (isLeft(result)) throw new DiagnosticError(result.left);
  return result.right;
};
